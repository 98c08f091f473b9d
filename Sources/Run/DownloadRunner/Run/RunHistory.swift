import DownloadStore
import RunAccess
import SyncFacts

/// The lines of a run's passes in the history, those that could do nothing included.
struct RunHistory: Sendable {
    let store: DownloadStore
    /// As they were given.
    let catalogs: [String]
    /// The sentence of a refusal.
    let wording: @Sendable (Refusal) -> String
    /// The limit on a sentence, in characters.
    private static let longest = 500

    /// Returns the number of the run.
    func begin() throws(Refusal) -> Int64 {
        do { return try store.runs.begin(catalogs: catalogs) } catch { throw Refusal(error) }
    }

    /// Returns the bytes of all files of the library.
    func end(_ run: Int64, _ summary: SyncSummary) throws(Refusal) -> Int64? {
        var end = RunEnd()
        end.finished = summary.finishedNow
        end.failed = summary.failedNow
        end.moved = summary.movedNow
        end.removed = summary.removedNow
        end.bytes = summary.bytes
        end.stop = summary.stopReason
        end.conditions = summary.conditions.map(\.rawValue).sorted()
        end.failedAt = summary.failedAt
        end.message =
            summary.errors.lazy.compactMap { problem in
                if case .refusal(let refusal) = problem { String(wording(refusal).prefix(Self.longest)) } else { nil }
            }.first
        do {
            try store.runs.end(run, end)
            return try store.runs.newest(1).first?.libraryBytes
        } catch { throw Refusal(error) }
    }

    /// Notes a pass that couldn't begin. It has its reason already, so a failure to record it adds nothing.
    func note(_ refused: SyncSummary) {
        guard let run = try? begin() else { return }
        _ = try? end(run, refused)
    }
}
