import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes a file in one step: a reader finds the old one or the new one, never a part.
package enum WholeFile {
    /// Replaces the file at `path`, or what a symbolic link there leads to. What is there and isn't a file, such as a pipe
    /// or `/dev/null`, is written to.
    package static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            // Opening a pipe that nobody reads would wait for ever.
            let descriptor = try call { open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
            defer { close(descriptor) }
            return try writeAll(bytes, to: descriptor)
        }
        let target = realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let goal = FilePath(target ?? path)
        guard let name = goal.lastComponent else { throw .isDirectory }
        let draft = goal.removingLastComponent().appending(".\(name.string.prefix(200)).\(getpid()).tmp").string
        let descriptor = try call { open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o666) }
        do throws(Errno) {
            defer { close(descriptor) }
            // Who reads it may be somebody else, and may keep on being it.
            if facts.st_mode != 0 { fchmod(descriptor, facts.st_mode & 0o777) }
            try writeAll(bytes, to: descriptor)
            _ = try call { fsync(descriptor) }
            _ = try call { rename(draft, goal.string) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(Errno) {
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(bytes)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    private static func call(_ body: () -> CInt) throws(Errno) -> CInt {
        let result = body()
        if result < 0 { throw Errno(rawValue: errno) }
        return result
    }
}
