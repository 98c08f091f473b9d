import Foundation
import TestServers
import TestSupport
import Testing

@Suite("listings that are cut off")
struct ListingFaultTests {
    /// A course of five pages with two videos each, of which the last takes so many seconds, and a written one that is
    /// downloaded meanwhile.
    private func fivePages(_ world: ListingStage, last: Int = 0) throws {
        let pages = (0..<5).map { page -> [String: Any] in
            var answer: [String: Any] = ["videos": ["\(page + 1)0", "\(page + 1)1"], "known": "k"]
            if page < 4 { answer["next"] = "\(page + 1)" } else { answer["delay"] = last }
            return answer
        }
        try world.list(["c": ["pages": pages]])
        try world.catalog("  - {id: c, discover: true}\n  - {id: d, videos: [99]}")
    }

    /// Waits until a page was asked for.
    private func wait(_ world: ListingStage, for request: String) async throws {
        for _ in 0..<1500 {
            if world.stage.folder.read("plugins/lister/requests")?.contains(request) == true { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestFailure("no \(request)")
    }

    private func listed(_ world: ListingStage) throws -> Int {
        let state = try world.stage.stateCopy()
        return try ["listings", "listed_videos"].reduce(0) { try $0 + state.rows("SELECT * FROM \($1)").count }
    }

    @Test("killed between two pages: nothing of the listing counts; the next sync lists and downloads everything once")
    func killed() async throws {
        let world = try await ListingStage()
        try fivePages(world, last: 50)
        let killed = try await world.stage.sync { running in
            try await running.wait { $0.event == "download_finished" }
            try await wait(world, for: "list c 4 ")
            try await running.signal(SIGKILL)
        }
        #expect(killed.exit == 128 + SIGKILL, "\(killed.report)")
        #expect(try listed(world) == 0)
        try fivePages(world)
        _ = try world.requests()
        let run = try await world.stage.sync()
        #expect(run.exit == 0, "\(run.report)")
        let videos = (1...5).flatMap { ["\($0)0", "\($0)1"] }
        #expect(run.events("download_finished").compactMap(\.video).sorted() == videos)
        let requests = try world.requests()
        #expect(requests.count { $0.hasPrefix("list ") } == 5)
        #expect(requests.filter { $0.hasPrefix("resolve ") }.map { String($0.dropFirst(8)) }.sorted() == videos)
        #expect(try world.stage.stateCopy().states().count == 11)
        let files = world.stage.folder.names().filter { $0.hasSuffix(".mp4") }
        #expect(files.count == 11 && world.stage.folder.has("library/c/10 51.mp4"), "\(files)")
        #expect(try world.stage.strays() == [])
        await world.host.stop()
    }

    @Test(
        "a logout while a course is listed ends the run with 75; nobody is asked before the login, then everything is listed"
    )
    func loggedOut() async throws {
        let world = try await ListingStage()
        try fivePages(world, last: 50)
        let begun = try await world.stage.sync { running in
            try await running.wait { $0.event == "download_finished" }
            try await wait(world, for: "list c 4 ")
            #expect(try await world.stage.command(["logout"]).exit == 0)
        }
        #expect(begun.exit == 75, "\(begun.report)")
        #expect(begun.summary?.stopReason == "logout" && begun.events("course_listed").isEmpty)
        #expect(try listed(world) == 0)
        #expect(try world.stage.strays() == [])
        try fivePages(world)
        _ = try world.requests()
        #expect(try await world.stage.sync().exit == 77)
        #expect(try world.requests() == [])
        #expect(try await world.stage.command(["login"]).exit == 0)
        let run = try await world.stage.sync()
        #expect(run.exit == 0 && run.events("download_finished").count == 10, "\(run.report)")
        await world.host.stop()
    }

    @Test("a listing without an end is a fault of the provider: by a cursor that comes twice, or by too many pages")
    func endless() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: a, discover: true}\n  - {id: b, discover: true}\n  - {id: c, discover: true}")
        let pages = [["videos": ["1"], "next": "1"], ["videos": ["2"], "next": "2"], ["videos": ["3"], "next": "1"]]
        try world.list(["a": ["pages": pages], "b": ["endless": true], "c": ListingStage.page(["4"])])
        let run = try await world.stage.sync("catalog.yaml", [], limit: 240)
        #expect(run.exit == 69, "\(run.report)")
        let warnings = run.events("warning").compactMap(\.message)
        #expect(
            warnings.contains { $0.contains("couldn't list a: ") && $0.contains("a 'next' came twice") }, "\(warnings)")
        #expect(
            warnings.contains { $0.contains("couldn't list b: ") && $0.contains("more than 10000 pages") },
            "\(warnings)")
        #expect(run.events("download_finished").map(\.video) == ["4"])
        let requests = try world.requests()
        #expect(requests.count { $0.hasPrefix("list a ") } == 3 && requests.count { $0.hasPrefix("list b ") } == 10_000)
        await world.host.stop()
    }
}
