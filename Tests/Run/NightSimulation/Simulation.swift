import DownloadStore
import Foundation

/// Weeks of nights, each made of a seed.
package struct Simulation: Sendable {
    /// A night that went wrong, in as short a form as was found.
    package struct Failure: Error, CustomStringConvertible {
        package var week: Week
        package var night: Int
        package var problem: String
        /// What happened last, and what was said.
        package var trace: [String] = []

        package var description: String { "night \(night): \(problem)\n\(week)\n\(trace.joined(separator: "\n"))" }
    }

    package init() {}

    /// Lives through a week. Returns what went wrong; nil if nothing did.
    package func live(_ week: Week, isTraced: Bool = false) -> Failure? {
        var state = WeekState()
        for night in 0..<Week.nights {
            if night == Week.calm { state.loggedOut = [] }
            var run = NightRun(week, night, state, isTraced: isTraced)
            state = run.run()
            if let problem = run.problem {
                return Failure(
                    week: week, night: night, problem: problem, trace: Array((run.trace ?? []).suffix(8)))
            }
        }
        return Checks.atEnd(of: week, state).map { Failure(week: week, night: Week.nights, problem: $0) }
    }

    /// Lives through the week of each seed, and tells each failure as it is found. Returns those failures, shrunk, at most
    /// `limit`, and how many there were.
    package func live(
        _ seeds: Range<UInt64>, limit: Int = 1, told: (Failure) -> Void = { _ in }
    ) -> (failures: [Failure], count: Int) {
        var failures: [Failure] = []
        var count = 0
        for seed in seeds {
            guard let failure = live(Week(seed: seed)) else { continue }
            count += 1
            told(failure)
            if failures.count < limit { failures.append(shrunk(failure)) }
        }
        return (failures, count)
    }

    /// The same kind of failure with as little as possible around it.
    package func shrunk(_ failure: Failure) -> Failure {
        var shortest = failure
        var isShorter = true
        while isShorter {
            isShorter = false
            for week in shortest.week.shorter {
                guard let failure = live(week) else { continue }
                shortest = failure
                isShorter = true
                break
            }
        }
        return live(shortest.week, isTraced: true) ?? shortest
    }
}
