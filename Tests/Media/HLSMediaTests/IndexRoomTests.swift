import HLSMedia
import Testing

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
}
