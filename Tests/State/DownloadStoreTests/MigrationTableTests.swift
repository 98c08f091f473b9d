import Foundation
import Testing

@testable import DownloadStore

@Suite("The journal of migrations")
struct MigrationTableTests {
    @Test("a record of a source has its last result, and no other source's")
    func entries() throws {
        let store = try StoreFixture().open()
        let (one, other) = (Data([1]), Data([2]))
        let key = DownloadKey(course: "c", video: "v")
        try store.migrations.record(
            [
                MigrationEntry(record: one, code: .fileLost, key: key),
                MigrationEntry(record: other, code: .notReady, key: nil),
            ], of: "aria2 /old")
        try store.migrations.record([MigrationEntry(record: one, code: .added, key: key)], of: "aria2 /old")
        try store.migrations.record([MigrationEntry(record: one, code: .failed, key: nil)], of: "aria2 /other")
        let found = try store.migrations.entries(of: "aria2 /old")
        #expect(found[one] == MigrationEntry(record: one, code: .added, key: key))
        #expect(found[other] == MigrationEntry(record: other, code: .notReady, key: nil))
        #expect(found.count == 2)
        #expect(try store.migrations.entries(of: "wget /old").isEmpty)
    }
}
