import FileSystem
import Foundation
import TestSupport
import Testing

@testable import DownloadStore

@Suite("Rows that an overview reads")
struct OverviewTests {
    private let fixture = StoreFixture()

    @Test("sums match the rows, by chapter and state, with gone ones apart")
    func sums() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(6, to: store)
        let validators = Validators(etag: "\"x\"", lastModified: nil)
        try store.write([
            .begin(ids[0]), .placing(ids[0], StoreFixture.file), .begin(ids[1]),
            .progress(ids[1], ProgressFacts(bytes: 5, total: 9, validators: validators)),
        ])
        try store.write([.finish(ids[0])])
        let sums = try store.downloads.sums()
        let finished = try #require(sums.first { $0.state == .finished })
        #expect(finished.course == "c" && finished.chapter == nil && finished.count == 1 && !finished.isGone)
        #expect(finished.doneBytes == 9 && finished.knownBytes == 9 && finished.missingBytes == 0)
        #expect(finished.diskBytes == 9 && finished.fromOtherSource == 0)
        let active = try #require(sums.first { $0.state == .active })
        #expect(active.count == 1 && active.doneBytes == 5 && active.knownBytes == 9 && active.missingBytes == 4)
        #expect(active.diskBytes == 5)
        let waiting = try #require(sums.first { $0.state == .waiting })
        #expect(waiting.count == 4 && waiting.knownSizes == 0 && waiting.doneBytes == 0)
        #expect(sums.count == 3)
    }

    @Test("only rows that need attention are read, in catalog order, up to the limit")
    func notable() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(500, to: store)
        let error = DownloadError(kind: .network, message: "it broke")
        try store.write([400, 300, 7].flatMap { [.begin(ids[$0]), .fail(ids[$0], error, retryAt: nil)] })
        func videos(atMost limit: Int) throws -> [String] {
            var found: [String] = []
            try store.downloads.each(of: store.downloads.notable(atMost: limit)) { found.append($0.key.video) }
            return found
        }
        #expect(try videos(atMost: 100) == ["v8", "v301", "v401"])
        #expect(try videos(atMost: 2) == ["v8", "v301"])
    }
}
