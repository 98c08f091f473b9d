/// The boxes of ISO base media that stand one after the other in some bytes. Related: ISO/IEC 14496-12 §4.2.
///
/// It ends where a box is shorter than its own header. One that is longer than the bytes is given as far as it is there, and
/// is the last.
struct MP4Boxes: Sequence, IteratorProtocol {
    /// One of them.
    struct Box {
        var name: MP4BoxName
        /// What is behind the header.
        var body: UnsafeRawBufferPointer
        /// Whether the bytes hold all of it.
        var isWhole: Bool

        /// The boxes in it, if it is one that holds boxes and nothing else.
        var boxes: MP4Boxes { MP4Boxes(body) }
    }

    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// The next one.
    mutating func next() -> Box? {
        guard let header = MP4BoxHeader(rest) else { return nil }
        let length = header.length == 0 ? UInt64(rest.count) : header.length
        let end = Int(Swift.min(length, UInt64(rest.count)))
        let body = UnsafeRawBufferPointer(rebasing: rest[header.size..<end])
        let isWhole = length <= UInt64(rest.count)
        rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        return Box(name: header.name, body: body, isWhole: isWhole)
    }

    /// The first one of a name that is all there.
    func first(_ name: MP4BoxName) -> Box? { first { $0.name == name && $0.isWhole } }
}
