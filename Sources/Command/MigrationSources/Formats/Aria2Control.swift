/// What aria2 keeps beside a file that isn't complete: which of its pieces are.
///
/// Related: <https://aria2.github.io/manual/en/html/technical-notes.html>
package struct Aria2Control: Sendable, Equatable {
    /// In bytes, and the last piece may be shorter.
    package let pieceLength: Int64
    /// The size of the complete file.
    package let total: Int64
    package let isTorrent: Bool
    /// How many bytes from the beginning on are in complete pieces.
    package let proven: Int64

    /// Reads a control file as a whole.
    package init(_ bytes: UnsafeRawBufferPointer) throws(FormatFault) {
        var reader = Reader(bytes: bytes)
        switch try reader.number(2) {
        case 1: break
        case 0:
            // Version 0 has the numbers as the machine had them, and most machines are little-endian.
            reader.isLittle = true
            let start = reader
            do throws(FormatFault) { self = try Self(&reader) } catch {
                reader = start
                reader.isLittle = false
                guard let other = try? Self(&reader) else { throw error }
                self = other
            }
            return
        default: throw .foreign
        }
        self = try Self(&reader)
    }

    private init(_ reader: inout Reader) throws(FormatFault) {
        _ = try reader.bytes(4)
        let hash = try reader.number(4)
        guard hash == 0 || hash == 20 || hash == 32 else { throw .malformed }
        isTorrent = hash > 0
        _ = try reader.bytes(hash)
        pieceLength = try reader.number(4)
        total = try reader.number(8)
        _ = try reader.number(8)
        guard pieceLength > 0 else { throw .malformed }
        let pieces = Self.count(total, of: pieceLength)
        let length = try reader.number(4)
        guard length == Self.count(pieces, of: 8) else { throw .malformed }
        let field = try reader.bytes(length)
        try reader.skipUnfinished(pieces, pieceLength)
        var complete: Int64 = 0
        for byte in field {
            let ones = Int64((~byte).leadingZeroBitCount)
            complete += ones
            if ones < 8 { break }
        }
        let (bytes, isOver) = min(complete, pieces).multipliedReportingOverflow(by: pieceLength)
        proven = isOver ? total : min(bytes, total)
    }

    /// How many pieces of this length there are, the last one shorter or not.
    fileprivate static func count(_ total: Int64, of length: Int64) -> Int64 {
        total / length + (total % length > 0 ? 1 : 0)
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var index = 0
        var isLittle = false

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        mutating func bytes(_ count: Int64) throws(FormatFault) -> UnsafeRawBufferPointer {
            guard count <= Int64(bytes.count - index) else { throw .truncated }
            defer { index += Int(count) }
            return UnsafeRawBufferPointer(rebasing: bytes[index..<index + Int(count)])
        }

        /// Refuses one beyond 63 bits.
        mutating func number(_ count: Int64) throws(FormatFault) -> Int64 {
            var value: UInt64 = 0
            let digits = try bytes(count)
            if isLittle {
                for byte in digits.reversed() { value = value << 8 | UInt64(byte) }
            } else {
                for byte in digits { value = value << 8 | UInt64(byte) }
            }
            guard let number = Int64(exactly: value) else { throw .malformed }
            return number
        }

        /// The pieces that aren't complete: their blocks are of 16 KiB.
        mutating func skipUnfinished(_ pieces: Int64, _ longest: Int64) throws(FormatFault) {
            let count = try number(4)
            guard count <= pieces else { throw .malformed }
            for _ in 0..<count {
                let number = try number(4)
                let length = try self.number(4)
                guard number < pieces, length > 0, length <= longest else { throw .malformed }
                let field = try self.number(4)
                guard field == Aria2Control.count(Aria2Control.count(length, of: 16 << 10), of: 8) else {
                    throw .malformed
                }
                _ = try bytes(field)
            }
            guard index == bytes.count else { throw .malformed }
        }
    }
}
