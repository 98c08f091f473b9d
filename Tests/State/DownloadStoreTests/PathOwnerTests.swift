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

    @Test("adopting a file reads no table from end to end, with the library's list and without: there are many at once")
    func adopted() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        defer { store.close() }
        let ids = try StoreFixture.add(3, to: store)
        let statements = StatementTrace(store)
        var found = StoreFixture.file
        #expect(try !store.downloads.hasOwner(of: found.path, besides: ids[0]))
        try store.write([.adopt(ids[0], found), .extrasStored(ids[0], nil)])
        found.path = "C/02 T.mp4"
        try store.write([.begin(ids[1]), .placing(ids[1], found), .finish(ids[1])])
        found.path = "C/04 T.mp4"
        var restored: [ProvenListEntry] = []
        for video in ["v3", "new"] {
            var record = FileListEntry(course: "c", title: "T")
            record.video = video
            record.stem = "C/\(video)"
            var proven = ProvenListEntry(record: record, file: found)
            proven.missing = [SidecarName(.subtitle, "en")]
            restored.append(proven)
        }
        #expect(try store.fileList.restore(restored) == 2)
        let plans = try statements.plans()
        #expect(plans.count > 10)
        #expect(plans.filter { $0.hasPrefix("SCAN ") && !$0.hasPrefix("SCAN CONSTANT ROW") } == [])
    }
}
