import Synchronization

/// The actual memory of a stream's segments that are held or in transfer.
///
/// The ``ReorderWindow`` predicts sizes from earlier segments; a host may send larger ones. A segment beyond the limit
/// isn't accepted: it is requested again later, at the latest when all others wait for it. That one, the next, is
/// always accepted.
final class SegmentMemoryBudget: Sendable {
    private struct State {
        var next: Int
        var held = 0
        /// Bytes that have arrived, or were announced, by segment.
        var onTheWay: [Int: Int] = [:]
        var refused: [Int: Int] = [:]
    }

    private let limit: Int
    private let state: Mutex<State>

    init(limit: Int, next: Int) {
        self.limit = limit
        state = Mutex(State(next: next))
    }

    /// Whether a segment in transfer may have so many bytes. Any thread.
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

    /// A segment is no longer in transfer. Returns its minimum size if it wasn't accepted.
    func ended(_ index: Int) -> Int? {
        state.withLock { state in
            state.onTheWay[index] = nil
            return state.refused.removeValue(forKey: index)
        }
    }

    /// Sets the bytes of held segments, and the next segment.
    func update(held: Int, next: Int) {
        state.withLock { state in
            state.held = held
            state.next = next
        }
    }
}
