import Testing

@testable import HLSMedia

@Suite("room for the index of an MP4")
struct IndexRoomTests {
    static let sizes: [(seconds: Double, size: Int64, room: Int32?)] = [
        (0, 6_553_600, 65_536), (0, 6_553_599, nil), (3600, 1 << 30, 7_265_536), (3600, 693 << 20, 7_265_536),
        (3600, 692 << 20, nil), (1, 0, nil), (-5, 1 << 30, 65_536), (1e9, .max, nil), (.infinity, .max, nil),
        (.nan, .max, nil),
    ]

    @Test("it is a hundredth of the file at most", arguments: sizes)
    func size(seconds: Double, size: Int64, room: Int32?) {
        #expect(IndexRoom(seconds: seconds, fileSize: size)?.bytes == room)
    }

    @Test(
        "an index that is larger than its room lies over the media",
        arguments: [
            (65_528, true), (65_529, false), (65_536, false), (8, true), (0, false), (7, false), (1 << 31, false),
        ])
    func fits(length: UInt32, isWithin: Bool) throws {
        let room = try #require(IndexRoom(seconds: 0, fileSize: 1 << 30))
        let file = box("ftyp", 32) + [UInt8](repeating: 0, count: 24) + box("moov", length)
        #expect(room.holdsIndex { place, count in Array(file.dropFirst(Int(place)).prefix(count)) } == isWithin)
    }

    @Test("nothing else may be where the index belongs", arguments: ["mdat", "free", "\0\0\0\0"])
    func other(name: String) throws {
        let room = try #require(IndexRoom(seconds: 0, fileSize: 1 << 30))
        for file in [box("ftyp", 8) + box(name, 100), box(name, 8) + box("moov", 100), box("ftyp", 8), []] {
            #expect(!room.holdsIndex { place, count in Array(file.dropFirst(Int(place)).prefix(count)) })
        }
    }

    private func box(_ name: String, _ length: UInt32) -> [UInt8] {
        withUnsafeBytes(of: length.bigEndian) { Array($0) } + Array(name.utf8)
    }
}
