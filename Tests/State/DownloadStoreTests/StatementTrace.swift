import GRDB
import Synchronization

@testable import DownloadStore

/// The statements of a store from now on, and how SQLite carries them out.
final class StatementTrace: Sendable {
    private let statements = Mutex<Set<String>>([])
    private let store: DownloadStore

    init(_ store: DownloadStore) {
        self.store = store
        store.downloads.file.queue.inDatabase { db in
            db.trace { [weak self] event in
                guard case .statement(let statement) = event else { return }
                self?.statements.withLock { _ = $0.insert(statement.sql) }
            }
        }
    }

    /// Ends the trace. Each step of a plan with its statement, as in `SCAN downloads USING INDEX i: SELECT …`.
    func plans() throws -> [String] {
        try store.downloads.file.queue.inDatabase { db in
            db.trace()
            // SQLite traces the statements of triggers as comments.
            let others = ["BEGIN", "COMMIT", "--"]
            let all = statements.withLock { $0 }.filter { sql in !others.contains { sql.hasPrefix($0) } }
            return try all.flatMap { sql in
                let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
                statement.setUncheckedArguments(StatementArguments())
                return try Row.fetchAll(statement).map { row -> String in "\(row["detail"] as String): \(sql)" }
            }
        }
    }
}
