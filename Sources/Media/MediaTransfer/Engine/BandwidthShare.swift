/// Distributes bandwidth in chunks: a common rate, given out in turns so that each transfer that wants more gets the
/// same, and a rate for each single transfer. Times are durations since some fixed moment.
///
/// A transfer asks before it takes a chunk. If refused, it waits and is returned by ``due(at:)``; its next
/// ``take(_:_:at:)`` then succeeds. Bandwidth that a slow transfer doesn't request is available to the others.
package struct BandwidthShare: Sendable {
    private struct Lane {
        var rate: Int64?
        /// The time at which its own rate allows the next chunk.
        var next: Duration = .zero
        /// The amount deducted from ``balance`` when it was returned by `due`.
        var reserved: Double?
        var isQueued = false
    }

    /// The largest chunk that libcurl passes at a time.
    private static let chunk = 16_384.0

    /// The delay that a transfer may catch up after waiting for its turn.
    private static let longestPause = Duration.milliseconds(100)

    /// Bytes per second for all; nil for no limit.
    package private(set) var rate: Int64?
    /// Bytes that may be taken now; negative after a chunk larger than what was left.
    private var balance = 0.0
    private var refilled: Duration = .zero
    private var lanes: [Int: Lane] = [:]
    /// Those that wait for their own rate.
    private var sleeping: [Int] = []
    /// Those that wait for their turn at the common rate.
    private var queue: [Int] = []

    /// - Parameter rate: the common rate.
    package init(rate: Int64?) {
        self.rate = rate.map { max(1, $0) }
    }

    /// Whether there is any limit.
    package var isLimiting: Bool { rate != nil || lanes.values.contains { $0.rate != nil } }

    /// Changes the common rate; the next ``due(at:)`` reconsiders waiting transfers.
    package mutating func setRate(_ rate: Int64?, at now: Duration) {
        refill(at: now)
        self.rate = rate.map { max(1, $0) }
        balance = min(balance, 0)
        refilled = now
    }

    /// Changes the rate of each single transfer.
    package mutating func setRateOfEach(_ rate: Int64?, at now: Duration) {
        for id in lanes.keys {
            lanes[id]?.rate = rate.map { max(1, $0) }
            // Chunks taken at the old rate don't count any more.
            lanes[id]?.next = now
        }
    }

    /// Adds a transfer, with its own rate or without.
    package mutating func add(_ id: Int, rate: Int64?) {
        lanes[id] = Lane(rate: rate.map { max(1, $0) })
    }

    /// Removes a transfer.
    package mutating func remove(_ id: Int) {
        guard let lane = lanes.removeValue(forKey: id) else { return }
        balance += lane.reserved ?? 0
        sleeping.removeAll { $0 == id }
        queue.removeAll { $0 == id }
    }

    /// Whether `id` may take `count` bytes now. Otherwise it waits.
    package mutating func take(_ id: Int, _ count: Int, at now: Duration) -> Bool {
        guard var lane = lanes[id] else { return true }
        defer { lanes[id] = lane }
        if let reserved = lane.reserved {
            lane.reserved = nil
            balance += reserved
        } else if lane.isQueued {
            return false
        } else if lane.rate != nil, lane.next > now {
            lane.isQueued = true
            sleeping.append(id)
            return false
        } else if rate != nil {
            refill(at: now)
            guard queue.isEmpty, balance > 0 else {
                lane.isQueued = true
                queue.append(id)
                return false
            }
        }
        if rate != nil { balance -= Double(count) }
        if let own = lane.rate {
            lane.next = max(lane.next, now - Self.longestPause) + .seconds(Double(count) / Double(own))
        }
        return true
    }

    /// Those whose wait is over, in order.
    package mutating func due(at now: Duration) -> [Int] {
        refill(at: now)
        let awake = sleeping.filter { (lanes[$0]?.next ?? .zero) <= now }
        sleeping.removeAll { awake.contains($0) }
        queue += awake
        var admitted: [Int] = []
        while !queue.isEmpty, rate == nil || balance > 0 {
            let id = queue.removeFirst()
            lanes[id]?.isQueued = false
            lanes[id]?.reserved = rate == nil ? 0 : Self.chunk
            if rate != nil { balance -= Self.chunk }
            admitted.append(id)
        }
        return admitted
    }

    /// The time until ``due(at:)`` returns a transfer; nil if none waits.
    package func wait(at now: Duration) -> Duration? {
        var wait = sleeping.compactMap { lanes[$0].map { max(.zero, $0.next - now) } }.min()
        if !queue.isEmpty {
            var turn = Duration.zero
            if let rate, balance <= 0 { turn = refilled + .seconds((1 - balance) / Double(rate)) - now }
            wait = min(wait ?? turn, max(.zero, turn))
        }
        return wait
    }

    /// Adds tokens for the elapsed time; unused ones are kept for a twentieth of a second.
    private mutating func refill(at now: Duration) {
        guard let rate else { return }
        let earned = (now - refilled) / .seconds(1) * Double(rate)
        balance = min(balance + earned, max(Self.chunk, Double(rate) / 20))
        refilled = now
    }
}
