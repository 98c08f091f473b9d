import Foundation
import GRDBSQLite
import SystemPackage
import TestServers
import TestSupport
import Testing

/// cli.md's table, row by row, by the real program.
@Suite("every exit code")
struct ExitCodeTests {
    @Test("0, 1, 64, 65, 66, 69, 73, 75, 77")
    func table() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.plugin("closed", script: Self.answer("auth_required"))
        try stage.plugin("broken", script: "#!/nowhere/sh\n")
        func sync(_ videos: [CatalogText.Video], provider: String = "direct", _ options: [String] = []) async throws
            -> Int32
        {
            let name = "\(provider)-\(videos.map(\.id).joined()).yaml"
            var catalog = CatalogText(provider: provider, url: host.url("/media/{id}/3000.mp4"), videos: videos)
            catalog.courses[0].id = name
            try stage.catalog(catalog, as: name)
            return try await stage.sync(name, options).exit
        }
        #expect(try await sync([.init(id: "1")]) == 0)
        let missing = CatalogText.quoted(host.url("/media/2/3000.mp4?status=404"))
        #expect(try await sync([.init(id: "2", extra: ["parameters: {url: \(missing)}"])]) == 1)
        #expect(try await sync([.init(id: "1")], ["--jobs", "none"]) == 64)
        #expect(try await sync([.init(id: "1"), .init(id: "1")]) == 65)
        #expect(try await stage.sync("nowhere.yaml").exit == 66)
        #expect(try await sync([.init(id: "3")], provider: "broken") == 69)
        #expect(try await stage.sync("direct-1.yaml", library: stage.folder.at("elsewhere")).exit == 73)
        let large = CatalogText.quoted(host.url("/media/4/300000.mp4"))
        let slowly = ["--max-duration", "1s", "--limit-rate", "20K"]
        #expect(try await sync([.init(id: "4", extra: ["parameters: {url: \(large)}"])], slowly) == 75)
        #expect(try await sync([.init(id: "5")], provider: "closed") == 77)
        let resolved = try await stage.run(["resolve", stage.folder.at("closed-5.yaml").string, "closed-5.yaml"])
        #expect(
            resolved.exit == 77
                && resolved.error.contains("; log in with: coursefetch login --provider closed --state \(stage.state)"),
            "\(resolved.report)")
        await host.stop()
    }

    @Test("73 for results that can't be written, also to a full device; 0 if the reader closed the pipe")
    func output() async throws {
        let stage = try Stage()
        let program = Built.executable("coursefetch").string
        func status(_ redirection: String) async throws -> Outcome {
            let script = "\"$0\" status --state \"$1\" \(redirection)"
            return try await Program.run(["sh", "-c", script, program, stage.state.string], in: stage.folder)
        }
        let full = try await status("> /dev/full")
        #expect(full.exit == 73, "\(full.report)")
        #expect(full.error == "error: can't write the output: No space left on device\n")
        let closed = try await status(">&-")
        #expect(closed.exit == 73 && closed.error.contains("error: can't write the output: "), "\(closed.report)")
        let gone = try await status("| true")
        #expect(gone.exit == 0 && gone.error.isEmpty, "\(gone.report)")
    }

    @Test("130 at the second Ctrl-C; the next sync repairs it")
    func twice() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Its plugin doesn't end when it is told to, so that there is time for the second one.
        try stage.plugin(
            "stubborn",
            script: """
                #!/bin/sh
                trap '' TERM
                while read -r line; do sleep 1000 < /dev/null; done
                """)
        try stage.catalog(CatalogText(provider: "stubborn", videos: [.init(id: "1")]))
        let outcome = try await stage.sync { running in
            try await running.wait { $0.event == "sync_started" }
            let pid = try await running.pid()
            for _ in 0..<500 where ProcessTable.now().descendants(of: pid).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await running.signal(SIGINT)
            // On a busy machine two that come soon after each other are one.
            try await Task.sleep(for: .seconds(1))
            try await running.signal(SIGINT)
        }
        #expect(outcome.exit == 130, "\(outcome.report)")
        try stage.catalog(CatalogText(url: host.url("/media/{id}/3000.mp4"), videos: [.init(id: "1")]))
        #expect(try await stage.sync().exit == 0)
        await host.stop()
    }

    @Test("70 when the state contradicts the run; the others arrive, and the next sync repairs it")
    func bug() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/2000000.mp4"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--limit-rate", "40K"]) { running in
            try await running.wait { $0.event == "progress" && $0.video == "2" && ($0.bytes ?? 0) > 0 }
            // When the row says that it is active, which it does within a second.
            for _ in 0..<500 where try stage.stateCopy().states()["2"] != "active" {
                try await Task.sleep(for: .milliseconds(20))
            }
            try Self.execute("UPDATE downloads SET state = 'paused' WHERE video = '2'", stage)
            #expect(try await stage.command(["set", "--limit-rate", "off"]).exit == 0)
        }
        #expect(outcome.exit == 70, "\(outcome.report)")
        #expect(outcome.summary?.errors?.contains { $0.message.contains("a bug") } == true, "\(outcome.report)")
        let states = try stage.stateCopy().states()
        #expect(states["1"] == "finished" && states["3"] == "finished", "\(states)")
        let last = try await stage.sync()
        #expect(last.exit == 0, "\(last.report)")
        #expect(LibraryFiles(stage.library).paths.count == 3)
        #expect(host.requests().count == 3, "nothing is fetched again")
        await host.stop()
    }

    private static func answer(_ kind: String) -> String {
        """
        #!/bin/sh
        exec jq -c --unbuffered '{id, error: {code: -32000, message: "no", data: {kind: "\(kind)"}}}'
        """
    }

    /// Writes to the state as no command would.
    private static func execute(_ sql: String, _ stage: Stage) throws {
        let users = try FileManager.default.contentsOfDirectory(atPath: stage.state.appending("users").string)
        let path = stage.state.appending("users").appending(users[0]).appending("state.sqlite").string
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(path, &database) == SQLITE_OK, sqlite3_busy_timeout(database, 5000) == SQLITE_OK,
            sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
        else { throw TestFailure(String(cString: sqlite3_errmsg(database))) }
    }
}
