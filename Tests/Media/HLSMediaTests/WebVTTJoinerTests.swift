import HLSMedia
import SeededGenerator
import Testing

@Suite("joined subtitles")
struct WebVTTJoinerTests {
    /// Joins segments that begin at multiples of 6 seconds, or of what is given.
    static func join(_ segments: [String], origin: UInt64? = nil) throws -> (
        text: String, skipped: Int
    ) {
        var joiner = WebVTTJoiner(origin: origin)
        for (number, segment) in segments.enumerated() {
            try joiner.add(Array(segment.utf8), start: .seconds(number * 6))
        }
        let text = joiner.joined()
        return (text, joiner.skippedCount)
    }

    static func file(_ cues: String...) -> String { "WEBVTT\n" + cues.map { "\n" + $0 + "\n" }.joined() }

    static func map(_ media: UInt64, _ rest: String) -> String { map(media, "00:00:00.000", rest) }

    static func map(_ media: UInt64, _ local: String, _ rest: String) -> String {
        "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:\(media),LOCAL:\(local)\n\n" + rest
    }

    typealias Row = (what: String, segments: [String], joined: String, skipped: Int)

    static let forms: [Row] = [
        ("nothing", [], "WEBVTT\n", 0),
        ("segments without cues", ["WEBVTT", "WEBVTT\n\n", "", "\r\n", "\u{FEFF}WEBVTT - x\n"], "WEBVTT\n", 0),
        (
            "BOM, CRLF, CR, tabs, no hours",
            ["\u{FEFF}WEBVTT\tKind\r\n\r\n00:01.000\t-->\t00:02.500\r\nA\rB\r\r00:03.000-->00:04.000\rC"],
            file("00:00:01.000 --> 00:00:02.500\nA\nB", "00:00:03.000 --> 00:00:04.000\nC"), 0
        ),
        (
            "identifiers and settings are kept",
            ["WEBVTT\n\none: 1\n00:01.000 --> 00:02.000   align:start  position:10%  \nA\n"],
            file("one: 1\n00:00:01.000 --> 00:00:02.000 align:start  position:10%\nA"), 0
        ),
        (
            "long hours, and a comma as other formats have it",
            ["WEBVTT\n\n100:00:01,000 --> 100:00:02.000\nA\n"], file("100:00:01.000 --> 100:00:02.000\nA"), 0
        ),
        (
            "a cue right below the header, and cues that no line divides",
            ["WEBVTT\n00:01.000 --> 00:02.000\nA\n00:02.000 --> 00:03.000\nB\n"],
            file("00:00:01.000 --> 00:00:02.000\nA", "00:00:02.000 --> 00:00:03.000\nB"), 0
        ),
        ("a cue without text", ["WEBVTT\n\n00:01.000 --> 00:02.000"], file("00:00:01.000 --> 00:00:02.000"), 0),
        (
            "what can't be read is passed over and counted",
            [
                "WEBVTT\n\n00:01.000 --> 00:02\nA\n\n00:61.000 --> 00:62.000\nB\n\n0:02.000 -> 00:03.000\nC\n\n"
                    + "00:05.000 --> 00:05.000\nD\n\nE\n\nF\nG\n00:01.000 --> 00:02.000\nH\n\n"
                    + "00:01.000 --> 00:02.000x\nI\n\n999999:00:01.000 --> 999999:00:02.000\nJ\n\n-->\n\n"
                    + "00:07.000 --> 00:08.000\nK"
            ], file("00:00:07.000 --> 00:00:08.000\nK"), 9
        ),
        (
            "blocks stand once, before the cues",
            [
                "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE x\n\n00:01.000 --> 00:02.000\nA\n\nNOTE\ny\n",
                "WEBVTT\n\nSTYLE \n::cue { color: red }\n\nSTYLE\n::cue { color: red }\n\nNOTE z\n\n00:07.000 --> 00:08.000\nB\n",
            ],
            file(
                "STYLE\n::cue { color: red }", "REGION\nid:a", "NOTE x", "NOTE\ny", "STYLE \n::cue { color: red }",
                "NOTE z",
                "00:00:01.000 --> 00:00:02.000\nA", "00:00:07.000 --> 00:00:08.000\nB"), 0
        ),
        (
            "words that only begin like blocks are identifiers",
            ["WEBVTT\n\nNOTEBOOK\n00:01.000 --> 00:02.000\nA\n\nSTYLE one\n00:03.000 --> 00:04.000\nB\n"],
            file("NOTEBOOK\n00:00:01.000 --> 00:00:02.000\nA", "STYLE one\n00:00:03.000 --> 00:00:04.000\nB"), 0
        ),
        (
            "by their start, those of one start as they came",
            ["WEBVTT\n\n00:03.000 --> 00:04.000\nB\n\n00:01.000 --> 00:02.000\nA\n\n00:03.000 --> 00:05.000\nC\n"],
            file(
                "00:00:01.000 --> 00:00:02.000\nA", "00:00:03.000 --> 00:00:04.000\nB",
                "00:00:03.000 --> 00:00:05.000\nC"), 0
        ),
        (
            "NUL is replaced", ["WEBVTT\n\n00:01.000 --> 00:02.000\nA\0B\n"],
            file("00:00:01.000 --> 00:00:02.000\nA\u{FFFD}B"), 0
        ),
    ]

    static let times: [Row] = [
        (
            "without a map from the beginning of the stream",
            ["WEBVTT\n\n00:01.000 --> 00:02.000\nA\n", "WEBVTT\n\n00:07.000 --> 00:08.000\nB\n"],
            file("00:00:01.000 --> 00:00:02.000\nA", "00:00:07.000 --> 00:00:08.000\nB"), 0
        ),
        (
            "without a map from the beginning of the segment, if all are over before it",
            ["WEBVTT\n\n00:01.000 --> 00:02.000\nA\n", "WEBVTT\n\n00:01.500 --> 00:02.000\nB <00:01.700>b\n"],
            file("00:00:01.000 --> 00:00:02.000\nA", "00:00:07.500 --> 00:00:08.000\nB <00:00:07.700>b"), 0
        ),
        (
            "one map for all",
            [map(900_000, "00:01.000 --> 00:02.000\nA\n"), map(900_000, "00:07.000 --> 00:08.000\nB\n")],
            file("00:00:01.000 --> 00:00:02.000\nA", "00:00:07.000 --> 00:00:08.000\nB"), 0
        ),
        (
            "a map for each segment, to its beginning",
            [
                map(900_000, "WEBVTTX\n"), map(900_000 + 540_000, "00:01.000 --> 00:02.000\nA\n"),
                map(900_000 + 1_080_000, "00:01.000 --> 00:02.000\nA\n"),
            ], file("00:00:07.000 --> 00:00:08.000\nA", "00:00:13.000 --> 00:00:14.000\nA"), 1
        ),
        (
            "a map for each segment, the first one without a map",
            [
                "WEBVTT\n", map(1_440_000, "00:01.000 --> 00:02.000\nA\n"),
                map(1_980_000, "00:01.000 --> 00:02.000\nB\n"),
            ], file("00:00:07.000 --> 00:00:08.000\nA", "00:00:13.000 --> 00:00:14.000\nB"), 0
        ),
        (
            "a map for each segment, with the segment's time",
            [
                map(900_000, "00:00:00.000", "00:01.000 --> 00:02.000\nA\n"),
                map(1_440_000, "00:00:06.000", "00:07.000 --> 00:08.000\nB\n"),
            ], file("00:00:01.000 --> 00:00:02.000\nA", "00:00:07.000 --> 00:00:08.000\nB"), 0
        ),
        (
            "by the clock of the day",
            [
                map(
                    5_000_000_000, "12:00:00.000",
                    "12:00:01.000 --> 12:00:02.000 line:0\nA <12:00:01.500><c>b</c> <x>\n")
            ],
            file("00:00:01.000 --> 00:00:02.000 line:0\nA <00:00:01.500><c>b</c> <x>"), 0
        ),
        (
            "across the wrap of 33 bits",
            [
                map((1 << 33) - 90_000, "00:00.500 --> 00:02.000\nA\n"),
                map(450_000, "00:00.500 --> 00:02.000\nB\n"),
            ], file("00:00:00.500 --> 00:00:02.000\nA", "00:00:06.500 --> 00:00:08.000\nB"), 0
        ),
        (
            "parts of a map in the other order, with blanks, behind an empty line",
            ["WEBVTT\n\nX-TIMESTAMP-MAP=LOCAL:00:01:00.000, MPEGTS: 90000\n\n01:01.000 --> 01:02.000\nA\n"],
            file("00:00:01.000 --> 00:00:02.000\nA"), 0
        ),
        (
            "maps that can't be read are none",
            [
                "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:x,LOCAL:00:00:09.000\n\n00:01.000 --> 00:02.000\nA\n",
                "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000\n\n00:07.000 --> 00:08.000\nB\n",
            ], file("00:00:01.000 --> 00:00:02.000\nA", "00:00:07.000 --> 00:00:08.000\nB"), 2
        ),
        (
            "what lies before the beginning is cut off, or left out",
            [map(0, "00:00:10.000", "00:09.000 --> 00:11.000\nA\n\n00:08.000 --> 00:10.000\nB\n")],
            file("00:00:00.000 --> 00:00:01.000\nA"), 1
        ),
    ]

    static let repetitions: [Row] = [
        (
            "a cue that each segment carries",
            [
                "WEBVTT\n\n00:05.000 --> 00:13.000\nA\n", "WEBVTT\n\n00:05.000 --> 00:13.000\nA\n",
                "WEBVTT\n\nx\n00:05.000 --> 00:13.000\nA\n",
            ],
            file("00:00:05.000 --> 00:00:13.000\nA"), 0
        ),
        (
            "all cues in each segment",
            [
                "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n\n00:07.000 --> 00:08.000\nA\n",
                "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n\n00:07.000 --> 00:08.000\nA\n",
            ], file("00:00:01.000 --> 00:00:02.000\nA", "00:00:07.000 --> 00:00:08.000\nA"), 0
        ),
        (
            "one that was cut at the border, twice",
            [
                "WEBVTT\n\n00:05.000 --> 00:06.000\nA\n", "WEBVTT\n\n00:06.000 --> 00:12.000\nA\n",
                "WEBVTT\n\n00:12.000 --> 00:13.000\nA\n",
            ],
            file("00:00:05.000 --> 00:00:13.000\nA"), 0
        ),
        (
            "one that is longer in the next segment",
            ["WEBVTT\n\n00:05.000 --> 00:06.000\nA\n", "WEBVTT\n\n00:05.000 --> 00:09.000\nA\n"],
            file("00:00:05.000 --> 00:00:09.000\nA"), 0
        ),
        (
            "the same a millisecond apart, by rounding",
            [map(900_000, "00:07.000 --> 00:08.000\nA\n"), map(900_060, "00:07.000 --> 00:08.000\nA\n")],
            file("00:00:07.000 --> 00:00:08.001\nA"), 0
        ),
        (
            "one that was cut at the border, a millisecond apart by rounding",
            [map(900_000, "00:05.000 --> 00:06.000\nA\n"), map(900_060, "00:06.000 --> 00:07.000\nA\n")],
            file("00:00:05.000 --> 00:00:07.001\nA"), 0
        ),
        (
            "not in one segment",
            ["WEBVTT\n\n00:01.000 --> 00:02.000\nA\n\n00:02.000 --> 00:03.000\nA\n"],
            file("00:00:01.000 --> 00:00:02.000\nA", "00:00:02.000 --> 00:00:03.000\nA"), 0
        ),
        (
            "not with another identifier, another setting or another text",
            [
                "WEBVTT\n\n1\n00:05.000 --> 00:06.000\nA\n\n00:05.000 --> 00:06.000 line:1\nB\n\n00:05.000 --> 00:06.000\nC\n",
                "WEBVTT\n\n2\n00:06.000 --> 00:07.000\nA\n\n00:06.000 --> 00:07.000 line:2\nB\n\n00:06.000 --> 00:07.000\nc\n",
            ],
            file(
                "1\n00:00:05.000 --> 00:00:06.000\nA", "00:00:05.000 --> 00:00:06.000 line:1\nB",
                "00:00:05.000 --> 00:00:06.000\nC",
                "2\n00:00:06.000 --> 00:00:07.000\nA", "00:00:06.000 --> 00:00:07.000 line:2\nB",
                "00:00:06.000 --> 00:00:07.000\nc"),
            0
        ),
        (
            "not with a gap, nor a segment between",
            [
                "WEBVTT\n\n00:05.000 --> 00:05.900\nA\n\n00:05.000 --> 00:12.000\nB\n",
                "WEBVTT\n\n00:06.000 --> 00:07.000\nA\n",
                "WEBVTT\n\n00:12.000 --> 00:13.000\nB\n",
            ],
            file(
                "00:00:05.000 --> 00:00:05.900\nA", "00:00:05.000 --> 00:00:12.000\nB",
                "00:00:06.000 --> 00:00:07.000\nA",
                "00:00:12.000 --> 00:00:13.000\nB"), 0
        ),
    ]

    @Test("segments become one file", arguments: forms + times + repetitions)
    func joined(row: Row) throws {
        let joined = try Self.join(row.segments)
        #expect(joined.text == row.joined, "\(row.what)")
        #expect(joined.skipped == row.skipped, "\(row.what)")
    }

    @Test("joining a joined file doesn't change it", arguments: forms + times + repetitions)
    func again(row: Row) throws {
        #expect(try Self.join([row.joined]).text == row.joined, "\(row.what)")
    }

    @Test("cues that are moved beyond the last time are cut off there, so that what was joined can be read")
    func lastTime() throws {
        // Ten seconds later.
        let cues = [
            "00:01.000 --> 00:02.000\nA", "99999:59:45.000 --> 99999:59:55.000\nB <99999:59:58.000>b",
            "99999:59:55.000 --> 99999:59:57.000\nC",
        ]
        let joined = try Self.join([Self.map(900_000, cues.joined(separator: "\n\n"))], origin: 0)
        let moved = [
            "00:00:11.000 --> 00:00:12.000\nA", "99999:59:55.000 --> 99999:59:59.999\nB <99999:59:59.999>b",
        ]
        #expect(joined.text == Self.file(moved[0], moved[1]))
        #expect(joined.skipped == 1)
        let again = try Self.join([joined.text])
        #expect(again.text == joined.text && again.skipped == 0)
    }

    @Test(
        "times are relative to the beginning of the video, if it is known",
        arguments: [
            (0, "00:00:11.000"), (900_000, "00:00:01.000"), (450_000, "00:00:06.000"),
            ((1 << 33) - 90_000, "00:00:12.000"),
        ]
            as [(UInt64, String)])
    func origin(ticks: UInt64, start: String) throws {
        let text = try Self.join([Self.map(900_000, "00:01.000 --> 00:02.000\nA\n")], origin: ticks).text
        #expect(text.contains("\n" + start + " --> "), "\(text)")
    }

    @Test("times are right after days")
    func days() throws {
        var joiner = WebVTTJoiner()
        for hour in stride(from: 0, through: 60, by: 10) {
            let media = UInt64(hour * 3600) * 90_000 % (1 << 33)
            try joiner.add(
                Array(Self.map(media, "00:01.000 --> 00:02.000\n\(hour)\n").utf8), start: .seconds(hour * 3600))
        }
        let text = joiner.joined()
        for hour in ["00", "10", "20", "30", "40", "50", "60"] {
            #expect(text.contains("\n\(hour):00:01.000 --> "), "\(text)")
        }
    }

    @Test(
        "text that isn't WebVTT is refused",
        arguments: [
            "<html>", "WEBVTTX\n\n", "webvtt\n", "1\n00:00:01,000 --> 00:00:02,000\nA\n", "\u{FEFF}\u{FEFF}WEBVTT\n",
        ])
    func refused(text: String) {
        #expect(throws: WebVTTError.notWebVTT) { try Self.join(["WEBVTT\n", text]) }
    }

    @Test("the text is bounded, and the part before the bound stays")
    func textBound() throws {
        var joiner = WebVTTJoiner()
        try joiner.add(Array("WEBVTT\n\n00:01.000 --> 00:02.000\nA\n".utf8), start: .zero)
        let large = [UInt8](repeating: 0x0A, count: WebVTTJoiner.textBound)
        #expect(throws: WebVTTError.tooLarge) { try joiner.add(large, start: .seconds(6)) }
        #expect(joiner.joined() == Self.file("00:00:01.000 --> 00:00:02.000\nA"))
    }

    @Test("absurd starts and times don't trap")
    func absurd() throws {
        let text = Self.map(.max, "99999:59:59.999", "00:00.000 --> 99999:59:59.999\nA <99999:00:00.000>\n")
        for start in [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(-1)] {
            for origin in [nil, 0, UInt64.max] {
                var joiner = WebVTTJoiner(origin: origin)
                try joiner.add(Array(text.utf8), start: start)
                try joiner.add(Array(Self.map(0, "00:00.000 --> 00:01.000\nB\n").utf8), start: start)
                #expect(joiner.joined().hasPrefix("WEBVTT\n"))
            }
        }
    }

    @Test("files with a few wrong bytes never trap")
    func mutations() {
        var generator = SeededGenerator(seed: 5)
        for row in Self.forms + Self.times + Self.repetitions {
            for _ in 0..<30 {
                var joiner = WebVTTJoiner()
                for (number, segment) in row.segments.enumerated() where !segment.isEmpty {
                    var bytes = Array(segment.utf8)
                    for _ in 0..<4 {
                        let byte: UInt8? = [0x00, 0x0A, 0x0D, 0x20, 0x2D, 0x3A, 0x3E, 0x39, 0xFF].randomElement(
                            using: &generator)
                        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = byte ?? 0
                    }
                    try? joiner.add(bytes, start: .seconds(number * 6))
                }
                let text = joiner.joined()
                #expect(text.hasPrefix("WEBVTT\n"))
            }
        }
    }
}
