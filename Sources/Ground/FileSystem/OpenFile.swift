package import Foundation
package import SystemPackage

/// An open file; closed with the last reference.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    let calls: any FileSystemCalls

    /// Takes the descriptor over.
    init(owning descriptor: CInt, calls: any FileSystemCalls) {
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { calls.close(descriptor) }

    package func entry() throws(Errno) -> FolderHandle.Entry { try calls.status(of: descriptor).entry }

    /// Throws `invalidArgument` for anything but a regular file.
    package func facts() throws(Errno) -> FileFacts {
        guard case .file(let facts) = try entry() else { throw .invalidArgument }
        return facts
    }

    /// The content; nil if it is longer than `limit`. Throws `invalidArgument` for anything but a regular file.
    package func content(upTo limit: Int) throws(Errno) -> Data? {
        try SmallFile.read(descriptor, upTo: limit, by: calls)
    }

    /// Some bytes; nil if the file ends before.
    package func bytes(_ range: Range<Int64>) throws(Errno) -> [UInt8]? {
        try SmallFile.read(descriptor, range, by: calls)
    }

    /// Writes at an offset. Not durable by itself.
    package func write(_ bytes: UnsafeRawBufferPointer, at start: Int64 = 0) throws(Errno) {
        try SmallFile.write(bytes, to: descriptor, at: start, by: calls)
    }

    package func truncate(to size: Int64) throws(Errno) { try calls.truncate(descriptor, to: size) }

    /// Sets the time of the last change, in nanoseconds since 1970.
    package func setTime(_ nanoseconds: Int64) throws(Errno) { try calls.setTime(descriptor, nanoseconds) }

    /// Content and attributes are durable on return.
    package func flush() throws(Errno) { try calls.flush(descriptor) }

    /// Content and size are durable on return.
    package func flushData() throws(Errno) { try calls.flushData(descriptor) }
}
