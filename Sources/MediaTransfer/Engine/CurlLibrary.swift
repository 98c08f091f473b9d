import CLibCurl
import Foundation

/// The libcurl that this program runs with, and what it trusts.
package enum CurlLibrary {
    /// As it says itself: `7.88.1`.
    package static var version: String { text(facts.version) ?? "unknown" }

    /// The TLS library behind it: `OpenSSL/3.0.17`; nil without one.
    package static var tlsLibrary: String? { text(facts.ssl_version) }

    /// The file of certificate authorities that was compiled in; nil where there is none.
    package static var authorityFile: String? { text(facts.cainfo) }

    /// The folder of certificate authorities that was compiled in; nil where there is none.
    package static var authorityFolder: String? { text(facts.capath) }

    /// As a number: 0x075801.
    static var versionNumber: UInt32 { facts.version_num }

    /// Whether a handle of this version that was reset knows nothing of the answer before.
    ///
    /// Before 8.1.0 it kept a pointer to the last header field, which was freed: an answer whose first field begins with a
    /// blank was then appended to that (curl#11101, mended by #11103).
    static func keepsHandlesClean(_ version: UInt32) -> Bool { version >= 0x08_01_00 }

    private static var facts: curl_version_info_data { curl_version_info(CURLVERSION_EIGHTH).pointee }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}

/// What a server's clock shows, by the `Date` of its answer to a HEAD request.
package enum ServerTime {
    /// Asks `url` once, following no redirect; any status will do. Blocks for at most `limit` seconds.
    ///
    /// - Returns: how far the server's clock is ahead of ours, in seconds, to within the second that `Date` has and half of
    ///   the time that the answer took; nil if the answer has no `Date`, or a cache has kept it.
    package static func skew(of url: String, caFile: String?, limit: Int = 15) throws(TransferFailure) -> Double? {
        guard let parsed = ParsedURL(url), let easy = curl_easy_init() else {
            throw .invalidRequest("the URL is malformed")
        }
        defer { curl_easy_cleanup(easy) }
        HostNames.useUTF8()
        var configuration = TransferConfiguration()
        configuration.caFile = caFile
        let handles = EasyHandles(configuration: configuration)
        handles.configure(easy, isPaced: false)
        let date = FieldBox()
        cf_set_string(easy, CURLOPT_URL, parsed.text)
        cf_set_long(easy, CURLOPT_NOBODY, 1)
        cf_set_long(easy, CURLOPT_TIMEOUT, limit)
        cf_set_pointer(easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(date).toOpaque())
        cf_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, box in
            guard let bytes, let box else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            Unmanaged<FieldBox>.fromOpaque(box).takeUnretainedValue().take(line)
            return size * count
        }
        let before = Date()
        let code = withExtendedLifetime((date, handles)) { curl_easy_perform(easy) }
        let after = Date()
        // A server that has no answer to HEAD closes the connection, and may have said the time before.
        if let failure = code.failure(of: easy), date.seconds == nil { throw failure }
        guard let seconds = date.seconds else { return nil }
        // A whole second, cut off: its middle is the best guess.
        let ours = before.timeIntervalSince1970 + after.timeIntervalSince(before) / 2
        return Double(seconds) + 0.5 - ours
    }

    /// Where the header callback puts what it has seen.
    private final class FieldBox {
        private var date: Int64?
        private var isCached = false
        var seconds: Int64? { isCached ? nil : date }

        func take(_ line: UnsafeRawBufferPointer) {
            guard line.count < 128, let text = String(validating: line, as: UTF8.self) else { return }
            let name = text.prefix { $0 != ":" }.lowercased()
            if name == "age" { isCached = true }
            guard name == "date" else { return }
            let value = text.dropFirst(5).trimmingCharacters(in: .whitespacesAndNewlines)
            date = HTTPDate.seconds(value) ?? date
        }
    }
}
