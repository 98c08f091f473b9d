import DownloadJobs
import DownloadStore
package import Foundation
import Synchronization

/// A clock that stands still until a test moves it. Sleepers wake in the order of their instants, and read exactly that
/// instant then.
package final class VirtualClock: RunClock {
    private struct Sleeper {
        var number: Int
        var date: Date
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        var lastNumber = 0
        var sleepers: [Sleeper] = []
        /// Numbers of those who were cancelled before they lay down.
        var cancelled: Set<Int> = []
        var watchers: [(isMet: @Sendable ([Date]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

        /// Those who watch the sleepers and have seen what they wait for.
        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let dates = sleepers.map(\.date)
            let met = watchers.filter { $0.isMet(dates) }.map(\.continuation)
            watchers.removeAll { $0.isMet(dates) }
            return met
        }
    }

    private let state: Mutex<State>

    package init(_ start: Date) { state = Mutex(State(now: start)) }

    package var now: Date { state.withLock { $0.now } }

    /// The instants until which somebody sleeps, the earliest first.
    package var alarms: [Date] { state.withLock { $0.sleepers.map(\.date).sorted() } }

    package func sleep(until date: Date) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var watchers: [CheckedContinuation<Void, Never>] = []
                let ending: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    guard date > state.now else { return .success(()) }
                    state.sleepers.append(Sleeper(number: number, date: date, continuation: continuation))
                    watchers = state.takeWatchers()
                    return nil
                }
                for watcher in watchers { watcher.resume() }
                if let ending { continuation.resume(with: ending) }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }

    /// Moves on to `date`; the time never goes back. Between two sleepers the first one gets the chance to lie down
    /// again, as far as it does so without waiting for anything else: see ``whenSomebodySleeps(until:)``.
    package func advance(to date: Date) async {
        while true {
            let sleeper: Sleeper? = state.withLock { state in
                let due = state.sleepers.filter { $0.date <= date }
                guard let next = due.min(by: { ($0.date, $0.number) < ($1.date, $1.number) }) else {
                    state.now = max(state.now, date)
                    return nil
                }
                state.sleepers.removeAll { $0.number == next.number }
                state.now = max(state.now, next.date)
                return next
            }
            guard let sleeper else { break }
            sleeper.continuation.resume()
            for _ in 0..<20 { await Task.yield() }
        }
        for _ in 0..<20 { await Task.yield() }
    }

    /// Moves on by `duration`.
    package func advance(by duration: Duration) async { await advance(to: now.advanced(by: duration)) }

    /// Returns when somebody sleeps, until `date` at the latest if one is given: the moment to move on.
    package func whenSomebodySleeps(until date: Date? = nil) async {
        await whenAlarms { dates in dates.contains { $0 <= date ?? .distantFuture } }
    }

    /// Returns when the instants until which somebody sleeps, in any order, are what `isMet` says.
    package func whenAlarms(_ isMet: @escaping @Sendable ([Date]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state in
                state.watchers.append((isMet, continuation))
                return state.takeWatchers()
            }
            for watcher in watchers { watcher.resume() }
        }
    }
}
