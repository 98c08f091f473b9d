import Synchronization

#if canImport(System)
package import System
#else
package import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pipe to or from a child, made before the child is started.
///
/// swift-subprocess 1.0.2 makes the pipes of a child one after the other, and traps if the second or third one can't be
/// made: the descriptors of the first are destroyed unclosed. So a child gets its standard input and standard error
/// from here, and only its standard output, which is made first, from there.
package final class ChildPipe: Sendable {
    /// What this process does at its own end.
    package enum Side: Sendable {
        case reads, writes
    }

    /// The child's end, for `Subprocess.run`, which doesn't close it.
    package let childEnd: FileDescriptor
    private let ourEnd: FileDescriptor
    private let watch: PipeWatch
    private let isOpen = Mutex((child: true, ours: true))

    /// - Throws: what pipe(2) says.
    package init(_ side: Side) throws(Errno) {
        Self.ignoresBrokenPipes
        watch = try PipeWatch.shared()
        let ends = try Self.ends()
        (ourEnd, childEnd) = side == .reads ? (ends.reading, ends.writing) : (ends.writing, ends.reading)
        _ = fcntl(ourEnd.rawValue, F_SETFL, O_NONBLOCK)
    }

    /// A pipe that no child inherits.
    static func ends() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    deinit {
        started()
        finish()
    }

    /// Closes the child's end here, once the child has it.
    package func started() {
        close(childEnd, isOpen.withLock { state in take(&state.child) })
    }

    /// Closes our end: the child reads the end of its input. Never during ``write(_:)`` or ``read(_:)``.
    package func finish() {
        close(ourEnd, isOpen.withLock { state in take(&state.ours) })
    }

    /// Writes all bytes. Returns how many the child's end has taken: fewer if the child has closed it, or the task was
    /// cancelled.
    package func write(_ bytes: [UInt8]) async -> Int {
        var sent = 0
        while sent < bytes.count {
            let (count, error) = bytes[sent...].withUnsafeBytes { part in
                Self.result(systemWrite(ourEnd.rawValue, part.baseAddress, part.count))
            }
            if count >= 0 {
                sent += count
            } else if error == EAGAIN {
                guard !Task.isCancelled else { break }
                await watch.wait(until: .writable, ourEnd)
            } else if error != EINTR {
                break
            }
        }
        return sent
    }

    /// Calls `body` with what comes, until all writing ends are closed. If the task is cancelled, with what has come by
    /// then.
    package func read(_ body: (UnsafeRawBufferPointer) -> Void) async {
        while !Task.isCancelled {
            switch Self.readOnce(ourEnd, body) {
            // A child that never stops writing isn't the only one.
            case .some: await Task.yield()
            case .nothing: await watch.wait(until: .readable, ourEnd)
            case .end: return
            }
        }
        // As much as a pipe holds: a process that isn't the child may go on writing.
        for _ in 0..<Self.chunksInPipe {
            guard Self.readOnce(ourEnd, body) == .some else { break }
        }
    }

    private enum Reading {
        case some, nothing, end
    }

    private static let chunk = 64 << 10
    private static let chunksInPipe = 16

    private static func readOnce(
        _ descriptor: FileDescriptor, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Reading {
        withUnsafeTemporaryAllocation(byteCount: chunk, alignment: 8) { buffer in
            let (count, error) = result(systemRead(descriptor.rawValue, buffer.baseAddress, buffer.count))
            if count > 0 {
                body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return .some
            }
            return count < 0 && (error == EAGAIN || error == EINTR) ? .nothing : .end
        }
    }

    private static func result(_ count: Int) -> (count: Int, error: Int32) { (count, errno) }

    private func take(_ flag: inout Bool) -> Bool {
        defer { flag = false }
        return flag
    }

    private func close(_ descriptor: FileDescriptor, _ isOpen: Bool) {
        if isOpen { try? descriptor.close() }
    }

    /// A child that has closed its input must not end this process.
    private static let ignoresBrokenPipes: Void = {
        signal(SIGPIPE, SIG_IGN)
    }()
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
