/// How long to wait before the next attempt: twice as long each time, a random part of it left out so that transfers
/// that failed together don't come back together, and never less than the server asked for.
package struct Backoff: Sendable, Hashable {
    /// The longest wait in front of the second attempt.
    package var first: Duration
    /// The longest wait of all, but for what a server asks for.
    package var longest: Duration

    /// One second, doubled up to a minute.
    package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
    }

    /// The wait behind the given number of failures in a row, from 1: between half of the longest and the longest that
    /// this number allows.
    /// - Parameter asked: what the server asked for; the wait is that or longer.
    package func delay(
        failures: Int, asked: Duration? = nil, using random: inout some RandomNumberGenerator
    ) -> Duration {
        let doublings = min(max(failures, 1) - 1, 30)
        let bound = min(first * (1 << doublings), longest)
        let wait = bound * Double.random(in: 0.5...1, using: &random)
        guard let asked, asked > .zero else { return wait }
        // Not all at once when the time is over.
        return max(wait, asked + min(asked, .seconds(5)) * Double.random(in: 0...0.2, using: &random))
    }
}
