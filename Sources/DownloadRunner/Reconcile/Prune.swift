import DownloadStore
import Foundation

/// Deletes what is no longer in its catalog, if that isn't suspiciously much.
enum Prune {
    enum Verdict: Sendable, Equatable {
        case nothing
        case delete([Reconciliation.Gone])
        /// More would go than is allowed, so none goes.
        case held
    }

    /// Only files count against the limit: rows without one cost nothing.
    static func verdict(_ plan: Reconciliation, _ limit: MaxDelete) -> Verdict {
        guard !plan.gone.isEmpty else { return .nothing }
        let files = plan.gone.count { $0.file != nil }
        return files > limit.limit(finished: plan.finishedInJudged) ? .held : .delete(plan.gone)
    }

    static func message(_ plan: Reconciliation, _ limit: MaxDelete) -> String {
        let files = plan.gone.count { $0.file != nil }
        return """
            --prune would delete \(files) of \(plan.finishedInJudged) finished files, which is more than allowed; nothing \
            was deleted. If that is right, run it again with --max-delete \(files)
            """
    }

    /// Deletes the files and then the row; what isn't provably ours stays, and so does its row. True if it is gone.
    static func delete(_ gone: Reconciliation.Gone, _ store: DownloadStore, _ library: LibraryFolder) throws -> Bool {
        if let file = gone.file, case .notOurs = try library.remove(file.path, record: FileRecord(file)) {
            return false
        }
        for sidecar in try store.sidecars(of: [gone.id]) {
            let record = FileRecord(size: sidecar.size, modified: sidecar.modified, sha256: nil)
            _ = try library.remove(sidecar.path, record: record)
        }
        for name in PartialName.all(of: gone.id) { try library.removePartial(name) }
        try store.delete([gone.id])
        return true
    }
}

extension Reconciliation.Gone: Equatable {
    static func == (a: Self, b: Self) -> Bool { a.id == b.id }
}
