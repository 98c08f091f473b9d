/// The consecutive elements of WebM in some bytes. Related: RFC 8794.
///
/// The sequence ends at an element whose header is truncated or invalid. An element that extends beyond the bytes, or
/// whose size is unknown, is returned as far as it exists, and is the last.
struct EBMLElements: Sequence, IteratorProtocol {
    struct Element {
        var name: UInt32
        /// The contents after the header.
        var body: UnsafeRawBufferPointer
        /// The offset of the contents in the bytes of the sequence.
        var place: Int
        /// The length of the contents in bytes; nil if unknown.
        var size: UInt64?

        /// Whether it is complete.
        var isWhole: Bool { size == UInt64(body.count) }

        /// The elements in it.
        var elements: EBMLElements { EBMLElements(body) }

        /// Its contents as a number; nil for more than 8 bytes.
        var number: UInt64? {
            guard isWhole, body.count <= 8 else { return nil }
            return body.reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// Its contents as a floating-point number; nil for another length than 4 or 8 bytes.
        var decimal: Double? {
            guard isWhole else { return nil }
            switch body.count {
            case 4: return body.big(UInt32.self, at: 0).map { Double(Float(bitPattern: $0)) }
            case 8: return body.big(UInt64.self, at: 0).map { Double(bitPattern: $0) }
            default: return nil
            }
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> Element? {
        guard place < bytes.count else { return nil }
        let nameLength = bytes[place].leadingZeroBitCount + 1
        guard nameLength <= 4, place + nameLength < bytes.count else { return nil }
        let name = bytes[place..<place + nameLength].reduce(0) { $0 << 8 | UInt32($1) }
        let start = place + nameLength
        let sizeLength = bytes[start].leadingZeroBitCount + 1
        guard sizeLength <= 8, start + sizeLength <= bytes.count else { return nil }
        let raw = bytes[start..<start + sizeLength].reduce(0) { $0 << 8 | UInt64($1) }
        let most = UInt64(1) << UInt64(7 * sizeLength) - 1
        let size = raw & most == most ? nil : raw & most
        let body = start + sizeLength
        let end = Swift.min(size ?? .max, UInt64(bytes.count - body))
        place = body + Int(end)
        return Element(
            name: name, body: UnsafeRawBufferPointer(rebasing: bytes[body..<place]), place: body, size: size)
    }

    /// The first one with a name.
    func first(_ name: UInt32) -> Element? { first { $0.name == name } }
}
