/// The consecutive boxes of ISO base media in some bytes. Related: ISO/IEC 14496-12 §4.2.
///
/// The sequence ends at a box shorter than its own header. A truncated box is returned as far as it exists, and is the
/// last.
struct MP4Boxes: Sequence, IteratorProtocol {
    struct Box {
        var name: MP4BoxName
        /// The contents after the header.
        var body: UnsafeRawBufferPointer
        /// Whether it is complete.
        var isWhole: Bool

        /// The boxes in it, if it is a container of boxes.
        var boxes: MP4Boxes { MP4Boxes(body) }
    }

    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func next() -> Box? {
        guard let header = MP4BoxHeader(rest) else { return nil }
        let length = header.length == 0 ? UInt64(rest.count) : header.length
        let end = Int(Swift.min(length, UInt64(rest.count)))
        let body = UnsafeRawBufferPointer(rebasing: rest[header.size..<end])
        let isWhole = length <= UInt64(rest.count)
        rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        return Box(name: header.name, body: body, isWhole: isWhole)
    }

    /// The first complete one with a name.
    func first(_ name: MP4BoxName) -> Box? { first { $0.name == name && $0.isWhole } }
}
