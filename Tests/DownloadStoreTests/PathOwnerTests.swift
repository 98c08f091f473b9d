import FileSystem
import Foundation
import GRDB
import TestSupport
import Testing

@testable import DownloadStore

@Suite("The owner of a path")
struct PathOwnerTests {
    @Test("is found by an index, however many rows there are: it is asked for each file that is placed")
    func indexed() throws {
        let fixture = StoreFixture()
        try fixture.open().close()
        let queue = try DatabaseQueue(path: fixture.path)
        defer { try? queue.close() }
        let plan = try queue.read { db in
            try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN \(DownloadTable.ownerQuery)", arguments: ["path": "a", "id": 1]
            ).map { row -> String in row["detail"] }
        }
        #expect(plan.count { $0.contains("USING") && $0.contains("_by_") } == 3, "\(plan)")
    }
}
