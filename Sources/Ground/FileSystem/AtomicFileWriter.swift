import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes a user's file in one step: a reader finds the old one or the new one, never a part.
package enum AtomicFileWriter {
    /// Replaces the file at `path`, or the target of a symbolic link there; it keeps its permissions. A special file,
    /// such as a pipe or `/dev/null`, is written to.
    package static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            // Opening a pipe without a reader would block.
            let descriptor = try systemCall { open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
            defer { close(descriptor) }
            return try writeAll(bytes, to: descriptor)
        }
        let target = realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let goal = FilePath(target ?? path)
        guard let name = goal.lastComponent?.string else { throw .isDirectory }
        let above = goal.removingLastComponent()
        let folder = try FolderHandle(at: above.isEmpty ? "." : above, orEnter: true)
        // Several processes may write it at the same time: each has its own draft.
        let draft = try DraftFile(
            of: name, in: folder, draft: ".\(name.prefix(200)).\(getpid()).tmp",
            // Its readers may be other accounts, and stay so.
            mode: facts.st_mode == 0 ? nil : UInt16(facts.st_mode & 0o777))
        try draft.write(Data(bytes))
        try draft.replace()
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(Errno) {
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(bytes)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
