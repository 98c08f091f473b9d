import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("courses that list themselves")
struct ListingTests {
    @Test(
        "a second sync asks once a course and changes nothing; what is added comes, what is removed stays and is told")
    func nights() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        try world.list(["c": ListingStage.page(["1", ["id": "2", "title": "Two"]], known: "a", title: "Physics")])
        let first = try await world.stage.sync()
        #expect(first.exit == 0, "\(first.report)")
        #expect(first.events("course_listed").map(\.videos) == [2], "\(first.report)")
        #expect(first.events("download_finished").count == 2)
        #expect(world.stage.folder.has("library/Physics/02 Two.mp4"), "\(world.stage.folder.names())")
        _ = try world.requests()

        let state = world.stage.state
        func written() throws -> [String?] {
            try StateCopy(state).rows("SELECT asked_at || known AS text FROM listings").map { $0["text"] }
        }
        let before = try written()
        let second = try await world.stage.sync()
        #expect(second.exit == 0 && second.events("course_listed").isEmpty, "\(second.report)")
        #expect(try world.requests() == ["list c a 1"])
        #expect(try written() == before)

        try world.list(["c": ListingStage.page([["id": "2", "title": "Two"], "3"], known: "b", title: "Physics")])
        let third = try await world.stage.sync()
        #expect(third.exit == 0, "\(third.report)")
        #expect(third.events("download_finished").map(\.video) == ["3"])
        #expect(third.events("download_gone").map(\.video) == ["1"])
        #expect(
            world.stage.folder.has("library/Physics/01 1.mp4")
                || world.stage.folder.names().contains { $0.contains("1.mp4") })
        let pruned = try await world.stage.sync("catalog.yaml", ["--prune", "--max-delete", "1"])
        #expect(pruned.events("download_removed").map(\.video) == ["1"], "\(pruned.report)")
        await world.host.stop()
    }

    @Test(
        "a provider that can't list costs a warning and its exit code; the last listing is used",
        arguments: [("unavailable", 75), ("auth_required", 77), ("forbidden", 1), ("odd", 69)])
    func failures(kind: String, exit: Int) async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: a, discover: true}\n  - {id: b, discover: true}")
        try world.list(["a": ListingStage.page(["1", "2"]), "b": ListingStage.page(["3"])])
        #expect(try await world.stage.sync().exit == 0)
        try world.list(["a": ["error": kind], "b": ListingStage.page(["3", "4"])])
        let night = try await world.stage.sync()
        #expect(night.exit == Int32(exit), "\(night.report)")
        #expect(night.events("download_finished").map(\.video) == ["4"] && night.events("download_gone").isEmpty)
        let warnings = night.events("warning").compactMap(\.message)
        #expect(warnings.contains { $0.contains("couldn't list a: ") && $0.contains("no listing") }, "\(warnings)")
        let offline = try await world.stage.sync("catalog.yaml", ["--no-discover"])
        #expect(offline.exit == 0 && offline.summary?.downloads?["finished"] == 4, "\(offline.report)")
        await world.host.stop()
    }

    @Test("an id that can't be used costs that video only, with a warning that names the course; it counts for nothing")
    func unusableIDs() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        try world.list(["c": ListingStage.page(["1", "", String(repeating: "x", count: 1025), "2"])])
        let night = try await world.stage.sync()
        #expect(night.exit == 0 && night.events("course_listed").map(\.videos) == [2], "\(night.report)")
        #expect(Set(night.events("download_finished").map(\.video)) == ["1", "2"])
        let warnings = night.events("warning").compactMap(\.message)
        #expect(warnings.contains { $0.contains("the listing of c has 2 videos with an empty id") }, "\(warnings)")
        await world.host.stop()
    }

    @Test("a wrong answer to list is told once, and with its course", arguments: ["odd", "title"])
    func wrongAnswer(fault: String) async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        let title = String(repeating: "x", count: 1025)
        let answer: [String: Any] = fault == "odd" ? ["error": "odd"] : ListingStage.page(["1"], title: title)
        try world.list(["c": answer])
        let night = try await world.stage.run(["sync", world.stage.folder.at("catalog.yaml").string])
        let words = fault == "odd" ? "no listing" : "'title' in its answer is longer than"
        #expect(night.error.components(separatedBy: words).count == 2, "\(night.error)")
        #expect(night.error.contains("couldn't list c: "), "\(night.error)")
        await world.host.stop()
    }

    @Test("a listing that shrinks isn't trusted at once, and is used with --accept-listing")
    func shrinks() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        try world.list(["c": ListingStage.page((1...5).map { "\($0)" })])
        #expect(try await world.stage.sync().exit == 0)
        try world.list(["c": ListingStage.page([])])
        let doubted = try await world.stage.sync("catalog.yaml", ["--prune", "--max-delete", "100%"])
        // That many may be pruned, but nothing is a mistake by itself.
        #expect(doubted.exit == 75 && doubted.events("download_gone").isEmpty, "\(doubted.report)")
        #expect(doubted.events("warning").contains { $0.message?.contains("lacks 5 of 5 videos") == true })
        try world.list(["c": ListingStage.page(["1", "2", "3"])])
        #expect(try await world.stage.sync().exit == 75)
        let accepted = try await world.stage.sync("catalog.yaml", ["--accept-listing"])
        #expect(accepted.exit == 0 && accepted.events("download_gone").count == 2, "\(accepted.report)")
        await world.host.stop()
    }

    @Test("downloads of the first course are finished before the last one is listed, and its own come in the same run")
    func early() async throws {
        let world = try await ListingStage()
        try world.catalog(
            "  - {id: slow, discover: true}\n  - {id: quick, discover: true}\n  - {id: written, videos: [9]}")
        var slow = ListingStage.page(["1", "2"])
        slow["delay"] = 4
        try world.list(["slow": slow, "quick": ListingStage.page(["3"])])
        let run = try await world.stage.sync()
        #expect(run.exit == 0, "\(run.report)")
        let order = run.events.filter { ["course_listed", "download_finished", "downloads_added"].contains($0.event) }
            .map { $0.video ?? $0.course ?? $0.event }
        #expect(
            order.first == "quick" && order.suffix(4).sorted() == ["1", "2", "downloads_added", "slow"], "\(order)")
        #expect(run.summary?.downloads?["finished"] == 4 && run.summary?.finishedNow == 4)
        #expect(try world.stage.strays() == [])
        await world.host.stop()
    }

    @Test("a video that is being transferred when another course lists it is transferred once")
    func sharedLate() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: quick, discover: true}\n  - {id: slow, discover: true}")
        let video: [String: Any] = ["id": "v", "parameters": ["path": "7/300000.mp4?rate=80000&x="]]
        var slow = ListingStage.page([video])
        slow["delay"] = 2
        try world.list(["quick": ListingStage.page([video]), "slow": slow])
        let run = try await world.stage.sync()
        #expect(run.exit == 0 && run.summary?.finishedNow == 2, "\(run.report)")
        #expect(world.host.requests().map(\.served).reduce(0, +) < 400_000)
        await world.host.stop()
    }

    @Test("200 courses are asked at once within the provider's concurrency, page after page")
    func many() async throws {
        let world = try await ListingStage()
        let names = (1...200).map { "c\($0)" }
        try world.catalog(names.map { "  - {id: \($0), discover: true}" }.joined(separator: "\n"))
        try world.list(
            Dictionary(
                uniqueKeysWithValues: names.map { name -> (String, Any) in
                    let pages: [[String: Any]] = [
                        ["videos": [["id": "\(name)-1", "parameters": ["path": "7"]]], "next": "1"],
                        ["videos": [["id": "\(name)-2", "parameters": ["path": "7"]]]],
                    ]
                    return (name, ["pages": pages, "delay": 0.01] as [String: Any])
                }))
        let run = try await world.stage.sync("catalog.yaml", [], limit: 120)
        #expect(run.exit == 0 && run.summary?.downloads?["finished"] == 400, "\(run.report)")
        let lists = try world.requests().filter { $0.hasPrefix("list ") }
        #expect(lists.count == 400 && lists.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.max() == 4)
        await world.host.stop()
    }

    @Test("a Ctrl-C while courses are listed ends the run at once, and loses nothing")
    func interrupted() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: slow, discover: true}\n  - {id: quick, discover: true}")
        var slow = ListingStage.page(["1"])
        slow["delay"] = 25
        try world.list(["slow": slow, "quick": ListingStage.page(["2"])])
        let stopped = try await world.stage.sync { running in
            try await running.wait { $0.event == "download_finished" }
            try await running.signal(SIGINT)
        }
        #expect(stopped.exit == 75 && stopped.seconds < 20, "\(stopped.report)")
        #expect(try world.stage.strays() == [])
        try world.list(["slow": ListingStage.page(["1"]), "quick": ListingStage.page(["2"])])
        #expect(try await world.stage.sync().exit == 0)
        await world.host.stop()
    }

    @Test("parameters with a secret of the login are refused, and aren't stored")
    func secrets() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        try world.stage.folder.write("canary-password", to: "secret")
        let login = try await world.stage.run(
            ["login", "--provider", "lister", "--secrets-from", world.stage.folder.at("secret").string])
        #expect(login.exit == 0, "\(login.report)")
        try world.list([
            "c": ListingStage.page([["id": "1", "parameters": ["token": "x-canary-password"]]])
        ])
        let run = try await world.stage.sync()
        #expect(
            run.exit == 69 && run.events("warning").contains { $0.message?.contains("has a secret") == true },
            "\(run.report)")
        #expect(try world.stage.stateCopy().rows("SELECT * FROM listed_videos").isEmpty)
        await world.host.stop()
    }
}

extension ListingTests {
    @Test("what catalog from prints is read back as it was listed, whatever is in ids and titles")
    func generated() async throws {
        let world = try await ListingStage()
        let odd = [
            "a: b", "- x", "'q'", "\"q\"", "yes", "007", "\u{2028}sep\u{85}", "e\u{301}", "#1", "{x}", "\t", "😀",
        ]
        try world.list([
            "c": ListingStage.page(odd.map { ["id": $0, "title": "T \($0)", "parameters": ["path": "7"]] })
        ])
        let printed = try await world.stage.run(["catalog", "from", "lister", "--id", "c", "--expand"])
        #expect(printed.exit == 0, "\(printed.report)")
        try world.stage.folder.write(printed.output, to: "catalog.yaml")
        let run = try await world.stage.sync()
        #expect(run.exit == 0, "\(run.report)\(printed.output)")
        let asked = Set(try world.requests().filter { $0.hasPrefix("resolve ") }.map { String($0.dropFirst(8)) })
        #expect(odd.filter { !asked.contains("\($0)") && !$0.contains("\u{2028}") } == [], "\(asked)")
        #expect(run.events("download_finished").contains { $0.video == "\u{2028}sep\u{85}" })
        // Nobody is asked, and nothing is known of a course that was never listed.
        try world.catalog("  - {id: never, discover: true}")
        let offline = try await world.stage.sync("catalog.yaml", ["--no-discover"])
        #expect(offline.events("warning").contains { $0.message?.contains("never: never listed") == true })
        await world.host.stop()
    }
}
