import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("results of one sync")
struct SyncTests {
    @Test("covers, subtitles and attachments arrive; a failed one is a warning; a title renames them, too")
    func sidecars() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        func url(_ seed: Int, _ query: String = "") -> String {
            CatalogText.quoted(host.url("/media/\(seed)/700.bin" + query))
        }
        let answer = """
            subtitles: [{lang: en, url: \(url(11, "?type=text/vtt"))}, {lang: fr, url: \(url(12, "?type=text/vtt"))}], \
            attachments: [{title: Slides, url: \(url(13, "?type=application/pdf"))}], cover: \(url(14, "?type=image/png"))
            """
        var catalog = CatalogText(
            provider: "recorder",
            courses: [
                .init(
                    id: "c", title: "Course",
                    videos: [
                        .init(
                            id: "v", title: "One",
                            extra: [
                                "subtitles: [en]",
                                "parameters: {url: \(CatalogText.quoted(host.url("/media/1/9000.mp4"))), answer: {\(answer)}}",
                                "attachments: [{title: Missing, url: \(url(15, "?status=404"))}]",
                            ])
                    ], extra: ["cover: \(url(16, "?type=image/jpeg"))"])
            ])
        try stage.catalog(catalog)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let warnings = outcome.events("warning").compactMap(\.message)
        #expect(warnings.count == 1 && warnings.first?.contains("Missing") == true, "\(warnings)")
        func names(_ title: String) -> [String: String] {
            let digest = { (seed: UInt64, size: Int) in TestContent(seed: seed, size: size).sha256Text }
            return [
                "Course/01 \(title).mp4": digest(1, 9000), "Course/01 \(title).en.vtt": digest(11, 700),
                "Course/01 \(title) - Slides.pdf": digest(13, 700), "Course/01 \(title).png": digest(14, 700),
                "Course/cover.jpg": digest(16, 700),
            ]
        }
        #expect(LibraryFiles(stage.library).digests == names("One"))

        catalog.courses[0].videos[0].title = "Two"
        try stage.catalog(catalog)
        let renamed = try await stage.sync()
        #expect(renamed.exit == 0, "\(renamed.report)")
        #expect(LibraryFiles(stage.library).digests == names("Two"))
        #expect(host.requests(path: "/media/1/9000.mp4").count == 1)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a token goes to its own origin only, also where a redirect leads elsewhere")
    func tokens() async throws {
        let (host, other) = (try await FaultHost.start(), try await FaultHost.start())
        let stage = try Stage()
        try stage.recordingPlugin()
        let token = "token: {value: canary-s3cr3t, in: header, name: Authorization, prefix: \"Bearer \"}"
        let there = CatalogText.quoted(host.url("/redirect/1?to=\(other.url("/media/1/5000.mp4"))"))
        try stage.catalog(
            CatalogText(
                provider: "recorder",
                videos: [
                    .init(id: "v", extra: ["parameters: {url: \(there), answer: {\(token), headers: {Referer: r}}}"])
                ]))
        let outcome = try await stage.sync("catalog.yaml", ["--verbose"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(host.requests().allSatisfy { $0.fields["authorization"] == "Bearer canary-s3cr3t" })
        #expect(other.requests().map { $0.fields["authorization"] } == [nil])
        #expect(other.requests().map { $0.fields["referer"] } == ["r"])
        #expect(!(outcome.output + outcome.error).contains("canary"))
        for name in stage.folder.names() where name.hasPrefix("state/") {
            let bytes = FileManager.default.contents(atPath: stage.folder.at(name).string) ?? Data()
            #expect(bytes.range(of: Data("canary".utf8)) == nil, "\(name)")
        }
        await host.stop()
        await other.stop()
    }

    @Test("a server's certificate is verified; --ca-file adds an authority")
    func certificates() async throws {
        let folder = try TestFolder()
        var options = NginxServer.Options()
        options.certificate = try await TestCertificate(in: folder)
        let nginx = try await NginxServer.start(options)
        let content = TestContent(seed: 1, size: 5000)
        try nginx.add("v.mp4", content)
        let stage = try Stage()
        try stage.catalog(CatalogText(url: nginx.url("/plain/{id}.mp4"), videos: [.init(id: "v")]))
        let refused = try await stage.sync("catalog.yaml", ["--retries", "1"])
        #expect(refused.exit == 1, "\(refused.report)")
        #expect(refused.events("download_failed").map(\.error?.kind) == ["tls"])
        let fresh = try Stage()
        try fresh.catalog(CatalogText(url: nginx.url("/plain/{id}.mp4"), videos: [.init(id: "v")]))
        let trusted = try await fresh.sync("catalog.yaml", ["--ca-file", options.certificate?.certificate ?? ""])
        #expect(trusted.exit == 0, "\(trusted.report)")
        #expect(Array(LibraryFiles(fresh.library).digests.values) == [content.sha256Text])
        await nginx.stop()
    }

    @Test("a download that has to wait longer than --max-wait is left to the next run: 75")
    func longWait() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/3000.mp4?status=503&retry-after=3600&times=1"),
                videos: [.init(id: "1"), .init(id: "2")]))
        let outcome = try await stage.sync("catalog.yaml", ["--max-wait", "5s"])
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(outcome.seconds < 20)
        #expect(try Set(stage.stateCopy().states().values) == ["waiting"])
        await host.stop()
    }

    @Test("a symbolic link that leads out of the library is not followed, and only its own videos fail")
    func symbolicLink() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/3000.mp4"),
                courses: [
                    .init(id: "a", title: "Inside", videos: [.init(id: "1")]),
                    .init(id: "b", title: "Outside", videos: [.init(id: "2")]),
                ]))
        #expect(try await stage.sync("catalog.yaml", ["--only", "a"]).exit == 0)
        try stage.folder.make("elsewhere")
        try stage.folder.link("library/Outside", to: stage.folder.at("elsewhere").string)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        let error = outcome.events("download_failed", of: "2").first?.error
        #expect(error?.kind == "disk" && error?.message.contains("bind mount") == true, "\(outcome.report)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder.at("elsewhere").string) == [])
        await host.stop()
    }

    @Test("a course of two files is an error that names both; forget, and the file may go")
    func ownership() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let catalog = CatalogText(url: host.url("/media/{id}/3000.mp4"), videos: [.init(id: "1")])
        try stage.catalog(catalog)
        try stage.catalog(catalog, as: "copy.yaml")
        #expect(try await stage.sync().exit == 0)
        let refused = try await stage.sync("copy.yaml")
        #expect(refused.exit == 65, "\(refused.report)")
        let error = try #require(refused.summary?.errors?.first)
        #expect(error.file?.hasSuffix("copy.yaml") == true && error.message.contains("catalog.yaml"), "\(error)")
        let twice = try await stage.sync("catalog.yaml", [stage.folder.at("copy.yaml").string])
        #expect(twice.exit == 65, "\(twice.report)")

        try stage.folder.remove("catalog.yaml")
        let moved = try await stage.sync("copy.yaml")
        #expect(moved.exit == 0, "\(moved.report)")
        #expect(moved.events("warning").contains { $0.message?.contains("now belongs to") == true })
        #expect(host.requests().count == 1)
        let forgotten = try await stage.run(["forget", stage.folder.at("copy.yaml").string])
        #expect(forgotten.exit == 0, "\(forgotten.report)")
        #expect(try stage.stateCopy().rows("SELECT is_gone FROM downloads").map { $0["is_gone"] } == ["1"])
        #expect(LibraryFiles(stage.library).paths.count == 1)
        await host.stop()
    }

    @Test("status shows a running sync from another terminal, and a killed one")
    func status() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Goes on until it is killed.
        let url = host.url("/media/{id}/900000.mp4?stall=400000")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
        let killed = try await stage.sync("catalog.yaml", ["--jobs", "1"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 300_000 }
            // The row follows the event within a second.
            var status = try await stage.run(["status", "--all", "--json"])
            for _ in 0..<100 where !status.output.contains(#""state":"active""#) {
                status = try await stage.run(["status", "--all", "--json"])
            }
            #expect(status.exit == 0, "\(status.report)")
            #expect(status.output.contains(#""state":"active""#) && status.output.contains(#""state":"waiting""#))
            let table = try await stage.run(["status"])
            #expect(table.output.contains("\(try await running.pid())"), "\(table.output)")
            try await running.signal(SIGKILL)
        }
        #expect(killed.exit == 137)
        let status = try await stage.run(["status", "--all", "--json"])
        #expect(status.output.contains(#""state":"suspended","reason":"interrupted""#), "\(status.output)")
        #expect(!status.output.contains(#""state":"active""#))
        await host.stop()
    }

    @Test("status shows speed and time left of a running sync, and the bytes on disk")
    func liveStatus() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/8000000.mp4?rate=400000"), videos: [.init(id: "1"), .init(id: "2")]))
        let stopped = try await stage.sync("catalog.yaml", ["--jobs", "1"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 500_000 }
            var status = try await stage.run(["status", "--active", "--json"])
            for _ in 0..<200 where !status.output.contains(/"bytes_per_second":[1-9]/) {
                status = try await stage.run(["status", "--active", "--json"])
            }
            #expect(
                status.output.contains(/"bytes":[1-9]\d*,"size":8000000,"bytes_per_second":[1-9]/), "\(status.output)")
            let table = try await stage.run(["status"])
            #expect(
                table.output.contains(/2 left \(at least [\d.]+ MiB, .* at [\d.]+ [KM]iB\/s\), .* on disk/),
                "\(table.output)"
            )
            try await running.signal(SIGTERM)
        }
        #expect(stopped.exit == 75, "\(stopped.report)")
        let after = try await stage.run(["status", "--all", "--json"])
        #expect(!after.output.contains(/"bytes_per_second":[1-9]/), "nothing moves any more: \(after.output)")
        #expect(try await stage.run(["status", "--watch"]).exit == 64, "there is no terminal")
        await host.stop()
    }

    @Test("the second Ctrl-C ends it at once, with 130, and no durable byte is lost")
    func secondInterrupt() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // A plugin that takes its time to end makes room between the two.
        try stage.plugin(
            "slow",
            script: """
                #!/bin/sh
                trap '' TERM
                read -r line
                id=$(printf '%s' "$line" | jq .id)
                echo "{\\"id\\": $id, \\"result\\": {\\"url\\": \\"\(host.url("/media/1/900000.mp4?stall=200000"))\\"}}"
                sleep 600
                """)
        try stage.catalog(CatalogText(provider: "slow", videos: [.init(id: "1")]))
        @Sendable func durable() throws -> Int {
            let rows = try stage.stateCopy().rows("SELECT durable_bytes FROM downloads")
            return rows.first?["durable_bytes"].flatMap { Int($0) } ?? 0
        }
        let outcome = try await stage.sync { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 100_000 }
            // A moment later it is recorded, too.
            for _ in 0..<500 where try durable() <= 50_000 { try await Task.sleep(for: .milliseconds(20)) }
            try await running.signal(SIGINT)
            // On a busy machine two that come soon after each other are one.
            try await Task.sleep(for: .seconds(1))
            try await running.signal(SIGINT)
        }
        #expect(outcome.exit == 130, "\(outcome.report)")
        _ = try await ProcessTable.end(of: ProcessTable.now().within(stage.folder.path))
        #expect(ProcessTable.now().within(stage.folder.path).isEmpty, "the plugin ends, too")
        #expect(try durable() > 50_000)
        await host.stop()
    }
}
