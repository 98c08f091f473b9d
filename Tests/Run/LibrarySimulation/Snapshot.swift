import Foundation
import Synchronization

/// Disk and state at the instant of a kill.
final class Snapshot: Sendable {
    private struct State {
        var content = MemoryDisk.Content()
        var files: [String: Data] = [:]
    }

    private let state = Mutex(State())
    private static let names = ["state.sqlite", "state.sqlite-wal"]

    func take(_ content: MemoryDisk.Content, _ folder: URL) {
        state.withLock { state in
            state.content = content
            for name in Self.names { state.files[name] = try? Data(contentsOf: folder.appendingPathComponent(name)) }
        }
    }

    /// Puts the state's files back. Returns what is on the disk.
    func restore(to folder: URL) -> MemoryDisk.Content {
        state.withLock { state in
            for name in Self.names + ["state.sqlite-shm"] {
                let place = folder.appendingPathComponent(name)
                try? FileManager.default.removeItem(at: place)
                try? state.files[name]?.write(to: place)
            }
            return state.content
        }
    }
}
