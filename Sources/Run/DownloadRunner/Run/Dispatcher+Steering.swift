import CatalogComparison
import DownloadJobs
import DownloadStore
import FilePlacement
import Foundation
import RunAccess
import RunSchedule
import SyncFacts

/// The user's commands during a run: ``Schedule`` decides when rows may change, ``Steering`` changes them.
extension Dispatcher {
    /// The pending requests.
    struct Requests {
        /// Nil if the last turn is over: nothing was done.
        typealias Answer = Swift.Result<[SteeringOutcome]?, any Error>

        private struct Open {
            var kind: Command.Kind
            var newPriority: PriorityChange?
            var continuation: CheckedContinuation<Answer, Never>
            var outcome: Answer = .success([])
        }

        private var open: [Int: Open] = [:]
        /// Courses that wait to be compared.
        private var arrivals: [Int: CheckedContinuation<Int?, Never>] = [:]
        private var last = 0
        /// Of the rows that have just been changed.
        var references: [DownloadID: VideoReference] = [:]
        /// New plans for those of them that wait again.
        var again: [DownloadID: WantedDownload] = [:]

        /// Keeps a request until it is answered. Returns its number.
        mutating func add(
            _ kind: Command.Kind, _ newPriority: PriorityChange?, _ continuation: CheckedContinuation<Answer, Never>
        ) -> Int {
            last += 1
            open[last] = Open(kind: kind, newPriority: newPriority, continuation: continuation)
            return last
        }

        /// Keeps an arrival until it is admitted, or the last turn is over. Returns its number.
        mutating func add(_ continuation: CheckedContinuation<Int?, Never>) -> Int {
            last += 1
            arrivals[last] = continuation
            return last
        }

        mutating func admit(_ number: Int) { arrivals.removeValue(forKey: number)?.resume(returning: number) }

        func newPriority(_ number: Int) -> PriorityChange? { open[number]?.newPriority }

        func transition(_ number: Int) -> StateTransition? {
            if case .steer(let transition, _)? = open[number]?.kind { transition } else { nil }
        }

        mutating func note(_ number: Int, _ outcome: Answer) { open[number]?.outcome = outcome }

        mutating func answer(_ number: Int, _ answer: Command.Answer) {
            arrivals.removeValue(forKey: number)?.resume(returning: nil)
            guard let request = open.removeValue(forKey: number) else { return }
            switch answer {
            case .over: request.continuation.resume(returning: .success(nil))
            case .done(let busy):
                let stay = busy.map { id in
                    let after = Self.transition(request.kind).flatMap { DownloadState.active.after($0) }
                    return SteeringOutcome(
                        id: id, before: .active, after: .active, verdict: after == nil ? .refused : .same)
                }
                request.continuation.resume(returning: request.outcome.map { $0.map { $0 + stay } })
            }
        }

        private static func transition(_ kind: Command.Kind) -> StateTransition? {
            if case .steer(let transition, _) = kind { transition } else { nil }
        }
    }

    /// Pause, resume, cancel, retry or remove. Nil if the last turn is over: nothing was done.
    func steer(_ transition: StateTransition, _ ids: [DownloadID]) async throws -> [SteeringOutcome]? {
        try await ask(.steer(transition, ids))
    }

    /// Gives downloads another priority; with `now` they start at once, in place of others if necessary. Nil if the
    /// last turn is over: nothing was done.
    func prioritize(_ newPriority: PriorityChange, _ ids: [DownloadID]) async throws -> [SteeringOutcome]? {
        try await ask(.prioritize(isNow: newPriority == .now, ids), newPriority)
    }

    /// Sets the number of active downloads. Those beyond it go back to waiting, the lowest priority first.
    func setJobs(_ jobs: JobCount) async {
        services.adjustable.jobs = jobs
        _ = try? await ask(
            .jobs(jobs.first, isAutomatic: jobs == .automatic, hostCap: services.hostConnections))
    }

    /// Suspends downloads of a provider whose credentials were deleted.
    func providerLoggedOut(_ provider: String) async {
        // After the last turn the run's own copy is deleted, too.
        if (try? await ask(.loggedOut(provider))) == nil { await services.providers.forgetCredentials(of: provider) }
    }

    /// Continues downloads that waited for a login at a provider. False if the last turn is over.
    func providerLoggedIn(_ provider: String) async throws -> Bool { try await ask(.loggedIn(provider)) != nil }

    private func ask(_ kind: Command.Kind, _ newPriority: PriorityChange? = nil) async throws -> [SteeringOutcome]? {
        try await withCheckedContinuation { continuation in
            let number = requests.add(kind, newPriority, continuation)
            handle(.command(number, kind))
        }.get()
    }

    // MARK: actions of the schedule

    /// Changes the rows.
    func apply(_ number: Int, _ ids: [DownloadID]) async {
        let bookkeeper = services.bookkeeper
        let steering = Steering(store: services.store, library: services.library) { await bookkeeper.commit($0) }
        _ = await bookkeeper.commit([])
        var changed: [(record: DownloadRecord, before: DownloadState)] = []
        do {
            let result =
                if let newPriority = requests.newPriority(number) {
                    try await steering.prioritize(newPriority, ids)
                } else {
                    try await steering.apply(requests.transition(number) ?? .resume, to: ids)
                }
            requests.note(number, .success(result.outcomes))
            changed = result.changed
        } catch {
            // The state can't be read or written: the run ends because of that.
            requests.note(number, .failure(error))
        }
        let rows = changed.map { record, before in
            requests.references[record.id] = VideoReference(record)
            let again = revivedDownloads?.wanted(record)
            requests.again[record.id] = again
            return Schedule.SteeredRow(
                id: record.id, before: before, after: record.state, priority: record.priority,
                retryAt: record.retryAt,
                wanted: again.map(record.state == .finished ? services.question : services.scheduled))
        }
        handle(.applied(number, rows))
        requests.references = [:]
        requests.again = [:]
    }

    func forgetCredentials(_ number: Int, _ provider: String) async {
        await services.providers.forgetCredentials(of: provider)
        _ = await services.bookkeeper.commit([])
        handle(.applied(number, []))
    }

    func reloadCredentials(_ number: Int, _ provider: String) async {
        await services.providers.reloadCredentials(of: provider)
        handle(.applied(number, []))
    }
}
