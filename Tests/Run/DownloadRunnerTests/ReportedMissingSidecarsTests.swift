import DownloadStore
import Foundation
import Testing

@testable import DownloadRunner

@Suite("Missing covers and subtitles that were told")
struct ReportedMissingSidecarsTests {
    @Test("each is told once, also by later runs, and thousands of them are few writes")
    func once() throws {
        let store = try DownloadStore.empty()
        defer { store.close() }
        func written() throws -> Int {
            let text = try store.facts.value("told_misses")
            return try text.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)).count } ?? 0
        }
        var told = ReportedMissingSidecars(store)
        #expect((0..<300).allSatisfy { told.add("cover \($0)") })
        let again = told.add("cover 7")
        #expect(!again)
        #expect(try written() == 256, "one write for many")
        told.write()
        #expect(try written() == 300)
        var later = ReportedMissingSidecars(store)
        #expect(!later.add("cover 299") && later.add("cover 300"))
        for number in 1000..<4000 { _ = later.add("cover \(number)") }
        later.write()
        #expect(try written() == 2000, "the newest ones are kept")
    }
}
