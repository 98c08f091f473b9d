/// The clocks and the bandwidth of the transfer thread.
///
/// Besides the time there is the time that was spent *listening* to servers: waiting for sockets, plus working through
/// what came, but the latter for 100 ms at a time at most; longer than that it was a write that took long.
final class Pacing {
    private static let longestWork = Duration.milliseconds(100)

    private let start = SuspendingClock.now
    private var share: BandwidthShare
    /// Since the start, as of the last step of the loop.
    private(set) var now: Duration = .zero
    /// How much of it was spent listening.
    private(set) var listened: Duration = .zero
    /// Kept beside ``BandwidthShare/isLimiting``, to be asked for each chunk.
    private(set) var isLimiting: Bool

    init(rate: Int64?) {
        share = BandwidthShare(rate: rate)
        isLimiting = share.isLimiting
    }

    /// In front of the wait for sockets: what lies behind was work.
    func willListen() {
        let time = SuspendingClock.now - start
        listened += min(time - now, Self.longestWork)
        now = time
    }

    /// Behind the wait.
    func didListen() {
        let time = SuspendingClock.now - start
        listened += time - now
        now = time
    }

    func add(_ id: Int, rate: Int64?) {
        share.add(id, rate: rate)
        isLimiting = share.isLimiting
    }

    func remove(_ id: Int) {
        share.remove(id)
        isLimiting = share.isLimiting
    }

    func setRate(_ rate: Int64?) {
        share.setRate(rate, at: now)
        isLimiting = share.isLimiting
    }

    func setRateOfEach(_ rate: Int64?) {
        share.setRateOfEach(rate, at: now)
        isLimiting = share.isLimiting
    }

    /// Whether a transfer may take a chunk now; else it waits for ``due()``.
    func take(_ id: Int, _ count: Int) -> Bool {
        share.take(id, count, at: SuspendingClock.now - start)
    }

    /// Whose wait is over.
    func due() -> [Int] {
        guard share.wait(at: now) != nil else { return [] }
        return share.due(at: SuspendingClock.now - start)
    }

    /// How long until somebody's wait is over.
    func wait() -> Duration? { share.wait(at: SuspendingClock.now - start) }
}
