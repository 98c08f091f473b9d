import Testing

@testable import HLSMedia

@Suite("WebM")
struct WebMTests {
    private static func element(_ name: [UInt8], _ body: [UInt8]) -> [UInt8] {
        name + [0x40 | UInt8(body.count >> 8), UInt8(body.count & 255)] + body
    }

    private static let unknownSize: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    private static let header = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x86], [1]))
    /// A unit of a tenth of a second, and a length of 95 units.
    private static let info = element(
        [0x15, 0x49, 0xA9, 0x66],
        element([0x2A, 0xD7, 0xB1], [0x05, 0xF5, 0xE1, 0x00]) + element([0x44, 0x89], [0x42, 0xBE, 0, 0]))

    private static func cluster(_ time: UInt8) -> [UInt8] {
        element([0x1F, 0x43, 0xB6, 0x75], element([0xE7], [time]) + element([0xA3], [0x81, 0, 0, 0, 7]))
    }

    private static func cue(_ time: UInt8, _ position: UInt8) -> [UInt8] {
        element([0xBB], element([0xB3], [time]) + element([0xB7], element([0xF7], [1]) + element([0xF1], [position])))
    }

    private static func cues(_ points: [UInt8]...) -> [UInt8] {
        element([0x1C, 0x53, 0xBB, 0x6B], points.flatMap(\.self))
    }

    private static let start = header + [0x18, 0x53, 0x80, 0x67] + unknownSize + info

    @Test("an initialization section and a cluster are recognized, other elements and random names aren't")
    func kinds() {
        #expect(MediaKind.recognize(Self.start) == .webM && MediaKind.recognize(Self.cluster(3)) == .webM)
        #expect(MediaKind.recognize(Array(Self.cluster(3).prefix(9))) == .webM)
        #expect(MediaKind.recognize(Self.cues(Self.cue(0, 1))) == nil)
        #expect(MediaKind.recognize([0x1F, 0x43, 0xB6, 0x75]) == nil)
        #expect(MediaKind.recognize([0x1F, 0x43, 0xB6, 0x75, 0x81, 0x77]) == nil)
    }

    @Test("the time of its first cluster is its beginning, in the unit of its header")
    func clock() {
        #expect(MediaClock.begin(of: Self.start + Self.cluster(12), kind: .webM)?.ticks == 108_000)
        #expect(MediaClock.begin(of: Self.start, kind: .webM) == nil)
        #expect(MediaClock.begin(of: Self.cluster(12), kind: .webM) == nil)
    }

    @Test("cues give the clusters' ranges and times; those behind the clusters are the end of the last one")
    func index() throws {
        let place = Int64(Self.header.count + 12)
        let points = Self.cues(Self.cue(0, 50), Self.cue(40, 90), Self.cue(45, 90), Self.cue(80, 120))
        let index = try SegmentIndex.read(cues: points, at: place + 200, header: Self.start)
        #expect(
            index.entries.map(\.range) == [
                place + 50..<place + 90, place + 90..<place + 120, place + 120..<place + 200,
            ])
        #expect(index.entries.map(\.start) == [0, 4, 8] && index.entries.map(\.duration) == [4, 4, 1.5])
    }

    @Test("in front of the clusters they need a length of the file; what isn't in order is refused")
    func refused() throws {
        let points = Self.cues(Self.cue(0, 50), Self.cue(40, 90))
        #expect(throws: SegmentIndexError.invalid) { try SegmentIndex.read(cues: points, at: 20, header: Self.start) }
        let sized = Self.header + [0x18, 0x53, 0x80, 0x67, 0x44, 0x00] + Self.info
        let place = Int64(Self.header.count + 6)
        let index = try SegmentIndex.read(cues: points, at: 20, header: sized)
        #expect(index.entries.last?.range == place + 90..<place + 1024)
        for other in [
            Self.cues(Self.cue(0, 90), Self.cue(40, 50)), Self.cues(Self.cue(40, 50), Self.cue(0, 90)), Self.cues(),
        ] {
            #expect(throws: SegmentIndexError.invalid) { try SegmentIndex.read(cues: other, at: 900, header: sized) }
        }
        #expect(throws: SegmentIndexError.missing) { try SegmentIndex.read(cues: [0xBB], at: 0, header: sized) }
        #expect(throws: SegmentIndexError.invalid) { try SegmentIndex.read(cues: points, at: 0, header: Self.header) }
    }
}
