import MediaTransfer
import TextFormats

extension FuzzHarness {
    /// Values of `Content-Range` and dates: what is read is written and read again to the same.
    static let contentRange = FuzzHarness(
        name: "content-range",
        texts: [
            "bytes 0-99/1000", "bytes 0-0/*", "bytes */1000", "BYTES 5-9223372036854775806/9223372036854775807",
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Thu, 29 Feb 2096 23:59:60 UTC",
        ],
        words: ["bytes ", "*", "/", "-", " ", "\t", "0", "9223372036854775807", "+", "٣", "GMT", ":", ",", "29", "Feb"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let seconds = HTTPDate.seconds(text, now: 1_795_132_800) {
            try promise((0...253_402_300_800).contains(seconds), "\(seconds) s")
            return true
        }
        guard let range = ContentRange(text) else { return false }
        let written: String
        switch range {
        case .part(let first, let last, let total):
            try promise(first >= 0 && first <= last && last < total ?? .max, "\(range)")
            written = "bytes \(first)-\(last)/\(total.map { "\($0)" } ?? "*")"
        case .unsatisfied(let total):
            try promise(total >= 0, "\(range)")
            written = "bytes */\(total)"
        }
        try promise(ContentRange(written) == range, "\(written) is read otherwise")
        return true
    }
}
