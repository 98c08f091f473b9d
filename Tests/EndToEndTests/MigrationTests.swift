import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("migrate")
struct MigrationTests {
    @Test(
        "finished files come in, a second run changes nothing, and a sync has only the rest to do",
        arguments: ["--copy", "--link"])
    func adopts(method: String) async throws {
        let world = try await MigrationStage(1...4)
        for id in 1...3 { try world.video(id) }
        try world.list((1...3).map { "c,\($0),\($0).mp4,finished,\(MigrationStage.size)" })
        let before = try world.source()
        let first = try await world.migrate([method])
        #expect(first.exit == 0, "\(first.outcome.report)\(first.outcome.output)")
        #expect(first.records.map(\.result) == ["added", "added", "added"])
        #expect(first.records.first?.path == "Course/01 1.mp4")
        #expect(try world.source() == before)
        #expect(world.host.requests().isEmpty, "a migration asks nobody")
        let isLink =
            inode(world.stage.library.appending("Course/01 1.mp4")) == inode(world.stage.folder.at("old/1.mp4"))
        #expect(isLink == (method == "--link"))

        let rows = try ["downloads", "sidecars", "courses", "migrations"].map(world.rows)
        let second = try await world.migrate([method])
        #expect(second.exit == 0, "\(second.outcome.report)")
        #expect(second.records.map(\.earlier) == [true, true, true])
        #expect(try ["downloads", "sidecars", "courses", "migrations"].map(world.rows) == rows)

        let sync = try await world.stage.sync()
        #expect(sync.exit == 0, "\(sync.report)")
        #expect(world.requests() == ["/media/4/\(MigrationStage.size).mp4 whole"])
        #expect(LibraryFiles(world.stage.library).paths.count == 4)
        let digests = Set(LibraryFiles(world.stage.library).digests.values)
        #expect(digests == Set((1...4).map { MigrationStage.content($0).sha256Text }))
        #expect(try world.stage.strays() == [])
        await world.host.stop()
    }

    @Test("every result has its code, and what remains ends the run with 75")
    func codes() async throws {
        let wrong = String(repeating: "0", count: 64)
        let world = try await MigrationStage(1...9, extra: [4: ["sha256: \(wrong)"], 5: ["size: 77"]])
        for id in 1...8 { try world.video(id) }
        try world.stage.folder.remove("old/2.mp4")
        #expect(try await world.stage.sync("catalog.yaml", ["--only", "c/*/8"]).exit == 0)
        try world.list(["c,8,8.mp4,finished,"])
        #expect(try await world.migrate().records.map(\.result) == ["duplicate"])
        #expect(try await world.stage.command(["cancel", "c/*/7"]).exit == 0)
        try world.list([
            "c,1,1.mp4,finished,", "c,2,2.mp4,finished,", "c,3,3.mp4,unfinished,", "c,4,4.mp4,finished,",
            "c,5,5.mp4,finished,", "c,6,../6.mp4,finished,", "c,7,7.mp4,finished,", "c,8,8.mp4,finished,",
            "c,99,8.mp4,finished,",
        ])
        let report = try await world.migrate()
        #expect(report.exit == 75, "\(report.outcome.report)")
        #expect(
            report.records.map { "\($0.video ?? "none") \($0.result)" }.sorted() == [
                "1 added", "2 file_lost", "3 uncompleted", "4 file_lost", "5 file_lost", "6 invalid_record",
                "7 not_ready", "8 duplicate", "none not_ready",
            ], "\(report.outcome.output)")
        for record in report.records where !["added", "duplicate"].contains(record.result) {
            #expect(record.message?.isEmpty == false, "\(record)")
        }
        // What can't be adopted is downloaded if that is wanted.
        let again = try await world.migrate(["--requeue"])
        #expect(again.exit == 75, "one record is in no catalog: \(again.outcome.output)")
        let states = try world.stage.stateCopy().states()
        #expect(states["1"] == "finished" && states["7"] == "finished" && states["2"] == "waiting")
        #expect(
            again.records.filter { $0.result == "added" && $0.queued == true }.compactMap(\.video).sorted()
                == ["2", "3", "4", "5", "6"], "\(again.outcome.output)")
        await world.host.stop()
    }

    @Test("in a course whose files are missing nothing is touched: its records aren't ready")
    func held() async throws {
        let world = try await MigrationStage(1...12)
        for id in 1...12 { try world.video(id) }
        try world.list((1...11).map { "c,\($0),\($0).mp4,finished," })
        #expect(try await world.migrate().exit == 0)
        try world.stage.folder.move("library/Course", to: "library/elsewhere")
        try world.list(["c,12,12.mp4,finished,"])
        let report = try await world.migrate()
        #expect(report.exit == 75)
        #expect(report.results == ["c/12 not_ready course_held"], "\(report.outcome.output)")
        #expect(try world.stage.stateCopy().states().values.count { $0 == "finished" } == 11)
        try world.stage.folder.move("library/elsewhere", to: "library/Course")
        #expect(try await world.migrate().exit == 0)
        await world.host.stop()
    }

    @Test("a partial is continued if the server has its bytes, and dropped if it hasn't")
    func partials() async throws {
        let world = try await MigrationStage(1...3)
        try world.video(1, upTo: 250_000)
        try world.file("2.mp4", MigrationStage.content(77).bytes(0..<250_000))
        // The same beginning and end, and something else in the middle.
        var mixed = MigrationStage.content(3).bytes(0..<250_000)
        mixed.replaceSubrange(100_000..<100_100, with: [UInt8](repeating: 7, count: 100))
        try world.file("3.mp4", mixed)
        try world.list((1...3).map { "c,\($0),\($0).mp4,unfinished,\(MigrationStage.size)" })
        let before = try world.source()
        let report = try await world.migrate()
        #expect(report.exit == 75)
        #expect(report.records.map(\.result) == ["uncompleted", "uncompleted", "uncompleted"])
        #expect(report.records.map(\.bytes) == [250_000, 250_000, 250_000])
        let twice = try world.rows("downloads")
        #expect(try await world.migrate().exit == 75)
        #expect(try world.rows("downloads") == twice)
        let sync = try await world.stage.sync("catalog.yaml", ["--jobs", "1"])
        #expect(sync.exit == 0, "\(sync.report)")
        #expect(try world.source() == before)
        let digests = LibraryFiles(world.stage.library).digests.values.sorted()
        #expect(digests == (1...3).map { MigrationStage.content($0).sha256Text }.sorted())
        let requests = world.requests()
        #expect(requests.contains { $0.hasPrefix("/media/1/") && $0.hasSuffix("bytes=250000-") }, "\(requests)")
        #expect(!requests.contains { $0.hasPrefix("/media/1/") && $0.hasSuffix("whole") }, "\(requests)")
        for id in 2...3 { #expect(requests.contains { $0.hasPrefix("/media/\(id)/") && $0.hasSuffix("whole") }) }
        let last = try await world.migrate()
        #expect(last.exit == 0 && last.records.map(\.result) == ["duplicate", "duplicate", "duplicate"])
        await world.host.stop()
    }

    @Test("a map tells which video a file is; what it has for nobody is told")
    func map() async throws {
        let world = try await MigrationStage(1...2)
        try world.file("first.mp4", MigrationStage.content(1).all)
        try world.file("deep/second.mp4", MigrationStage.content(2).all)
        try world.list(["first.mp4", "deep/second.mp4"], columns: "path")
        #expect(
            try await world.migrate().results == ["first.mp4 not_ready no_video", "deep/second.mp4 not_ready no_video"])
        try world.stage.folder.write("first: c/1\nsecond.mp4: c/2\nthird: c/1\n", to: "map.yaml")
        let report = try await world.migrate(["--map", world.stage.folder.at("map.yaml").string])
        #expect(report.exit == 0, "\(report.outcome.output)")
        #expect(report.records.map(\.video) == ["1", "2"])
        await world.host.stop()
    }

    @Test("a dry run tells the results, and makes nothing")
    func dryRun() async throws {
        let world = try await MigrationStage(1...2)
        try world.video(1)
        try world.video(2, upTo: 1000)
        try world.list(["c,1,1.mp4,finished,", "c,2,2.mp4,unfinished,300000"])
        let report = try await world.migrate(["--dry-run"])
        #expect(report.exit == 75)
        #expect(report.records.map(\.result) == ["added", "uncompleted"])
        #expect(report.records.map(\.bytes) == [MigrationStage.size, 1000])
        #expect(!world.stage.folder.has("state") && !world.stage.folder.has("library"))
        await world.host.stop()
    }

    @Test("a catalog is written for what is in none, and is used at once and by the next run")
    func newCatalog() async throws {
        let world = try await MigrationStage(1...2)
        for id in 1...2 { try world.file("My talks/\(id).mp4", MigrationStage.content(id).all) }
        try world.list(
            (1...2).map {
                "My talks/\($0).mp4,\(world.host.url("/media/\($0)/\(MigrationStage.size).mp4")),Talk \($0)"
            },
            columns: "path,url,title")
        let catalog = world.stage.folder.at("new/mine.yaml").string
        for round in 1...2 {
            let report = try await world.migrate(["--write-catalog", catalog], catalog: false)
            #expect(report.exit == 0, "\(report.outcome.report)\(report.outcome.output)")
            #expect(report.records.map(\.result) == ["added", "added"], "round \(round)")
        }
        let sync = try await world.stage.sync("new/mine.yaml")
        #expect(sync.exit == 0, "\(sync.report)")
        #expect(world.host.requests().isEmpty, "nothing was missing")
        #expect(
            LibraryFiles(world.stage.library).paths.map { $0.split(separator: "/").last ?? "" } == [
                "01 Talk 1.mp4", "02 Talk 2.mp4",
            ])
        await world.host.stop()
    }

    @Test("what is queued waits, or is paused if it shouldn't start")
    func noStart() async throws {
        let world = try await MigrationStage(1...2)
        try world.video(1, upTo: 1000)
        try world.list(["c,1,1.mp4,unfinished,300000"])
        let report = try await world.migrate(["--requeue", "--no-start"])
        #expect(report.exit == 0, "\(report.outcome.output)")
        #expect(try world.stage.stateCopy().states() == ["1": "paused", "2": "waiting"])
        #expect(try await world.migrate().records.map(\.earlier) == [true])
        #expect(try await world.migrate(["--requeue"]).exit == 0)
        #expect(try world.stage.stateCopy().states()["1"] == "waiting")
        #expect(try await world.migrate(["--requeue", "--no-start"]).exit == 0)
        #expect(try world.stage.stateCopy().states()["1"] == "paused")
        await world.host.stop()
    }

    @Test("the source is removed only when everything of it is in with the same bytes, and only what is known of it")
    func removal() async throws {
        let world = try await MigrationStage(1...2)
        for id in 1...2 { try world.video(id) }
        try world.file("notes.txt", [1, 2, 3])
        try world.list(["c,1,1.mp4,finished,", "c,2,2.mp4,finished,", "c,9,9.mp4,finished,"])
        #expect(try await world.migrate(["--remove-source"]).exit == 75)
        #expect(world.stage.folder.has("old/1.mp4") && world.stage.folder.has("old/list.csv"))
        // The library's file isn't the source's any more.
        try world.list(["c,1,1.mp4,finished,", "c,2,2.mp4,finished,"])
        try world.file("2.mp4", MigrationStage.content(3).all)
        #expect(try await world.migrate(["--remove-source"]).exit == 75)
        #expect(world.stage.folder.has("old/1.mp4") && world.stage.folder.has("old/2.mp4"))
        try world.video(2)
        // The library's file is damaged, and nothing tells but its bytes.
        let place = world.stage.library.appending("Course/01 1.mp4").string
        let time = try FileManager.default.attributesOfItem(atPath: place)[.modificationDate] as? Date
        let file = try FileDescriptor.open(FilePath(place), .readWrite)
        try file.writeAll(toAbsoluteOffset: 1000, [1, 2, 3, 4])
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: place)
        #expect(try await world.migrate(["--remove-source"]).exit == 75)
        #expect(world.stage.folder.has("old/1.mp4") && world.stage.folder.has("old/2.mp4"))
        #expect(try await world.stage.command(["verify", "--repair"]).exit == 1)
        #expect(try await world.stage.sync().exit == 0)
        let report = try await world.migrate(["--move", "--remove-source"])
        #expect(report.exit == 0, "\(report.outcome.output)")
        #expect(world.stage.folder.names().filter { $0.hasPrefix("old/") } == ["old/notes.txt"])
        #expect(LibraryFiles(world.stage.library).paths.count == 2)
        await world.host.stop()
    }

    @Test("an earlier result doesn't hide what has changed since, in the library or in the source")
    func changed() async throws {
        let world = try await MigrationStage(1...2)
        try world.video(1)
        try world.list(["c,1,1.mp4,finished,", "c,2,2.mp4,unfinished,"])
        #expect(try await world.migrate(["--requeue"]).exit == 0)
        #expect(try await world.migrate().records.map(\.earlier) == [true, true])
        try world.stage.folder.remove("library/Course/01 1.mp4")
        try world.video(2)
        try world.list(["c,1,1.mp4,finished,", "c,2,2.mp4,finished,"])
        let report = try await world.migrate()
        #expect(report.exit == 0, "\(report.outcome.output)")
        #expect(report.records.map { "\($0.result) \($0.earlier == true)" } == ["added false", "added false"])
        #expect(LibraryFiles(world.stage.library).paths.count == 2)
        await world.host.stop()
    }

    @Test("a partial is removed only if each part of it that isn't empty is the finished file's")
    func partialRemoval() async throws {
        let world = try await MigrationStage(1...1)
        var bytes = MigrationStage.content(1).bytes(0..<250_000)
        bytes.replaceSubrange(81_920..<163_840, with: [UInt8](repeating: 0, count: 81_920))
        try world.file("1.mp4", bytes)
        try world.list(["c,1,1.mp4,unfinished,"])
        #expect(try await world.migrate(["--requeue"]).exit == 0)
        #expect(try await world.stage.sync().exit == 0)
        var other = bytes
        other[200_000] ^= 1
        try world.file("1.mp4", other)
        #expect(try await world.migrate(["--remove-source"]).exit == 75)
        #expect(world.stage.folder.has("old/1.mp4"))
        try world.file("1.mp4", bytes)
        #expect(try await world.migrate(["--remove-source"]).exit == 0)
        #expect(world.stage.folder.files(under: "old").isEmpty)
        await world.host.stop()
    }

    @Test("a lost file that was queued is in since then, however often it runs")
    func lostTwice() async throws {
        let world = try await MigrationStage(1...1)
        try world.list(["c,1,1.mp4,finished,"])
        #expect(try await world.migrate().records.map(\.result) == ["file_lost"])
        #expect(try await world.migrate(["--requeue"]).records.map(\.result) == ["added"])
        for options in [["--requeue"], []] {
            let report = try await world.migrate(options)
            #expect(report.exit == 0 && report.records.map(\.earlier) == [true], "\(report.outcome.output)")
        }
        await world.host.stop()
    }

    @Test("the command's own files are no records, and no library is a source")
    func ownFiles() async throws {
        let world = try await MigrationStage(1...1, extra: [1: ["size: \(MigrationStage.size)"]])
        try world.video(1)
        let old = world.stage.folder.at("old")
        try FileManager.default.moveItem(
            atPath: world.stage.folder.at("catalog.yaml").string, toPath: old.appending("cat.yaml").string)
        try world.stage.folder.write("1.mp4: c/1\n", to: "old/map.yaml")
        let options = [
            "--catalog", old.appending("cat.yaml").string, "--map", old.appending("map.yaml").string,
            "--write-catalog", old.appending("new.yaml").string, "--remove-source",
        ]
        let report = try await world.migrate(["wget", old.string], options, catalog: false)
        #expect(report.results == ["1.mp4 added"] && report.exit == 0, "\(report.outcome.output)")
        #expect(world.stage.folder.files(under: "old").keys.sorted() == ["cat.yaml", "map.yaml"])
        // Another user's library.
        try world.stage.folder.move("library", to: "other")
        let other = world.stage.folder.at("other/Course").string
        let refused = try await world.migrate(
            ["wget", other], ["--catalog", old.appending("cat.yaml").string, "--remove-source"], catalog: false)
        #expect(refused.exit == 64, "\(refused.outcome.report)")
        try world.stage.folder.write("course,video,path\nc,1,other/Course/01 1.mp4\n", to: "list.csv")
        let listed = try await world.stage.run(
            [
                "migrate", "manifest", world.stage.folder.at("list.csv").string, "--catalog",
                old.appending("cat.yaml").string, "--remove-source",
            ], library: world.stage.folder.at("fresh"), state: world.stage.folder.at("fresh-state"))
        #expect(listed.exit == 75, "\(listed.report)\(listed.output)")
        #expect(world.stage.folder.has("other/Course/01 1.mp4"))
        await world.host.stop()
    }
}
