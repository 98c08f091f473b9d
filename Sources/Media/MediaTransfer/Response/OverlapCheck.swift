import Foundation

/// Compares the repeated bytes of a response with the end of a partial.
struct OverlapCheck {
    /// The number of compared bytes.
    private(set) var done: Int64 = 0
    private let start: Int64
    private let count: Int64
    private var first: UInt8?
    private var isVaried = false

    /// For the `count` bytes before `end`; nil if there are none.
    init?(before end: Int64, count: Int64) {
        guard count > 0 else { return nil }
        start = end - count
        self.count = count
    }

    /// Whether all of them have been compared.
    var isDone: Bool { done == count }

    /// Compares the next bytes of a body. Returns how many of them were before the end.
    ///
    /// Padding looks the same in all files: a single repeated byte counts as another file, unless the partial contains
    /// nothing else.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, from descriptor: OwnedDescriptor
    ) throws(TransferFailure) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(min(count - done, Int64(bytes.count)))))
        var compared = 0
        while compared < bytes.count {
            let part = UnsafeRawBufferPointer(rebasing: bytes[compared..<min(bytes.count, compared + 4096)])
            let problem = Self.compare(part, at: start + done, descriptor.raw)
            if let problem { throw problem }
            compared += part.count
            done += Int64(part.count)
        }
        first = first ?? bytes.first
        isVaried = isVaried || bytes.contains { $0 != first }
        if isDone, !isVaried, start > 0 { throw .identityChanged(.bytes) }
        return compared
    }

    private static func compare(_ part: UnsafeRawBufferPointer, at offset: Int64, _ descriptor: Int32)
        -> TransferFailure?
    {
        withUnsafeTemporaryAllocation(byteCount: part.count, alignment: 1) { held in
            var filled = 0
            while filled < part.count, let base = held.baseAddress {
                let step = pread(descriptor, base + filled, part.count - filled, off_t(offset) + off_t(filled))
                if step > 0 {
                    filled += step
                } else if step == 0 || errno != EINTR {
                    return .file(errno: step == 0 ? EIO : errno)
                }
            }
            return held.elementsEqual(part) ? nil : .identityChanged(.bytes)
        }
    }
}
