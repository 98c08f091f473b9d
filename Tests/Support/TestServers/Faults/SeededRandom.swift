import Synchronization

/// Random numbers that a seed repeats.
final class SeededRandom: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed)
    }

    func next(in range: ClosedRange<Int>) -> Int {
        let word = state.withLock { state in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        return range.lowerBound + Int(word) % range.count
    }
}
