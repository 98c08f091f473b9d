import Foundation
import Testing

@testable import DownloadStore

@Suite("The start of a run")
struct RunStartTests {
    @Test("finds what an ended process left by the index of unfinished rows, however many are finished")
    func indexed() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        defer { store.close() }
        let ids = try StoreFixture.add(2, to: store)
        try store.write([.begin(ids[0]), .placing(ids[0], StoreFixture.file), .begin(ids[1])])
        let statements = StatementTrace(store)
        #expect(try store.runs.isUnsettled())
        #expect(try store.runs.recover().map(\.id) == [ids[0]])
        let plans = try statements.plans().filter { $0.contains(": SELECT") && $0.contains(" downloads") }
        #expect(plans.count >= 3)
        #expect(plans.filter { $0.hasPrefix("SCAN downloads") && !$0.contains("downloads_unfinished") } == [])
    }
}
