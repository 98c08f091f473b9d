import FileSystem
import Synchronization
import SystemPackage

/// The library's most recently used folders, open. At most ``bound`` of them, so that a library of any size needs few
/// descriptors.
final class FolderCache: Sendable {
    static let bound = 64

    private struct Slot {
        let handle: FolderHandle
        var lastUse: UInt64
        /// Whether this process has flushed the parent folder since it opened this one, so that this one's name is
        /// durable.
        var isNameDurable = false
    }

    private struct State {
        var slots: [String: Slot] = [:]
        var clock: UInt64 = 0
    }

    private let state = Mutex(State())

    func handle(_ path: String) -> FolderHandle? {
        state.withLock { state in
            state.clock += 1
            state.slots[path]?.lastUse = state.clock
            return state.slots[path]?.handle
        }
    }

    func insert(_ handle: FolderHandle, at path: String) {
        state.withLock { state in
            state.clock += 1
            if state.slots.count >= Self.bound,
                let oldest = state.slots.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.slots[oldest.key] = nil
            }
            state.slots[path] = Slot(handle: handle, lastUse: state.clock)
        }
    }

    /// Forgets a folder and all below it.
    func forget(_ path: String) {
        state.withLock { state in
            state.slots = state.slots.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
        }
    }

    func isNameDurable(_ path: String) -> Bool { state.withLock { $0.slots[path]?.isNameDurable ?? false } }

    func noteNameIsDurable(_ path: String) { state.withLock { $0.slots[path]?.isNameDurable = true } }
}
