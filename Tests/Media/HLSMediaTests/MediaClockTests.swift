import HLSMedia
import SeededGenerator
import Testing

@Suite("the start time of a stream's media")
struct MediaClockTests {
    typealias Row = (what: String, bytes: [UInt8], kind: MediaKind, ticks: UInt64?)

    static let last: UInt64 = 1 << 33 - 1
    static let filler = Samples.packet(0x1FFF, isStart: false, payload: [UInt8](repeating: 0, count: 184))
    static let continued = Samples.packet(256, isStart: false, payload: [UInt8](repeating: 1, count: 184))

    static func pes(_ program: UInt16, _ stream: UInt8, _ time: UInt64?, body: [UInt8] = [9, 9, 9]) -> [UInt8] {
        Samples.packet(program, payload: Samples.pes(stream, time, body: body))
    }

    static func stream(_ packets: [UInt8]...) -> [UInt8] { packets.flatMap { $0 } + filler + filler }

    static func changed(_ bytes: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
        var bytes = bytes
        for (place, value) in changes { bytes[place] = value }
        return bytes
    }

    /// A header of a packet's length that stands in two packets, cut after so many bytes.
    static func cut(_ head: [UInt8], after count: Int) -> [UInt8] {
        Samples.packet(256, payload: Array(head.prefix(count)))
            + Samples.packet(256, isStart: false, payload: Array(head.dropFirst(count)))
    }

    static let transportStreams: [Row] = [
        ("video", stream(pes(256, 0xE0, 900_000)), .transportStream, 900_000),
        ("every bit of a time", stream(pes(256, 0xE0, 0x1_5A5A_C3C3)), .transportStream, 0x1_5A5A_C3C3),
        ("all bits set", stream(pes(256, 0xE0, last)), .transportStream, last),
        ("time 0", stream(pes(256, 0xE0, 0)), .transportStream, 0),
        (
            "the earliest of video and audio", stream(pes(256, 0xE0, 900_000), continued, pes(257, 0xC0, 899_000)),
            .transportStream, 899_000
        ),
        ("the earliest around the end", stream(pes(256, 0xE0, 50), pes(257, 0xDF, last)), .transportStream, last),
        ("the same, the other way", stream(pes(257, 0xC0, last), pes(256, 0xEF, 50)), .transportStream, last),
        (
            "only the first time of a stream", stream(pes(256, 0xE0, 9000), pes(256, 0xE0, 7000)), .transportStream,
            9000
        ),
        (
            "the first that has a time", stream(pes(256, 0xE0, nil), continued, pes(256, 0xE0, 7000)),
            .transportStream, 7000
        ),
        ("AC-3", stream(pes(258, 0xBD, 777, body: [0x0B, 0x77, 0, 0])), .transportStream, 777),
        (
            "timed metadata are no media", stream(pes(258, 0xBD, 1, body: Array("ID3".utf8)), pes(256, 0xE0, 88)),
            .transportStream, 88
        ),
        ("a stream of something else", stream(pes(256, 0xF2, 1), pes(257, 0xBF, 2)), .transportStream, nil),
        ("tables", stream(pes(0, 0xE0, 5), pes(0xF, 0xE0, 5), pes(0x1FFF, 0xE0, 5)), .transportStream, nil),
        ("a packet with an error", stream(changed(pes(256, 0xE0, 5), [1: 0xC1])), .transportStream, nil),
        (
            "a scrambled packet behind",
            stream(pes(256, 0xE0, 9), filler, filler, filler, filler, changed(pes(257, 0xC0, 5), [3: 0xF0])),
            .transportStream, 9
        ),
        ("a start in the middle", stream(continued, filler, pes(256, 0xE0, 5)), .transportStream, 5),
        ("no PES packet", stream(changed(pes(256, 0xE0, 5), [188 - 15: 7])), .transportStream, nil),
        (
            "an adaptation field that is too long", stream(filler, filler, changed(pes(256, 0xE0, 5), [4: 255])),
            .transportStream, nil
        ),
        ("a tag in front", Samples.id3(body: 63) + stream(pes(256, 0xE0, 5)), .transportStream, 5),
        (
            "bytes in front",
            [UInt8](repeating: 1, count: 70) + stream(filler, filler, filler, pes(256, 0xE0, 5)),
            .transportStream, 5
        ),
        (
            "bytes between",
            stream(
                pes(256, 0xE0, 9), filler, filler, filler, filler, [1, 2, 3], filler, filler, filler, filler,
                pes(257, 0xC0, 5)),
            .transportStream, 5
        ),
        ("nothing but filler", stream(filler, filler), .transportStream, nil),
    ]

    static let cuts: [Row] = (1..<25).map { count in
        let head = Samples.pes(0xBD, 4321, more: 5, body: [0x0B, 0x77, 1, 1, 1, 1])
        return ("a header cut after \(count)", stream(cut(head, after: count)), .transportStream, 4321)
    }

    static func tagged(_ tag: [UInt8]) -> [UInt8] { tag + Samples.adts(frames: 3) }

    static let private4 = Samples.frame(Samples.timestamp(900_000))
    static let title = Samples.frame(name: "TIT2", [3, 65, 66])

    static let packed: [Row] = [
        ("a tag", tagged(Samples.tag(private4)), .adts, 900_000),
        ("every kind of packed audio", Samples.tag(private4) + Samples.eac3(frames: 2), .eac3, 900_000),
        ("version 2.3", tagged(Samples.tag(version: 3, private4)), .adts, 900_000),
        ("33 bits", tagged(Samples.tag(Samples.frame(Samples.timestamp(.max)))), .adts, last),
        ("behind other frames", tagged(Samples.tag(title + Samples.frame([1]) + title + private4)), .adts, 900_000),
        ("before padding", tagged(Samples.tag(private4 + [0, 0, 0])), .adts, 900_000),
        ("behind padding", tagged(Samples.tag([UInt8](repeating: 0, count: 20) + private4)), .adts, nil),
        ("in the second tag", tagged(Samples.tag(title) + Samples.tag(private4)), .adts, 900_000),
        ("an extended header", tagged(Samples.tag(flags: 0x40, [0, 0, 0, 6, 1, 0] + private4)), .adts, 900_000),
        (
            "one of version 2.3",
            tagged(Samples.tag(version: 3, flags: 0x40, [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + private4)),
            .adts, 900_000
        ),
        (
            "one that is too long",
            tagged(Samples.tag(version: 3, flags: 0x40, [255, 255, 255, 255, 0, 0] + private4)), .adts,
            nil
        ),
        (
            "a group and a length",
            tagged(Samples.tag(Samples.frame(flags: 0x41, [7, 0, 0, 0, 53] + Samples.timestamp(5)))),
            .adts, 5
        ),
        ("compressed", tagged(Samples.tag(Samples.frame(flags: 8, Samples.timestamp(5)))), .adts, nil),
        (
            "unsynchronized",
            tagged(Samples.tag(Samples.frame(flags: 2, Samples.timestamp(0).dropLast(3) + [0xFF, 0, 0xE0, 1]))),
            .adts, 0xFFE001
        ),
        (
            "unsynchronized in version 2.3",
            tagged(
                Samples.tag(
                    version: 3, flags: 0x80,
                    Array(Samples.frame(Samples.timestamp(0)).dropLast(3)) + [0xFF, 0, 0xE0, 1])),
            .adts, 0xFFE001
        ),
        ("version 2.2", tagged(Samples.tag(version: 2, private4)), .adts, nil),
        ("another owner", tagged(Samples.tag(changed(private4, [10: 0x43]))), .adts, nil),
        ("too short a number", tagged(Samples.tag(Samples.frame(Samples.timestamp(5).dropLast()))), .adts, nil),
        ("a frame longer than the tag", tagged(Samples.tag(changed(private4, [7: 0x7F]))), .adts, nil),
        ("no tag", Samples.adts(frames: 3), .adts, nil), ("nothing", [], .adts, nil),
    ]

    static let movie =
        Samples.box("ftyp", body: 16)
        + Samples.box(
            "moov",
            Samples.timeHeader("mvhd", 0, timescale: 1000) + Samples.track(1, timescale: 12_800)
                + Samples.track(2, 1, handler: "soun", timescale: 48_000) + Samples.box("mvex", body: 40))

    static func fragments(_ fragments: [UInt8]...) -> [UInt8] {
        movie + fragments.flatMap { Samples.box("styp", body: 16) + $0 + Samples.box("mdat", body: 50) }
    }

    /// A fragment at 1 s, of a track with an edit list.
    static func waiting(_ version: UInt8, _ edits: [(length: UInt64, place: UInt64?)]) -> [UInt8] {
        let track = Samples.track(1, timescale: 12_800, edits: Samples.edits(version, edits))
        return Samples.box("moov", Samples.timeHeader("mvhd", 0, timescale: 1000) + track)
            + Samples.fragment([(1, 0, 12_800)])
    }

    static let mp4: [Row] = [
        (
            "the earliest track", fragments(Samples.fragment([(1, 0, 128_000), (2, 1, 96_000)])), .fragmentedMP4,
            180_000
        ),
        ("a track of 64 bits", fragments(Samples.fragment([(2, 1, 48_000 << 32)])), .fragmentedMP4, 90_000 << 32),
        ("rounded down", fragments(Samples.fragment([(1, 0, 12_801)])), .fragmentedMP4, 90_007),
        (
            "only the first fragment", fragments(Samples.fragment([(1, 0, 25_600)]), Samples.fragment([(2, 0, 0)])),
            .fragmentedMP4, 180_000
        ),
        ("an unknown track", fragments(Samples.fragment([(3, 0, 0), (1, 0, 12_800)])), .fragmentedMP4, 90_000),
        ("an unknown version", fragments(Samples.fragment([(1, 2, 12_800)])), .fragmentedMP4, nil),
        ("too late", fragments(Samples.fragment([(1, 1, .max)])), .fragmentedMP4, nil),
        (
            "no unit", Samples.box("moov", Samples.track(1, timescale: 0)) + Samples.fragment([(1, 0, 5)]),
            .fragmentedMP4, nil
        ),
        ("an edit list that has it wait", waiting(0, [(1500, nil), (0, 0)]), .fragmentedMP4, 225_000),
        ("one of 64 bits", waiting(1, [(1500, nil), (0, 0)]), .fragmentedMP4, 225_000),
        ("one that only cuts off", waiting(0, [(1500, 1024)]), .fragmentedMP4, 90_000),
        ("one without edits", waiting(0, []), .fragmentedMP4, 90_000),
        ("one of an unknown version", waiting(7, [(1500, nil)]), .fragmentedMP4, 90_000),
        ("no fragment", movie, .fragmentedMP4, nil),
        ("no initialization section", Samples.fragment([(1, 0, 5)]), .fragmentedMP4, nil),
        ("one that comes too late", Samples.fragment([(1, 0, 5)]) + movie, .fragmentedMP4, nil),
        (
            "a box of a length of 64 bits",
            Samples.longBox("free", [1, 2]) + fragments(Samples.fragment([(1, 0, 12_800)])), .fragmentedMP4, 90_000
        ),
        (
            "media to the end", movie + [0, 0, 0, 0] + Array("mdat".utf8) + Samples.fragment([(1, 0, 5)]),
            .fragmentedMP4, nil
        ),
        (
            "a fragment to the end", movie + changed(Samples.fragment([(1, 0, 12_800)]), [0: 0, 1: 0, 2: 0, 3: 0]),
            .fragmentedMP4, 90_000
        ),
        (
            "a length beyond all", [0, 0, 0, 1] + Array("free".utf8) + [UInt8](repeating: 255, count: 8) + movie,
            .fragmentedMP4, nil
        ),
        ("a length less than the header's", movie + [0, 0, 0, 7] + Array("moof".utf8), .fragmentedMP4, nil),
    ]

    static let rows = transportStreams + cuts + packed + mp4

    @Test("the start time is found", arguments: rows)
    func told(row: Row) {
        let begin = MediaClock.begin(of: row.bytes, kind: row.kind)
        #expect(begin?.ticks == row.ticks, "\(row.what)")
        #expect(begin == nil || begin?.isTransport == (row.kind != .fragmentedMP4), "\(row.what)")
    }

    @Test("subtitles and web pages have no clock", arguments: [MediaKind.webVTT, .page])
    func none(kind: MediaKind) {
        for row in Self.rows { #expect(MediaClock.begin(of: row.bytes, kind: kind) == nil) }
    }

    @Test("every prefix of packed audio and fragments gives the same time, or none")
    func prefixes() {
        for row in Self.rows {
            for count in 0..<row.bytes.count {
                let begin = MediaClock.begin(of: Array(row.bytes.prefix(count)), kind: row.kind)
                if row.kind != .transportStream { #expect(begin == nil || begin?.ticks == row.ticks, "\(row.what)") }
            }
        }
    }

    @Test("wrong bytes never trap, whatever format is assumed")
    func mutations() {
        var generator = SeededGenerator(seed: 11)
        for row in Self.rows where !row.bytes.isEmpty {
            for _ in 0..<200 {
                var bytes = row.bytes
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    let place = Int.random(in: 0..<bytes.count, using: &generator)
                    bytes[place] =
                        [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                        .randomElement(using: &generator) ?? 0
                }
                for kind in [row.kind, .transportStream, .adts, .fragmentedMP4] {
                    let begin = MediaClock.begin(of: bytes, kind: kind)
                    if let begin, begin.isTransport { #expect(begin.ticks <= Self.last) }
                }
            }
        }
    }

    @Test(
        "differences take the shortest way around the clock",
        arguments: [
            (0, 90_000, 1), (90_000, 0, -1), (5, 5, 0), (last - 89_999, 0, 1), (0, last - 89_999, -1),
            (last, 89_999, 1), (0, 1 << 32, -47_721.858_844), (0, 1 << 32 - 1, 47_721.858_833),
        ] as [(UInt64, UInt64, Double)])
    func offsets(from: UInt64, to: UInt64, seconds: Double) throws {
        let offset = MediaClock.offset(from: MediaTime(transport: from), to: MediaTime(transport: to))
        #expect(abs(offset - seconds) < 0.000_001)
        // A time of fragmented MP4 is wrapped to be compared with one of Transport Stream.
        let later = try #require(MediaTime(to + 5 << 33, timescale: 90_000))
        #expect(abs(MediaClock.offset(from: MediaTime(transport: from), to: later) - seconds) < 0.000_001)
    }

    @Test("times of fragmented MP4 don't wrap")
    func unwrapped() throws {
        let (early, late) = (
            try #require(MediaTime(90, timescale: 1)), try #require(MediaTime(1_000_000, timescale: 1))
        )
        #expect(MediaClock.offset(from: early, to: late) == 999_910)
        #expect(MediaClock.offset(from: late, to: early) == -999_910)
        #expect(MediaTime(.max, timescale: 90_000)?.ticks == .max)
        #expect(MediaTime(.max, timescale: 89_999) == nil && MediaTime(0, timescale: 0) == nil)
        #expect(MediaTime(transport: .max).ticks == Self.last)
    }
}
