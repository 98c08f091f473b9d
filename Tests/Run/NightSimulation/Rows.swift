import DownloadStore
import Foundation

/// The state's rows of the downloads: the rules of the store over rows in memory. A kill drops everything uncommitted.
struct Rows {
    struct Row: Equatable {
        var state = DownloadState.waiting
        var retryAt: Date?
        var failedRuns = 0
        var durable: Int64 = 0
        var priority: Int?
        var error: DownloadError?
        var reason: SuspendReason?
        var isGivenUp = false
    }

    private(set) var rows: [DownloadID: Row] = [:]
    private var journal: [(at: Double, change: DownloadChange)] = []
    /// The first change that the table refuses.
    private(set) var refusal: String?

    subscript(id: DownloadID) -> Row {
        get { rows[id] ?? Row() }
        set { rows[id] = newValue }
    }

    mutating func note(_ change: DownloadChange, at now: Double) { journal.append((now, change)) }

    /// Makes all durable that was noted until then.
    mutating func commit(upTo instant: Double = .infinity) {
        for (at, change) in journal where at <= instant { apply(change) }
        journal = []
    }

    private mutating func move(
        _ id: DownloadID, _ transition: StateTransition, _ change: (inout Row) -> Void = { _ in }
    ) {
        guard let after = self[id].state.after(transition) else {
            refusal = refusal ?? "\(transition) of \(id.rawValue), which is \(self[id].state)"
            return
        }
        self[id].state = after
        change(&self[id])
    }

    private mutating func apply(_ change: DownloadChange) {
        let before = if case .revive(let id) = change { self[id].state } else { DownloadState.waiting }
        switch change {
        case .begin(let id): move(id, .begin) { $0.retryAt = nil }
        case .putBack(let id, let retryAt, let error):
            move(id, .putBack) {
                $0.retryAt = retryAt
                $0.error = error
            }
        case .revive(let id):
            move(id, .revive) { row in
                if before == .failed { row.failedRuns -= 1 }
                row.retryAt = nil
            }
        case .suspend(let id, let reason): move(id, .suspend) { $0.reason = reason }
        case .finish(let id):
            move(id, .finish) {
                $0.failedRuns = 0
                $0.durable = 0
            }
        case .fail(let id, let error, let retryAt):
            move(id, .fail) {
                $0.retryAt = retryAt
                $0.error = error
                $0.failedRuns += 1
            }
        case .steer(let id, let transition):
            move(id, transition) { row in
                row.retryAt = nil
                if transition == .cancel { row.durable = 0 }
            }
        case .prioritize(let id, let priority): self[id].priority = priority
        default: break
        }
    }

    /// The start of a sync: rows of a killed run are suspended, and suspended or due ones wait.
    mutating func recover(at now: Date) {
        for (id, row) in rows {
            let status = RowStatus(state: row.state, reason: row.reason, retryAt: row.retryAt)
            let recovered = status.recovered(at: now).status
            self[id].state = recovered.state
            self[id].reason = recovered.reason
            self[id].retryAt = recovered.retryAt
        }
    }
}
