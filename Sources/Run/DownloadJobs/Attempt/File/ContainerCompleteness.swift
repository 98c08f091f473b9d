import MediaTransfer

/// Whether media say themselves that they are whole: the boxes of MP4 end where the file does, the segment of WebM has
/// a length and ends there, MPEG-TS is whole packets. Other formats don't say.
enum ContainerCompleteness {
    /// Reads so many bytes at an offset.
    typealias Read = (_ offset: Int64, _ count: Int) throws(FileError) -> [UInt8]

    /// Whether a file of `length` bytes is whole by its own words. Blocks.
    static func isWhole(length: Int64, _ read: Read) throws(FileError) -> Bool {
        guard length >= 16 else { return false }
        let start = try read(0, 16)
        if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return try isWholeMatroska(length, read) }
        if start[0] == TransportPackets.mark { return try TransportPackets.isWhole(length, read) }
        return try isWholeMP4(length, read)
    }

    // MARK: MP4

    /// Related: ISO/IEC 14496-12 §4.2
    private static func isWholeMP4(_ length: Int64, _ read: Read) throws(FileError) -> Bool {
        var offset: Int64 = 0
        var found: Set<[UInt8]> = []
        while offset < length {
            guard length - offset >= 8 else { return false }
            let head = try read(offset, Int(min(16, length - offset)))
            guard head.count >= 8, head[4..<8].allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
            var size = Int64(number(head[0..<4]))
            if size == 1 {
                guard head.count == 16, head[8] < 0x40 else { return false }
                size = Int64(number(head[8..<16]))
            }
            // Zero is a box that ends with the file, wherever that is.
            guard size >= 8, size <= length - offset else { return false }
            found.insert(Array(head[4..<8]))
            offset += size
        }
        let hasMedia = found.contains(Array("mdat".utf8)) || found.contains(Array("moof".utf8))
        return found.contains(Array("moov".utf8)) && hasMedia
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    // MARK: WebM

    /// Related: RFC 8794 §4, RFC 9559 §5.1
    private static func isWholeMatroska(_ length: Int64, _ read: Read) throws(FileError) -> Bool {
        var offset: Int64 = 0
        var hasSegment = false
        while offset < length {
            let head = try read(offset, Int(min(16, length - offset)))
            guard let id = field(head[...], keepsMark: true), id.count <= 4,
                let size = field(head.dropFirst(id.count), keepsMark: false), size.value != nil
            else { return false }
            let end = offset.addingReportingOverflow(Int64(id.count + size.count))
            let body = Int64(clamping: size.value ?? 0)
            guard !end.overflow, end.partialValue <= length, body <= length - end.partialValue else { return false }
            if id.value == 0x1853_8067 { hasSegment = true }
            offset = end.partialValue + body
        }
        return hasSegment
    }

    /// A number of variable length; its value is nil if it stands for an unknown size.
    private static func field(_ bytes: ArraySlice<UInt8>, keepsMark: Bool) -> (value: UInt64?, count: Int)? {
        guard let first = bytes.first, first != 0 else { return nil }
        let count = first.leadingZeroBitCount + 1
        guard bytes.count >= count else { return nil }
        let whole = number(bytes.prefix(count))
        if keepsMark { return (whole, count) }
        let most = (UInt64(1) << UInt64(7 * count)) - 1
        let value = whole & most
        return (value == most ? nil : value, count)
    }
}

/// MPEG transport streams by their packets.
private enum TransportPackets {
    /// The first byte of each.
    static let mark: UInt8 = 0x47
    private static let size = 188

    static func isWhole(_ length: Int64, _ read: ContainerCompleteness.Read) throws(FileError) -> Bool {
        guard length % Int64(size) == 0 else { return false }
        let step = size * 4096
        var offset: Int64 = 0
        while offset < length {
            let bytes = try read(offset, Int(min(Int64(step), length - offset)))
            guard !bytes.isEmpty, bytes.count % size == 0 else { return false }
            guard stride(from: 0, to: bytes.count, by: size).allSatisfy({ bytes[$0] == mark }) else { return false }
            offset += Int64(bytes.count)
        }
        return true
    }
}
