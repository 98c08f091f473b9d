#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The text of a file, for quotes in diagnostics.
package enum ExcerptSource {
    /// The limit on bytes that are read: diagnostics beyond have no source line.
    static let longest = 32 << 20

    /// A regular file's bytes, of a longer one the complete lines at its beginning; empty if it can't be read.
    package static func bytes(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        let size = min(Int(status.st_size), longest)
        var text = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size, let base = buffer.baseAddress {
                let taken = read(descriptor, base + count, size - count)
                if taken < 0, errno == EINTR { continue }
                guard taken > 0 else { break }
                count += taken
            }
        }
        if status.st_size > longest { text.removeSubrange(((text.lastIndex(of: 0x0A) ?? -1) + 1)...) }
        return text
    }
}

extension [Diagnostic] {
    /// Looks up missing source lines. `path` returns the file of a name in a diagnostic.
    package mutating func addExcerpts(path: (String) -> String = { $0 }) {
        // One text at a time: diagnostics come file by file.
        var last: (name: String, text: [UInt8]) = ("", [])
        for index in indices where self[index].excerpt == nil && self[index].line > 0 {
            let name = self[index].file
            if last.name != name {
                last = (name, [])
                last.text = ExcerptSource.bytes(of: path(name))
            }
            self[index].excerpt = last.text.withUnsafeBytes { SourceExcerpt(of: self[index].location.position, in: $0) }
        }
    }
}
