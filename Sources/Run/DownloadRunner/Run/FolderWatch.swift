#if os(Linux)
import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Notifies of changes in folders (inotify). The receiver determines the kind of change.
final class FolderWatch: Sendable {
    private let descriptor: CInt
    /// Dispatch's objects may be used from any thread; its module doesn't say so.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Nil if the account's limit on them is reached.
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

    /// Watches this folder, too; repeated calls are fine. One that can't be watched is skipped.
    func watch(_ folder: String) {
        let interest =
            IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR
        _ = inotify_add_watch(descriptor, folder, UInt32(truncatingIfNeeded: interest))
    }
}
#endif
