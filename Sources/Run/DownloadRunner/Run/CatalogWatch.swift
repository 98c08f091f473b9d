import DownloadStore
import FileSystem
import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Waits for catalog files to change. Create it right after reading them: it compares with their state at that time.
///
/// A file counts as changed when its size, modification time or inode differs, when it disappears or returns, and when
/// another YAML file appears beside it or disappears, since a pattern of `include` may match that. A changed file is
/// reported only after it has been stable for a moment, so that one save of an editor is one change.
package final class CatalogWatch: Sendable {
    /// The time without changes after which a change is over.
    private let settling: Duration
    /// The interval of checks without a notification.
    private let interval: Duration
    private let paths: [String]
    private let folders: [String]
    private let known: Mutex<Snapshot>
    private let signal = ChangeSignal()
    #if os(Linux)
    private let notices: FolderWatch?
    #endif

    /// - Parameters:
    ///   - paths: of all files that were read, and of given links to them.
    ///   - interval: nil checks seldom if the system notifies of changes, and every few seconds otherwise.
    package init(_ paths: [String], settling: Duration = .milliseconds(500), interval: Duration? = nil) {
        self.settling = settling
        self.paths = Set(paths).sorted()
        folders = Set(paths.map { FilePath($0).removingLastComponent().string }).map { $0.isEmpty ? "." : $0 }.sorted()
        let isLocal = folders.allSatisfy { FileSystemKind.of(FilePath($0)) == .local }
        #if os(Linux)
        let signal = signal
        notices = FolderWatch { signal.send() }
        let isTold = isLocal && notices != nil
        #else
        let isTold = false
        #endif
        self.interval = interval ?? .seconds(isTold ? 30 : 3)
        known = Mutex(Snapshot(paths: self.paths, folders: folders))
        watchFolders()
    }

    /// Returns when something has changed since the last call, or since the watch was made; also when the task is
    /// cancelled. For one caller at a time.
    package func changed() async {
        while !Task.isCancelled {
            watchFolders()
            var found = Snapshot(paths: paths, folders: folders)
            guard found != known.withLock({ $0 }) else {
                await signal.wait(atMost: interval)
                // Bounds the checks in a busy folder.
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            // A file that never becomes stable is reported in the end.
            for _ in 0..<20 {
                try? await Task.sleep(for: settling)
                let again = Snapshot(paths: paths, folders: folders)
                if again == found || Task.isCancelled { break }
                found = again
            }
            let isNews = known.withLock { known in
                defer { known = found }
                return known != found
            }
            // Moved away and back again: no change.
            if isNews { return }
        }
    }

    /// Repeated, since a folder may have been replaced by another one.
    private func watchFolders() {
        #if os(Linux)
        for folder in folders { notices?.watch(folder) }
        #endif
    }
}

extension CatalogWatch {
    /// The files' metadata.
    private struct Snapshot: Sendable, Equatable {
        struct File: Sendable, Equatable {
            var device: UInt64
            var inode: UInt64
            var size: Int64
            var seconds: Int
            var nanoseconds: Int
        }

        /// Missing files have no entry.
        var files: [String: File] = [:]
        /// The YAML files of each folder.
        var names: [String: Set<String>] = [:]

        init(paths: [String], folders: [String]) {
            for path in paths {
                var facts = stat()
                guard stat(path, &facts) == 0 else { continue }
                #if os(Linux)
                let time = facts.st_mtim
                #else
                let time = facts.st_mtimespec
                #endif
                files[path] = File(
                    device: UInt64(truncatingIfNeeded: facts.st_dev), inode: UInt64(facts.st_ino),
                    size: Int64(facts.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
            }
            for folder in folders {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                self.names[folder] = Set(names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") })
            }
        }
    }

    /// Wakes the waiting task. A signal sent before anybody waits wakes the next one at once.
    private final class ChangeSignal: Sendable {
        private struct State {
            var isSent = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())

        func send() {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                state.isSent = state.waiter == nil
                return state.waiter
            }
            waiter?.resume()
        }

        func wait(atMost limit: Duration) async {
            let alarm = Task {
                do { try await Task.sleep(for: limit) } catch { return }
                send()
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isSent = state.withLock { state in
                        if !state.isSent { state.waiter = continuation }
                        defer { state.isSent = false }
                        return state.isSent
                    }
                    if isSent { continuation.resume() }
                }
            } onCancel: {
                send()
            }
            alarm.cancel()
        }
    }
}
