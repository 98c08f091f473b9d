import Synchronization

/// How much memory the segments of a stream take that are held or on their way, as it really is.
///
/// The ``ReorderWindow`` foretells sizes from the segments before; a host may send others. What goes beyond the limit isn't
/// taken: it is asked for again later, at the latest when everything else waits for it. That one, the next, is always taken.
final class SegmentRoom: Sendable {
    private struct State {
        var next: Int
        var held = 0
        /// Bytes that have come, or have been announced, by segment.
        var onTheWay: [Int: Int] = [:]
        var refused: [Int: Int] = [:]
    }

    private let limit: Int
    private let state: Mutex<State>

    init(limit: Int, next: Int) {
        self.limit = limit
        state = Mutex(State(next: next))
    }

    /// Whether a segment on its way may have so many bytes. Any thread.
    func admits(_ index: Int, _ count: Int) -> Bool {
        state.withLock { state in
            let others = state.onTheWay.reduce(state.held) { $0 + ($1.key == index ? 0 : $1.value) }
            guard index == state.next || count <= limit - others else {
                state.refused[index] = count
                return false
            }
            state.onTheWay[index] = count
            return true
        }
    }

    /// A segment isn't on its way any more. Returns how many bytes it would have had at least if it wasn't taken.
    func ended(_ index: Int) -> Int? {
        state.withLock { state in
            state.onTheWay[index] = nil
            return state.refused.removeValue(forKey: index)
        }
    }

    /// What has come before its turn takes so many bytes, and everything waits for `next`.
    func update(held: Int, next: Int) {
        state.withLock { state in
            state.held = held
            state.next = next
        }
    }
}
