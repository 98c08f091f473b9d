import Synchronization

/// The lines of a process, for one reader that waits for a bounded time.
final class SessionInbox: Sendable {
    /// What a reader gets.
    enum Item: Sendable {
        /// A line without its LF.
        case line([UInt8])
        /// More than the longest line came without an LF; no more lines follow.
        case tooLong
        /// The output has ended.
        case ended
        /// Nothing came in time.
        case silence
    }

    private struct State {
        var items: [Item] = []
        var next = 0
        var isOver = false
        var turn = 0
        var waiter: CheckedContinuation<Item, Never>?
    }

    private let state = Mutex(State())

    /// Adds a line, or the end.
    func put(_ item: Item) {
        let waiter: CheckedContinuation<Item, Never>? = state.withLock { state in
            if case .ended = item { state.isOver = true }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if case .ended = item { return nil }
            state.items.append(item)
            return nil
        }
        waiter?.resume(returning: item)
    }

    /// The next line; waits until `deadline` at most. Only one reader at a time.
    func next(until deadline: ContinuousClock.Instant) async -> Item {
        if let item = take() { return item }
        let turn = state.withLock { state in
            state.turn += 1
            return state.turn
        }
        let timer = Task {
            do { try await Task.sleep(until: deadline) } catch { return }
            let waiter: CheckedContinuation<Item, Never>? = state.withLock { state in
                guard state.turn == turn else { return nil }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: .silence)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let item: Item? = state.withLock { state in
                if let item = Self.take(&state) { return item }
                if deadline <= .now { return .silence }
                state.waiter = continuation
                return nil
            }
            if let item { continuation.resume(returning: item) }
        }
    }

    private func take() -> Item? { state.withLock { Self.take(&$0) } }

    private static func take(_ state: inout State) -> Item? {
        guard state.next < state.items.count else { return state.isOver ? .ended : nil }
        defer {
            state.next += 1
            if state.next == state.items.count {
                state.items.removeAll(keepingCapacity: true)
                state.next = 0
            }
        }
        return state.items[state.next]
    }
}
