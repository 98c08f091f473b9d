#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Detects changes of a file, also those that keep its size and its time.
package struct FileStamp: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: Int64
    /// When its content, its names or its rights changed last, in nanoseconds since 1970; nobody can set it.
    package let changed: Int64
    /// When it began to be read, in the same unit; 0 if it wasn't. Stamps of one file are equal whenever it was read.
    package let readAt: Int64

    init(_ status: stat, readAt: Int64 = 0) {
        self.readAt = readAt
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        (modified, changed) = (Self.nanoseconds(status.st_mtimespec), Self.nanoseconds(status.st_ctimespec))
        #else
        (modified, changed) = (Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim))
        #endif
    }

    /// Of a path, whose links are followed; nil if nothing is there.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The time of the wall clock, in nanoseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    /// All facts as text.
    package var description: String { "\(device) \(inode) \(size) \(modified) \(changed)" }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    package static func == (one: Self, other: Self) -> Bool { one.facts == other.facts }

    package func hash(into hasher: inout Hasher) { hasher.combine(facts) }

    private var facts: [Int64] {
        [Int64(bitPattern: device), Int64(bitPattern: inode), size, modified, changed]
    }
}
