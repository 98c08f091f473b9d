import Foundation
import TestServers
import TestSupport
import Testing

@Suite("several connections for one file")
struct ConnectionsPerFileTests {
    private let content = TestContent(seed: 5, size: 24_000_001)

    private func world(
        _ rate: String, _ path: String = "/limited/{id}.mp4"
    ) async throws -> (nginx: NginxServer, stage: Stage) {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        try nginx.add("v1.mp4", content)
        try stage.catalog(CatalogText(url: nginx.url(path + "?rate=\(rate)"), videos: [.init(id: "v1")]))
        return (nginx, stage)
    }

    @Test("a file from a host that throttles each connection gets all that the run may open, and no byte comes twice")
    func throttled() async throws {
        let (nginx, stage) = try await world("2m")
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "6"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(Array(LibraryFiles(stage.library).digests.values) == [content.sha256Text])
        #expect(try stage.strays() == [])
        await nginx.stop()
        let log = try nginx.log()
        #expect(Set(log.map(\.connection)).count > 3)
        // Where they meet 16 KiB come twice. What nginx sends at once, a second's, is lost where one gets less to do.
        #expect(log.reduce(0) { $0 + $1.bytes } < content.size + 12_000_000)
    }

    @Test("killed ten times with all connections at work, every range is kept")
    func kills() async throws {
        var chance = Chance.announced(for: "kills with several connections")
        let (nginx, stage) = try await world("300k")
        for _ in 1...10 {
            let delay = Duration.milliseconds(Int.random(in: 100...1200, using: &chance))
            _ = try await stage.sync("catalog.yaml", ["--connections-per-file", "5"]) { running in
                let pid = try await running.pid()
                try await running.wait { $0.event == "download_started" }
                try await Task.sleep(for: delay)
                kill(pid, SIGKILL)
            }
        }
        let clean = try await stage.sync("catalog.yaml", ["--connections-per-file", "12"])
        #expect(clean.exit == 0, "seed \(chance.seed): \(clean.report)")
        #expect(Array(LibraryFiles(stage.library).digests.values) == [content.sha256Text], "seed \(chance.seed)")
        #expect(try stage.strays() == [], "seed \(chance.seed)")
        await nginx.stop()
    }

    @Test("ranges of an interrupted run are completed by a later one with one connection")
    func fewer() async throws {
        let (nginx, stage) = try await world("1m")
        _ = try await stage.sync("catalog.yaml", ["--connections-per-file", "5"]) { running in
            let pid = try await running.pid()
            try await running.wait { $0.event == "download_started" }
            try await Task.sleep(for: .seconds(2))
            kill(pid, SIGTERM)
        }
        let served = try nginx.log().count
        let clean = try await stage.sync("catalog.yaml", ["--connections-per-file", "1"], limit: 60)
        #expect(clean.exit == 0, "\(clean.report)")
        #expect(Array(LibraryFiles(stage.library).digests.values) == [content.sha256Text])
        await nginx.stop()
        let log = try nginx.log()
        #expect(served > 2 && log.count > served)
        #expect(log.reduce(0) { $0 + $1.bytes } < content.size + 6_000_000)
    }

    @Test("a file that is replaced meanwhile, with the same time and size, is one version in the end")
    func replaced() async throws {
        let (nginx, stage) = try await world("1m")
        let other = TestContent(seed: 6, size: content.size)
        let outcome = try await stage.sync("catalog.yaml", ["--connections-per-file", "4"], limit: 120) { running in
            try await running.wait { $0.event == "download_started" }
            try await Task.sleep(for: .seconds(1))
            let path = nginx.file("v1.mp4")
            let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
            try FileManager.default.removeItem(atPath: path)
            try nginx.add("v1.mp4", other)
            try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: path)
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        let digests = Array(LibraryFiles(stage.library).digests.values)
        #expect(digests == [content.sha256Text] || digests == [other.sha256Text])
        await nginx.stop()
    }

    @Test("a file that is nothing but padding, where no joint is proven, arrives with one connection")
    func padding() async throws {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        try nginx.add("v1.mp4", bytes: content.bytes(0..<20_000) + [UInt8](repeating: 0, count: 6_000_000))
        try stage.catalog(
            CatalogText(url: nginx.url("/limited/{id}.mp4?rate=2m"), videos: [.init(id: "v1")]))
        let outcome = try await stage.sync("catalog.yaml", ["--connections-per-file", "4"], limit: 60)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_finished").count == 1)
        await nginx.stop()
        #expect(try nginx.log().reduce(0) { $0 + $1.bytes } < 20_000_000)
    }

    @Test("a host that keeps each link for three seconds: the ranges of all answers are one file")
    func expiry() async throws {
        var options = NginxServer.Options()
        options.rate = "1m"
        let nginx = try await NginxServer.start(options)
        let stage = try Stage()
        try nginx.add("v1.mp4", content)
        try stage.linkSecret(options.secret, for: nginx.baseURL)
        try stage.catalog(
            CatalogText(
                provider: "secure-link",
                parameters: [
                    "base": CatalogText.quoted(nginx.baseURL), "path": "'/signed-slow/{id}.mp4'", "lifetime": "3",
                    "secret_file": "secrets",
                ], videos: [.init(id: "v1")]))
        let outcome = try await stage.sync("catalog.yaml", ["--connections-per-file", "3"], limit: 120)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(Array(LibraryFiles(stage.library).digests.values) == [content.sha256Text])
        await nginx.stop()
        let log = try nginx.log()
        #expect(log.reduce(0) { $0 + $1.bytes } < content.size + 6_000_000)
    }
}
