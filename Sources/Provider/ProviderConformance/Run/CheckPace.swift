/// The times at which a real host may be asked: some requests each second, however many are wanted.
struct CheckPace {
    /// Between two requests.
    static let interval = Duration.milliseconds(200)
    /// The most requests that may be asked at once.
    static let burst = 5

    private var free: ContinuousClock.Instant?

    /// When so many requests may be sent; counts them.
    mutating func turn(of count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let turn = max(free ?? now, now)
        free = turn + Self.interval * count
        return turn
    }
}
