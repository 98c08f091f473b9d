package import Foundation

/// The clock of a run, for windows, retries and timetables. Tests use their own.
package protocol RunClock: Sendable {
    /// The wall clock.
    var now: Date { get }

    /// Returns at that instant of the wall clock, at once if it has passed; throws when the task is cancelled.
    func sleep(until date: Date) async throws
}

package struct SystemClock: RunClock {
    package init() {}

    package var now: Date { Date() }

    /// In steps: the wall clock may be set, and the machine may sleep, in the meantime.
    package func sleep(until date: Date) async throws {
        while true {
            let left = date.timeIntervalSince(Date())
            if left <= 0 { return }
            try await Task.sleep(for: .seconds(min(max(left, 0.001), 60)))
        }
    }
}
