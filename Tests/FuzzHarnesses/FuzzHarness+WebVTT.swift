import HLSMedia

extension FuzzHarness {
    /// Segments of subtitles, divided by the separator of records: what is joined is WebVTT that can be read without a
    /// loss, and isn't much longer than what it is made of.
    static let webVTT = FuzzHarness(
        name: "webvtt",
        texts: [
            "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n",
            """
            WEBVTT - title
            X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000

            STYLE
            ::cue { color: red }

            REGION
            id:a

            NOTE x

            one
            00:00:01.000 --> 00:00:02.500 align:start position:10%
            A <00:00:01.700>b</c> <v Me>

            100:00:01,000-->100:00:02.000
            B
            00:03.000 --> 00:04.000
            C
            \u{1E}WEBVTT
            X-TIMESTAMP-MAP=LOCAL:00:00:06.000,MPEGTS:8589934591

            00:01.000 --> 00:02.000
            D

            """,
            "\u{FEFF}WEBVTT\r\n\r\n00:01.000\t-->\t00:02.500\r\nA\rB\r\r\u{1E}WEBVTT\n\n00:02.500 --> 00:03.000\nA\nB\n",
        ],
        words: [
            "WEBVTT", "X-TIMESTAMP-MAP=", "MPEGTS:", ",LOCAL:", "00:00:00.000", " --> ", "-->", "\n\n", "\r\n",
            "\u{1E}",
            "NOTE", "STYLE", "REGION", "<00:00:01.000>", "<", ":", "99999:59:59.999", "18446744073709551615", "\u{0}",
            "\u{FEFF}", "é", "\u{2028}",
        ]
    ) { buffer in
        // The first byte says whether the beginning of the video is known.
        let origins: [UInt64?] = [nil, 0, 900_000, .max]
        let origin = origins[Int(buffer.first ?? 0) % origins.count]
        var joiner = WebVTTJoiner(origin: origin)
        var taken = 0
        for (number, segment) in buffer.split(separator: 0x1E, omittingEmptySubsequences: false).enumerated() {
            do { try joiner.add(Array(segment), start: .seconds(number * 6)) } catch { continue }
            taken += segment.count
        }
        let text = joiner.joined()
        try promise(text.utf8.count <= 8 * taken + 64, "\(taken) bytes became \(text.utf8.count)")
        var again = WebVTTJoiner()
        do { try again.add(Array(text.utf8), start: .zero) } catch {
            throw BrokenPromise(description: "what was joined isn't WebVTT:\n\(text)")
        }
        try promise(again.skippedCount == 0, "\(again.skippedCount) of what was joined can't be read:\n\(text)")
        return taken > 0
    }
}
