#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The size of a file system, and the part of it that this account may still write, in bytes.
package struct VolumeSpace: Sendable, Hashable {
    package var free: Int64
    package var size: Int64

    package init(free: Int64, size: Int64) {
        self.free = free
        self.size = size
    }

    /// Nil if the file system doesn't say: some in user space answer zeros, and so does tmpfs without a limit.
    init?(_ facts: statvfs) {
        guard facts.f_blocks > 0 else { return nil }
        free = Self.bytes(UInt64(facts.f_bavail), UInt64(facts.f_frsize))
        size = Self.bytes(UInt64(facts.f_blocks), UInt64(facts.f_frsize))
    }

    private static func bytes(_ blocks: UInt64, _ block: UInt64) -> Int64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: block)
        return overflow ? .max : Int64(clamping: bytes)
    }
}
