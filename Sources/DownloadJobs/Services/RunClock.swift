package import Foundation

/// The time that a run lives in: windows, retries and timetables go by it. Tests have one of their own.
package protocol RunClock: Sendable {
    /// The wall clock.
    var now: Date { get }

    /// Returns at that instant of the wall clock, at once if it is over; throws when the task is cancelled.
    func sleep(until date: Date) async throws
}

/// The machine's clock.
package struct SystemClock: RunClock {
    package init() {}

    package var now: Date { Date() }

    /// In steps: the wall clock may be set, and the machine may have slept, in the meantime.
    package func sleep(until date: Date) async throws {
        while true {
            let left = date.timeIntervalSince(Date())
            if left <= 0 { return }
            try await Task.sleep(for: .seconds(min(max(left, 0.001), 60)))
        }
    }
}
