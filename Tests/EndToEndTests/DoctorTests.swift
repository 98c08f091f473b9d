import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("doctor: problems that would make tonight's sync fail")
struct DoctorTests {
    /// A finding of `doctor --json`.
    private struct Finding: Decodable {
        var event: String
        var topic: String?
        var check: String?
        var severity: String?
        var message: String?
        var advice: [String]?
        var name: String?
        var value: String?
        var origin: String?
    }

    private func findings(_ outcome: Outcome) throws -> [Finding] {
        try outcome.output.split(separator: "\n").map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    }

    private func doctor(
        _ stage: Stage, _ options: [String] = [], environment: [String: String] = [:]
    ) async throws -> (Outcome, [Finding]) {
        let outcome = try await stage.run(["doctor", "--json"] + options)
        return (outcome, try findings(outcome))
    }

    private func start(_ count: Int = 2) async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url("/media/{id}/20000.mp4"),
                videos: (1...count).map { .init(id: "\($0)", title: "Title \($0)") }))
        return (stage, host)
    }

    @Test("a healthy setup has no problem: 0; every setting is listed with its source")
    func healthy() async throws {
        let (stage, host) = try await start()
        #expect(try await doctor(stage).0.exit == 0, "there is no state yet")
        #expect(!stage.folder.has("state") && !stage.folder.has("library"), "it makes nothing")
        #expect(try await stage.sync().exit == 0)
        let (outcome, found) = try await doctor(stage)
        #expect(outcome.exit == 0, "\(outcome.output)")
        #expect(found.filter { $0.severity == "problem" }.isEmpty)
        for check in ["database", "library", "certificate_authorities", "ffmpeg", "versions", "lock", "session"] {
            #expect(found.contains { $0.check == check && $0.severity == "ok" }, "\(check): \(outcome.output)")
        }
        let versions = found.first { $0.check == "versions" }?.message ?? ""
        #expect(versions.contains(/coursefetch \d.*libcurl \d.*SQLite 3\..*libyaml 0\./), "\(versions)")
        #expect(found.first { $0.name == "library" }?.value == stage.library.string)
        #expect(found.first { $0.name == "library" }?.origin == "the command line")
        #expect(found.first { $0.name == "max-wait" }?.value == "10m")
        #expect(found.first { $0.name == "jobs" }?.origin == "default")
        let text = try await stage.run(["doctor"])
        #expect(text.exit == 0 && text.output.contains("state.sqlite: no damage found"), "\(text.output)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("each plugin is started and asked: one that doesn't run is a problem if downloads need it")
    func plugins() async throws {
        let (stage, host) = try await start()
        #expect(try await stage.sync().exit == 0)
        try stage.plugin("dead", script: "#!/bin/sh\necho no such module >&2\nexit 1\n")
        try stage.plugin("mute", timeout: 1, script: "#!/bin/sh\nwhile read -r line; do :; done\n")
        try stage.plugin("babble", script: "#!/bin/sh\nread -r line\necho hello\n")
        try stage.plugin("shy", script: "#!/bin/sh\nread -r line\nexit 3\n")
        try stage.folder.write("name: odd\nprotocol: 9\nrun: [./x]\n", to: "plugins/odd/plugin.yaml")
        let (outcome, found) = try await doctor(stage)
        #expect(outcome.exit == 0, "nothing needs them: \(outcome.output)")
        func message(_ name: String) -> (String, String) {
            let finding = found.first { $0.check == "plugin" && $0.message?.hasPrefix(name + " ") == true }
            return (finding?.severity ?? "", finding?.message ?? "")
        }
        #expect(message("dead").0 == "warning" && message("dead").1.contains("no such module"), "\(message("dead"))")
        #expect(message("mute").1.contains("didn't answer within"), "\(message("mute"))")
        #expect(message("babble").1.contains("violates the protocol"), "\(message("babble"))")
        #expect(message("shy").1.contains("doesn't answer an unknown method"), "\(message("shy"))")
        #expect(message("odd").1.contains("can't be used"), "\(message("odd"))")
        #expect(message("direct").0 == "ok", "\(outcome.output)")
        #expect(ProcessTable.now().within(stage.folder.path).isEmpty, "nothing of them is left")

        try stage.plugin("recorder", script: "#!/nowhere/sh\n")
        let (broken, _) = try await doctor(stage)
        #expect(broken.exit == 1, "\(broken.output)")
        try stage.folder.remove("plugins/recorder")
        let (missing, facts) = try await doctor(stage)
        #expect(missing.exit == 1, "\(missing.output)")
        #expect(facts.contains { $0.check == "provider" && $0.message?.contains("'recorder'") == true })
        await host.stop()
    }

    @Test("a state that others can read is a problem, with a remedy; the next sync closes it")
    func permissions() async throws {
        let (stage, host) = try await start()
        #expect(try await stage.sync().exit == 0)
        let names = stage.folder.names().filter { $0.hasSuffix("state.sqlite") }
        let file = stage.folder.at(try #require(names.first))
        let folder = file.removingLastComponent()
        for path in [file, folder] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.string)
        }
        let (outcome, found) = try await doctor(stage)
        #expect(outcome.exit == 1, "\(outcome.output)")
        let advice = found.filter { $0.check == "permissions" }.flatMap { $0.advice ?? [] }
        #expect(advice == ["chmod 700 \(folder)", "chmod 600 \(file)"])
        #expect(try await stage.sync().exit == 0)
        #expect(try await doctor(stage).0.exit == 0)
        await host.stop()
    }

    @Test("damage of the state file is found")
    func damagedState() async throws {
        let (stage, host) = try await start(200)
        #expect(try await stage.sync("catalog.yaml", ["--only", "c/*/1"]).exit == 0)
        let name = try #require(stage.folder.names().first { $0.hasSuffix("state.sqlite") })
        let handle = try #require(FileHandle(forUpdatingAtPath: stage.folder.at(name).string))
        let size = try handle.seekToEnd()
        for page in stride(from: 8192, to: size, by: 4096) {
            try handle.seek(toOffset: page)
            try handle.write(contentsOf: Data(repeating: 0x5A, count: 64))
        }
        try handle.close()
        let (outcome, found) = try await doctor(stage)
        #expect(outcome.exit == 1, "\(outcome.output)")
        #expect(found.contains { $0.check == "database" && $0.severity == "problem" }, "\(outcome.output)")
        // No state at all, but a file in its place.
        try Data("no database".utf8).write(to: URL(filePath: stage.folder.at(name).string))
        let (none, facts) = try await doctor(stage)
        #expect(facts.contains { $0.check == "database" && $0.severity == "problem" }, "\(none.output)")
        #expect(!none.output.contains("no library yet"), "\(none.output)")
        await host.stop()
    }

    @Test("unused files are found; --clean removes them and nothing else")
    func leftovers() async throws {
        let (stage, host) = try await start()
        #expect(try await stage.sync().exit == 0)
        let stranded = "library/.coursefetch/moving/0123456789abcdef-0"
        for (name, text) in [
            "library/.coursefetch/partials/99.part": "orphan", "library/.coursefetch/partials/1.en.part": "sidecar",
            "library/Course/.coursefetch-0123456789abcdef01234567": "copy", stranded: "moved",
            "library/.coursefetch/partials/notes.txt": "mine", "library/Course/notes.txt": "mine",
            "library/.coursefetch/moving/mine": "mine",
        ] { try stage.folder.write(text, to: name) }
        try stage.folder.remove("library/Course/02 Title 2.mp4")
        let before = stage.folder.names().filter { $0.hasPrefix("library") }
        let (outcome, found) = try await doctor(stage)
        #expect(outcome.exit == 0, "warnings only: \(outcome.output)")
        func message(_ check: String) -> String { found.first { $0.check == check }?.message ?? "" }
        #expect(message("leftovers").hasPrefix("3 partials no longer needed"), "\(outcome.output)")
        #expect(message("stranded").hasPrefix("1 file left by an interrupted move"), "\(outcome.output)")
        #expect(message("unknown_files").contains("Course/notes.txt"), "\(outcome.output)")
        #expect(message("files_missing").contains("Course/02 Title 2.mp4"), "\(outcome.output)")
        #expect(stage.folder.names().filter { $0.hasPrefix("library") } == before, "looking changes nothing")
        let (cleaned, removed) = try await doctor(stage, ["--clean"])
        #expect(cleaned.exit == 0, "\(cleaned.output)")
        #expect(removed.first { $0.check == "leftovers" }?.message?.hasPrefix("removed 3") == true)
        let after = Set(stage.folder.names().filter { $0.hasPrefix("library") })
        #expect(
            Set(before).subtracting(after) == [
                "library/.coursefetch/partials/99.part", "library/.coursefetch/partials/1.en.part",
                "library/Course/.coursefetch-0123456789abcdef01234567", stranded,
            ])
        await host.stop()
    }

    @Test("partials of a running sync are left alone, and --clean refuses: 75")
    func cleaningBesideASync() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/900000.mp4?stall=400000"), videos: [.init(id: "1")]))
        let stopped = try await stage.sync { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 100_000 }
            let (outcome, found) = try await doctor(stage, ["--clean"])
            #expect(outcome.exit == 75, "\(outcome.report)")
            #expect(found.contains { $0.check == "lock" && $0.message?.contains("a sync has been running") == true })
            #expect(!found.contains { $0.check == "leftovers" })
            try await running.signal(SIGTERM)
        }
        #expect(stopped.exit == 75)
        #expect(try await doctor(stage).1.contains { $0.check == "partials" && $0.message?.hasPrefix("1 unf") == true })
        await host.stop()
    }

    @Test("a missing library is a problem, and a catalog's second state a warning")
    func places() async throws {
        let (stage, host) = try await start()
        #expect(try await stage.sync().exit == 0)
        let elsewhere = try await stage.run(["doctor", "--json"], library: stage.folder.at("elsewhere"))
        #expect(elsewhere.exit == 1, "\(elsewhere.output)")
        #expect(
            try findings(elsewhere).contains { $0.check == "library" && $0.message?.contains("library move") == true })
        #expect(!stage.folder.has("elsewhere"))

        // The account's default state, beside the one that is given.
        let home = stage.folder.at("home/.local/state")
        let second = try await stage.sync(
            "catalog.yaml", library: stage.folder.at("second"), state: home.appending("coursefetch"))
        #expect(second.exit == 0, "\(second.report)")
        let (outcome, found) = try await doctor(stage)
        #expect(outcome.exit == 0, "\(outcome.output)")
        let other = found.first { $0.check == "other_state" }
        #expect(other?.severity == "warning" && other?.message?.contains(home.string) == true, "\(outcome.output)")
        try stage.folder.remove("catalog.yaml")
        #expect(try await doctor(stage).1.contains { $0.check == "catalog" && $0.severity == "warning" })
        await host.stop()
    }

    @Test("the clock is compared with a server's, if one is named")
    func clock() async throws {
        let (stage, host) = try await start()
        let nginx = try await NginxServer.start(NginxServer.Options())
        let (_, found) = try await doctor(stage, ["--clock-url", nginx.url("/plain/none")])
        let clock = found.first { $0.check == "clock" }
        #expect(clock?.severity == "ok" && clock?.message?.contains("matches") == true, "\(String(describing: clock))")
        // A cache's copy says when it was made.
        let (_, cached) = try await doctor(
            stage, ["--clock-url", host.url("/media/1/100.mp4?skew=-7200&raw=Age:%207200")])
        let copy = cached.first { $0.check == "clock" }
        #expect(copy?.severity == "warning" && copy?.message?.contains("its response has no Date") == true, "\(cached)")
        let (_, late) = try await doctor(stage, ["--clock-url", host.url("/media/1/100.mp4?skew=-7200")])
        #expect(late.first { $0.check == "clock" }?.message?.contains("ahead of") == true, "\(late)")
        await nginx.stop()
        let (outcome, silent) = try await doctor(stage, ["--clock-url", nginx.url("/plain/none")])
        #expect(outcome.exit == 0 && silent.first { $0.check == "clock" }?.severity == "warning", "\(outcome.output)")
        #expect(try await stage.run(["doctor", "--clock-url", "ftp://x"]).exit == 64)
        await host.stop()
    }
}
