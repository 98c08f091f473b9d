import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams with expiring links", .timeLimit(.minutes(5)))
struct StreamExpiryTests {
    @Test(
        "links that live for three seconds, a download of fifteen: each segment is downloaded once",
        arguments: [
            (StreamSigner.Place.query, StreamFixture.Kind.rotatingKeys), (.path, .fragmentedMP4),
            (.path, .rangedTransportStream),
        ])
    func links(_ place: StreamSigner.Place, _ kind: StreamFixture.Kind) async throws {
        var options = NginxServer.Options()
        options.streamRate = "20k"
        let nginx = try await NginxServer.start(options)
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(kind)
        try nginx.add(folder: fixture.folder, as: "s")
        try StreamSigner.install(in: stage, place, nginx, secret: options.secret, lifetime: 3)
        try stage.catalog(
            CatalogText(
                provider: StreamSigner.name, parameters: ["file": "s/\(fixture.playlist)"], videos: [.init(id: "v")]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none", "--segments-per-download", "2"])
        await nginx.stop()
        #expect(outcome.exit == 0, "\(outcome.report)")
        // At this rate it takes longer than four links live.
        let reasons = stage.reasons(of: StreamSigner.name)
        #expect(reasons.count > 3 && reasons.first == "first", "\(reasons)")
        #expect(reasons.dropFirst().allSatisfy { $0 == "rejected" || $0 == "expired" }, "\(reasons)")
        #expect(outcome.events("resolved").count == reasons.count)
        #expect(outcome.events("download_failed").isEmpty, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: kind.rawValue).check(fixture)
        #expect(try stage.strays() == [])

        let log = try nginx.log()
        #expect(log.allSatisfy { [200, 206, 403, 410].contains($0.status) }, "\(Set(log.map(\.status)))")
        #expect(!log.contains { $0.status == 403 }, "the signature is right all the time")
        let served = log.filter { $0.status < 400 }
        func count(_ name: String) -> Int { served.count { $0.path.hasSuffix("/" + name) } }
        for name in Set(fixture.segments) {
            let expected = fixture.segments.count { $0 == name }
            #expect(count(name) == expected, "\(name)")
        }
        if kind == .rangedTransportStream {
            #expect(Set(served.filter { $0.path.hasSuffix("/all.ts") }.map(\.rangeStart)).count == StreamFixture.count)
        }
        #expect((2...reasons.count).contains(count(fixture.playlist)))
        if kind == .rotatingKeys {
            for key in 0..<5 { #expect(count("key\(key).bin") == 1, "key \(key)") }
        }
        // Each link is refused to those that were about to begin, and to nobody else.
        #expect(log.count { $0.status == 410 } <= 2 * reasons.count, "\(log.count { $0.status == 410 })")

        let tokens = StreamSigner.tokens(in: stage)
        #expect(tokens.count == reasons.count)
        for token in Set(tokens) {
            #expect(stage.files(holding: token).filter { !$0.hasPrefix("plugins/") } == [], "a secret that got out")
        }
    }

    @Test("links that expire before sound and subtitles have arrived: everything arrives")
    func renditions() async throws {
        var options = NginxServer.Options()
        options.streamRate = "30k"
        let nginx = try await NginxServer.start(options)
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        try nginx.add(folder: fixture.folder, as: "s")
        try StreamSigner.install(in: stage, .path, nginx, secret: options.secret, lifetime: 4)
        try stage.catalog(
            CatalogText(
                provider: StreamSigner.name, parameters: ["file": "s/\(fixture.playlist)"],
                videos: [.init(id: "v", extra: ["quality: 144p", "subtitles: all"])]))
        let outcome = try await stage.sync("catalog.yaml", ["--segments-per-download", "2"])
        await nginx.stop()
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        #expect(stage.reasons(of: StreamSigner.name).count > 2)
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.de.vtt", "Course/01 v.en.vtt", "Course/01 v.mp4"])
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(
            fixture, picture: "middle", isRemuxed: true)
        for language in ["en", "de"] {
            let found = try StreamFile.subtitles(stage.library.appending("Course/01 v.\(language).vtt").string)
            #expect(found.map(\.text) == StreamSubtitles(language: language).lines.map(\.text))
        }
        let served = try nginx.log().filter { $0.status < 400 && !$0.path.hasSuffix(".m3u8") }
        let names = served.map { $0.path.split(separator: "/").last ?? "" }
        #expect(Set(names).count == names.count, "nothing is fetched twice")
    }

    @Test("absolute addresses with a token in their path, and in the query: another token is no other stream")
    func absoluteAddresses() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rotatingKeys)
        // The first link is refused from the twelfth segment on, all that is left goes by the second one.
        for token in ["first-7f3a91c04be26d85a0", "second-91bc3d7e52f08a64c1"] {
            try host.serve(fixture, at: "/\(token)/v/")
        }
        for index in 11..<StreamFixture.count {
            host.script("/first-7f3a91c04be26d85a0/v/\(fixture.segments[index])", [.status(410)])
        }
        func playlist(_ token: String) throws -> ScriptedAnswer {
            let text = try fixture.text().replacing(#/(?m)^(e\d+\.ts)$/#) { match in
                host.url("/\(token)/v/\(match.1)?sig=\(token)&e=1")
            }
            return .text(
                text.replacing(#/URI="(key\d\.bin)"/#) { "URI=\"\(host.url("/\(token)/v/"))\($0.1)?sig=\(token)\"" },
                StreamFixture.playlistType)
        }
        host.script(
            "/index.m3u8", [try playlist("first-7f3a91c04be26d85a0"), try playlist("second-91bc3d7e52f08a64c1")])
        try stage.answeringPlugin()
        try stage.answers(["v": "{\"kind\": \"hls\", \"url\": \"\(host.url("/index.m3u8"))\"}"])
        try stage.catalog(CatalogText(provider: "answering", videos: [.init(id: "v")]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(stage.reasons() == ["first", "rejected"])
        #expect(host.requests(path: "/index.m3u8").count == 2)
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture)
        for (index, name) in fixture.segments.enumerated() {
            let served = host.requests().filter { $0.path.hasSuffix("/v/" + name) && $0.status == 200 }
            #expect(served.count == 1, "segment \(index)")
            #expect(
                served.first?.path.hasPrefix(index < 11 ? "/first-7f3a91c04be26d85a0/" : "/second-91bc3d7e52f08a64c1/")
                    == true, "segment \(index)")
        }
        #expect(try stage.strays() == [])
        for token in ["first-7f3a91c04be26d85a0", "second-91bc3d7e52f08a64c1"] {
            #expect(stage.files(holding: token) == [], "a secret that got out")
        }
        await host.stop()
    }

    @Test("a key that is refused half way is fetched with a new link; downloaded segments stay")
    func keyRefused() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rotatingKeys)
        try host.serve(fixture, at: "/s/")
        host.script("/s/key2.bin", [.status(403), try fixture.answer("key2.bin")])
        try stage.answeringPlugin()
        try stage.answers(["v": "{\"kind\": \"hls\", \"url\": \"\(host.url("/s/index.m3u8"))\"}"])
        try stage.catalog(CatalogText(provider: "answering", videos: [.init(id: "v")]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(stage.reasons() == ["first", "rejected"])
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture, isRemuxed: true)
        for name in fixture.segments { #expect(host.requests(path: "/s/" + name).count == 1, "\(name)") }
        for key in [0, 1, 3, 4] { #expect(host.requests(path: "/s/key\(key).bin").count == 1, "key \(key)") }
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
