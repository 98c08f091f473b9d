/// The part of the library's disk that a sync leaves free.
package enum FreeSpaceFloor: Sendable, Hashable {
    /// Nobody has chosen: 1 GiB, or 5% of a smaller disk.
    case standard
    /// So many bytes. With 0 downloads only have to fit.
    case bytes(Int64)
    /// No check.
    case off

    /// The bytes on a disk of this size, which is nil if it can't be measured; nil for no check.
    package func bytes(of size: Int64?) -> Int64? {
        switch self {
        case .standard: min(1 << 30, (size ?? 0) / 20)
        case .bytes(let bytes): bytes
        case .off: nil
        }
    }
}
