import Foundation
import Subprocess
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("the library's location: one setting, the same for every command")
struct LibraryLocationTests {
    private func start() async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: videos))
        return (stage, host)
    }

    /// As a person would, without `--library` and `--state`.
    private func run(_ stage: Stage, _ arguments: String..., library: String? = nil) async throws -> Outcome {
        try await Program.coursefetch(
            arguments, in: stage.folder, environment: library.map { ["COURSEFETCH_LIBRARY": $0] } ?? [:])
    }

    /// The line that `doctor` has for the library among its settings.
    private func listed(_ stage: Stage, library: String? = nil) async throws -> String {
        let doctor = try await run(stage, "doctor", library: library)
        return doctor.output.split(separator: "\n")
            .map { $0.split(separator: " ").joined(separator: " ") }.last { $0.hasPrefix("library ") } ?? doctor.report
    }

    /// The library's folder, by its one course.
    private func standard(_ stage: Stage) throws -> FilePath {
        let course = try #require(stage.folder.names().first { $0.hasSuffix("/Course") })
        return stage.folder.at(String(course.dropLast("/Course".count)))
    }

    @Test("after library move every command finds it there, and doctor says that the state knows it")
    func moved() async throws {
        let (stage, host) = try await start()
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 0)
        let old = try standard(stage)
        #expect(old.string.contains("/home/coursefetch/"))
        let new = stage.folder.at("elsewhere")
        try FileManager.default.moveItem(atPath: old.string, toPath: new.string)
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 73)
        let moved = try await run(stage, "library", "move", new.string)
        #expect(
            moved.exit == 0 && moved.error.isEmpty
                && moved.output == "the library is now at \(new) (was \(old)), with 3 finished videos\n",
            "\(moved.report)")

        let requests = host.requests().count
        let sync = try await run(stage, "sync", "catalog.yaml", "--json")
        #expect(sync.exit == 0 && sync.events("download_started").isEmpty, "\(sync.report)")
        #expect(sync.events("sync_started").first?.text.contains("\"library\":\"\(new)\"") == true, "\(sync.report)")
        let dry = try await run(stage, "sync", "catalog.yaml", "--dry-run")
        #expect(dry.exit == 0, "\(dry.report)")
        let verify = try await run(stage, "verify")
        #expect(verify.exit == 0, "\(verify.report)")
        let status = try await run(stage, "status")
        #expect(status.exit == 0 && status.output.contains(new.string), "\(status.output)")
        #expect(try await listed(stage) == "library \(new) the state")
        // What has to be fetched again comes to the same place, as does what is put right.
        let file = try #require(stage.folder.names().first { $0.hasPrefix("elsewhere/Course/") })
        try stage.folder.remove(file)
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 0)
        #expect(host.requests().count == requests + 1)
        #expect(try await run(stage, "library", "adopt").exit == 0)
        #expect(!FileManager.default.fileExists(atPath: old.string), "nothing is made at the old place")
        await host.stop()
    }

    @Test("a setting overrides the state: library move warns of it, and the environment overrides the file")
    func overruled() async throws {
        let (stage, host) = try await start()
        let settings = "home/.config/coursefetch/config.yaml"
        let (old, new) = (stage.folder.at("old"), stage.folder.at("new"))
        try stage.folder.write("jobs: 2\nlibrary: \(old)\n", to: settings)
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 0)
        try FileManager.default.moveItem(atPath: old.string, toPath: new.string)
        let moved = try await run(stage, "library", "move", new.string)
        #expect(
            moved.exit == 0
                && moved.error == """
                    warning: \(stage.folder.at(settings)):2:10 sets the library to \(old), and the next sync will use that; \
                    change it to \(new), or remove it

                    """,
            "\(moved.report)")
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 73)
        #expect(try await listed(stage).hasPrefix("library \(old) \(stage.folder.at(settings))"))
        let variable = try await run(stage, "sync", "catalog.yaml", "--json", library: new.string)
        #expect(variable.exit == 0 && variable.events("download_started").isEmpty, "\(variable.report)")
        #expect(
            try await listed(stage, library: new.string)
                == "library \(new) COURSEFETCH_LIBRARY")
        try stage.folder.write("jobs: 2\n", to: settings)
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 0)
        await host.stop()
    }

    @Test("library move to a folder that isn't the library says what to give, and never recommends itself")
    func wrongFolder() async throws {
        let (stage, host) = try await start()
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 0)
        let missing = stage.folder.at("nope")
        let none = try await run(stage, "library", "move", missing.string)
        #expect(
            none.exit == 73
                && none.error == """
                    error: there is no folder \(missing); nothing was changed. Give the folder that the library is in now

                    """,
            "\(none.report)")
        try stage.folder.make("empty")
        let empty = stage.folder.at("empty")
        let unmarked = try await run(stage, "library", "move", empty.string)
        #expect(
            unmarked.exit == 73
                && unmarked.error == """
                    error: \(empty) isn't the library of this state: \(empty)/.coursefetch/library.json is missing; nothing \
                    was changed. Give the folder that the library is in now. If this is the right one, run: coursefetch \
                    library adopt --library \(empty)

                    """,
            "\(unmarked.report)")
        #expect(try await run(stage, "sync", "catalog.yaml", "--json").exit == 0)
        await host.stop()
    }
}
