#if os(Linux)
import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Hears from the kernel that something happened in a folder (inotify). What it was is looked up by whoever is told.
final class FolderNotices: Sendable {
    private let descriptor: CInt
    /// Dispatch's objects may be used from any thread; its module doesn't say so.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Nil where there is no more room for it: every account may have a number of them.
    init?(_ tell: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "folders"))
        source.setEventHandler {
            var events = [UInt8](repeating: 0, count: 16_384)
            var hasAny = false
            while read(descriptor, &events, events.count) > 0 { hasAny = true }
            if hasAny { tell() }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Hears of this folder, too; again is fine. One that can't be watched is left out.
    func watch(_ folder: String) {
        let interest =
            IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR
        _ = inotify_add_watch(descriptor, folder, UInt32(truncatingIfNeeded: interest))
    }
}
#endif
