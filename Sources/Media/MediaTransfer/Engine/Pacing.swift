/// The clocks and the bandwidth of the transfer thread.
///
/// Besides the elapsed time it measures the time spent *listening* to servers: waiting for sockets, plus processing
/// received data, but the latter for at most 100 ms at a time; anything longer was a slow write.
final class Pacing {
    private static let longestWork = Duration.milliseconds(100)

    private let start = SuspendingClock.now
    private var share: BandwidthShare
    /// Since the start, as of the last step of the loop.
    private(set) var now: Duration = .zero
    /// The part of ``now`` in which the thread listened to servers.
    private(set) var listened: Duration = .zero
    /// A copy of ``BandwidthShare/isLimiting``, checked for each chunk.
    private(set) var isLimiting: Bool

    init(rate: Int64?) {
        share = BandwidthShare(rate: rate)
        isLimiting = share.isLimiting
    }

    /// Before the wait for sockets: the time until now was work.
    func willListen() {
        let time = SuspendingClock.now - start
        listened += min(time - now, Self.longestWork)
        now = time
    }

    /// After the wait.
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

    /// Whether a transfer may take a chunk now; otherwise it waits for ``due()``.
    func take(_ id: Int, _ count: Int) -> Bool {
        share.take(id, count, at: SuspendingClock.now - start)
    }

    /// The transfers whose wait is over.
    func due() -> [Int] {
        guard share.wait(at: now) != nil else { return [] }
        return share.due(at: SuspendingClock.now - start)
    }

    /// The time until a transfer's wait is over.
    func wait() -> Duration? { share.wait(at: SuspendingClock.now - start) }
}
