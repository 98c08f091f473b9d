import TestServers
import TestSupport
import Testing

@Suite("the order of downloads")
struct OrderTests {
    @Test("the highest priority comes first, then the order of the catalog")
    func order() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // The first one isn't compared: a provider that takes more than a second to start is asked for the next one,
        // too, and may answer either first (see ``AnswerStock``).
        let priorities = [0: "12", 1: nil, 2: "low", 3: "high", 4: nil, 5: "11", 6: "high"]
        let videos = priorities.sorted { $0.key < $1.key }.map { id, priority in
            CatalogText.Video(id: "\(id)", extra: priority.map { ["priority: \($0)"] } ?? [])
        }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/3000.mp4"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "1"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let order = host.requests().map { $0.path.split(separator: "/")[1] }
        #expect(order.count == priorities.count)
        #expect(order.filter { $0 != "0" } == ["5", "3", "6", "1", "4", "2"])
        await host.stop()
    }
}
