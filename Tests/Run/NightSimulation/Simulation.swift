import Foundation

/// A week of nights that is made of a seed, and of nothing else.
package protocol SimulatedWeek: Sendable, CustomStringConvertible {
    init(seed: UInt64)
    var seed: UInt64 { get }
    /// This week with one thing less, one after the other.
    var shorter: [Self] { get }
    /// Lives through it. Returns what went wrong; nil if nothing did.
    func live(isTraced: Bool) async -> WeekFailure<Self>?
}

/// A night that went wrong, in as short a form as was found.
package struct WeekFailure<Week: SimulatedWeek>: Error, CustomStringConvertible {
    package var week: Week
    package var night: Int
    package var problem: String
    /// What happened last, and what was said.
    package var trace: [String] = []

    package init(week: Week, night: Int, problem: String, trace: [String] = []) {
        self.week = week
        self.night = night
        self.problem = problem
        self.trace = trace
    }

    package var description: String { "night \(night): \(problem)\n\(week)\n\(trace.joined(separator: "\n"))" }
}

/// Weeks of nights, each made of a seed.
package struct Simulation<Week: SimulatedWeek>: Sendable {
    package init(_ kind: Week.Type) {}

    /// Lives through the week of each seed, as many at a time as there are processors, and tells each failure as it is
    /// found. Returns those failures, shrunk, at most `limit`, and how many there were.
    package func live(
        _ seeds: Range<UInt64>, limit: Int = 1, told: (WeekFailure<Week>) -> Void = { _ in }
    ) async -> (failures: [WeekFailure<Week>], count: Int) {
        await withTaskGroup(of: WeekFailure<Week>?.self) { group in
            var failures: [WeekFailure<Week>] = []
            var count = 0
            var rest = seeds.makeIterator()
            func begin(_ seed: UInt64) { group.addTask { await Week(seed: seed).live(isTraced: false) } }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { if let seed = rest.next() { begin(seed) } }
            for await failure in group {
                if let seed = rest.next() { begin(seed) }
                guard let failure else { continue }
                count += 1
                told(failure)
                if failures.count < limit { failures.append(await shrunk(failure)) }
            }
            return (failures, count)
        }
    }

    /// The same kind of failure with as little as possible around it.
    private func shrunk(_ failure: WeekFailure<Week>) async -> WeekFailure<Week> {
        var shortest = failure
        var isShorter = true
        while isShorter {
            isShorter = false
            for week in shortest.week.shorter {
                guard let failure = await week.live(isTraced: false) else { continue }
                shortest = failure
                isShorter = true
                break
            }
        }
        return await shortest.week.live(isTraced: true) ?? shortest
    }
}

extension Week: SimulatedWeek {
    package func live(isTraced: Bool) async -> WeekFailure<Week>? {
        var state = WeekState()
        for night in 0..<Week.nights {
            if night == Week.calm { state.loggedOut = [] }
            var run = NightRun(self, night, state, isTraced: isTraced)
            state = run.run()
            if let problem = run.problem {
                return WeekFailure(
                    week: self, night: night, problem: problem, trace: Array((run.trace ?? []).suffix(40)))
            }
        }
        return Checks.atEnd(of: self, state).map { WeekFailure(week: self, night: Week.nights, problem: $0) }
    }
}
