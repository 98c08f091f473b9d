import HLSMedia
import SeededGenerator
import Testing

@Suite("the duration of an MP4")
struct MovieLengthTests {
    static let file =
        Samples.box("ftyp", body: 16) + Samples.longBox("mdat", [UInt8](repeating: 7, count: 300))
        + Samples.box("moov", header(0) + tracks) + Samples.box("free", body: 10)

    static func header(_ version: UInt8, _ duration: UInt64 = 4500) -> [UInt8] {
        Samples.timeHeader("mvhd", version, timescale: 1000, duration: duration)
    }

    static let tracks =
        Samples.track(1, timescale: 12_800, duration: 57_600)
        + Samples.track(2, 1, handler: "soun", timescale: 48_000, duration: 96_000)
        + Samples.track(3, handler: "text", timescale: 0, duration: 96_000)
        + Samples.track(4, handler: "soun", timescale: 48_000, duration: UInt64(UInt32.max))
        + Samples.track(5, 1, handler: "vide", timescale: 48_000, duration: .max) + Samples.box("trak", body: 0)

    /// Reads bytes as a file.
    static func read(_ bytes: [UInt8]) -> MovieLength? {
        MovieLength.read { place, count in
            place < 0 || place >= bytes.count ? [] : Array(bytes[Int(place)...].prefix(count))
        }
    }

    @Test("movie and tracks are read, each in its own unit")
    func told() throws {
        let length = try #require(Self.read(Self.file))
        #expect(length.seconds == 4.5)
        #expect(length.tracks.map(\.kind) == [.video, .audio, .other, .audio, .video])
        #expect(length.tracks.map(\.seconds) == [4.5, 2, nil, nil, nil])
    }

    @Test(
        "the length of the movie, or nothing",
        arguments: [
            (0, 4500, 4.5), (1, 4500, 4.5), (1, 1000 << 32, 4_294_967_296), (0, UInt64(UInt32.max), nil),
            (1, .max, nil), (1, UInt64(UInt32.max), 4_294_967.295),
        ] as [(UInt8, UInt64, Double?)])
    func movie(version: UInt8, duration: UInt64, seconds: Double?) throws {
        let length = try #require(Self.read(Samples.box("moov", Self.header(version, duration))))
        #expect(length.seconds == seconds && length.tracks.isEmpty)
    }

    typealias Row = (what: String, bytes: [UInt8])

    static let wrong: [Row] = [
        ("nothing", []), ("something else", Array("<!DOCTYPE html><html></html>".utf8)),
        ("no moov", Samples.box("ftyp", body: 16) + Samples.box("mdat", body: 20)),
        ("a fragmented one", Samples.box("moov", header(0) + Samples.box("mvex", body: 8) + tracks)),
        ("no header", Samples.box("moov", tracks)), ("another version", Samples.box("moov", header(2))),
        ("a header in a box that is cut off", Samples.box("moov", Array(header(0).dropLast()))),
        ("media to the end", [0, 0, 0, 0] + Array("mdat".utf8) + file),
        ("a box beyond all", [0, 0, 0, 1] + Array("free".utf8) + [UInt8](repeating: 255, count: 8) + file),
        ("two boxes beyond all", farBox + farBox + file),
        ("headers that are too long", Samples.big(UInt32(64 << 20 + 1)) + Array("moov".utf8) + header(0)),
        ("too many boxes", (0..<256).flatMap { _ in Samples.box("free", body: 0) } + file),
        ("too many tracks", Samples.box("moov", header(0) + (0..<1025).flatMap { Samples.track($0, timescale: 1) })),
    ]

    static let farBox: [UInt8] = [0, 0, 0, 1] + Array("free".utf8) + [0x7F] + [UInt8](repeating: 255, count: 7)

    @Test("a file without a duration is refused", arguments: wrong)
    func nothing(row: Row) { #expect(Self.read(row.bytes) == nil, "\(row.what)") }

    @Test("offsets don't overflow, and a file is read in few pieces")
    func pieces() {
        var asked: [(Int64, Int)] = []
        // A file that is a box of almost 2⁶³ bytes wherever one looks.
        let endless = MovieLength.read { place, count in
            asked.append((place, count))
            return Self.farBox
        }
        #expect(endless == nil && asked.count == 2 && asked.allSatisfy { $0.0 >= 0 && $0.1 == 16 })
        asked = []
        let file = MovieLength.read { place, count in
            asked.append((place, count))
            return Array(Self.file[min(Int(place), Self.file.count)...].prefix(count))
        }
        #expect(file != nil && asked.map(\.0) == [0, 24, 340, 340])
    }

    @Test("errors of the reader are passed on")
    func thrown() {
        struct Broken: Error {}
        #expect(throws: Broken.self) { try MovieLength.read { _, _ throws(Broken) in throw Broken() } }
    }

    @Test("a file truncated within its headers has no duration")
    func prefixes() {
        let whole = Self.read(Self.file)
        for count in 0..<Self.file.count {
            let isThere = count >= Self.file.count - 18
            #expect(Self.read(Array(Self.file.prefix(count))) == (isThere ? whole : nil), "\(count)")
        }
    }

    @Test("wrong bytes never trap")
    func mutations() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<20_000 {
            var bytes = Self.file
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            for seconds in Self.read(bytes)?.tracks.compactMap(\.seconds) ?? [] {
                #expect(seconds >= 0 && seconds.isFinite)
            }
        }
    }
}
