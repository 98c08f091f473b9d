import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams that ffmpeg can't process", .timeLimit(.minutes(5)))
struct StreamRemuxTests {
    @Test("an ffmpeg that fails: the joined stream is kept, with a warning")
    func brokenFFmpeg() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let script = """
            #!/bin/sh
            case "$*" in *-version*) exec ffmpeg "$@" ;; esac
            echo "it's not my day" >&2
            exit 1
            """
        try stage.folder.write(script, to: "broken-ffmpeg")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: stage.folder.at("broken-ffmpeg").string)
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", stage.folder.at("broken-ffmpeg").string])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").count == 1, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.ts"])
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("ffmpeg gets the segments while they arrive; if it can't make the file of them, it gets the joined one")
    func early() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let called = stage.folder.at("called").string
        // `late` refuses what comes by and by, as a build of ffmpeg might.
        let script = """
            #!/bin/sh
            case "$*" in *-version*) exec ffmpeg "$@" ;; esac
            case "$*" in *pipe:0*) echo early >> '\(called)' ;; *) echo late >> '\(called)' ;; esac
            case "$0 $*" in *late-ffmpeg*pipe:0*) head -c 100000 > /dev/null; exit 1 ;; esac
            exec ffmpeg "$@"
            """
        for name in ["early-ffmpeg", "late-ffmpeg"] {
            try stage.folder.write(script, to: name)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: stage.folder.at(name).string)
        }
        let kinds: [StreamFixture.Kind] = [.transportStream, .fragmentedMP4, .packedAudio, .encryptedMP4, .master]
        var videos: [CatalogText.Video] = []
        for kind in kinds {
            let fixture = try await StreamFixtures.make(kind)
            try host.serve(fixture, at: "/\(kind.rawValue)/")
            videos.append(CatalogText.stream(kind.rawValue, host.url("/\(kind.rawValue)/\(fixture.playlist)")))
        }
        try stage.catalog(CatalogText(videos: videos))
        for name in ["early-ffmpeg", "late-ffmpeg"] {
            let outcome = try await stage.sync(
                "catalog.yaml", ["--ffmpeg", stage.folder.at(name).string], library: stage.folder.at("library-" + name),
                state: stage.folder.at("state-" + name))
            #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
            for kind in kinds {
                let path = outcome.events("download_finished", of: kind.rawValue).first?.path
                let file = stage.folder.at("library-" + name).appending(try #require(path)).string
                try await StreamFile(path: file, name: kind.rawValue).check(
                    StreamFixtures.make(kind), isRemuxed: true)
            }
            let calls = (stage.folder.read("called") ?? "").split(separator: "\n")
            #expect(calls.count { $0 == "early" } == kinds.count, "\(calls)")
            #expect(calls.count { $0 == "late" } == (name == "early-ffmpeg" ? 0 : kinds.count), "\(calls)")
            try stage.folder.write("", to: "called")
        }
        await host.stop()
    }

    @Test("separate sound comes first; while the picture arrives from another host, that of the sound is free")
    func soundElsewhere() async throws {
        let (pictures, sounds) = (try await FaultHost.start(), try await FaultHost.start())
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        for host in [pictures, sounds] { try host.serve(fixture, at: "/s/") }
        let other = { (url: String) in url.replacing("127.0.0.1", with: "localhost") }
        let text = String(decoding: try fixture.answer(fixture.playlist).body, as: UTF8.self)
            .replacing("URI=\"sound-", with: "URI=\"\(other(sounds.url("/s/sound-")))")
        pictures.script("/s/" + fixture.playlist, [.text(text, StreamFixture.playlistType)])
        let held = fixture.segments[0]
        pictures.script("/s/" + held, [try fixture.answer(held).held])
        let file = TestContent(seed: 8, size: 300_000)
        // The sound is there before it answers.
        try stage.plugin(
            "slow", timeout: 60,
            script: """
                #!/bin/sh
                while read -r line; do
                  sleep 4
                  printf '%s' "$line" | jq -c '{id, result: {url: "\(other(sounds.url(file)))"}}'
                done

                """)
        try stage.catalog(
            CatalogText(videos: [
                CatalogText.stream("v", pictures.url("/s/" + fixture.playlist)),
                .init(id: "w", extra: ["provider: slow"]),
            ]))
        let options = ["--jobs", "2", "--max-connections-per-host", "1"]
        let outcome = try await stage.sync("catalog.yaml", options) { running in
            try await running.wait { $0.event == "download_finished" && $0.video == "w" }
            let missing = Set(fixture.tracks[1].segments).filter { sounds.requests(path: "/s/" + $0).isEmpty }
            #expect(missing.isEmpty, "\(missing)")
            pictures.release("/s/" + held)
        }
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture, isRemuxed: true)
        for name in fixture.tracks[1].segments { #expect(sounds.requests(path: "/s/" + name).count == 1, "\(name)") }
        let asked = pictures.requests().map(\.path)
        #expect(!asked.contains { fixture.tracks[1].segments.contains(String($0.dropFirst(3))) }, "\(asked)")
        await pictures.stop()
        await sounds.stop()
    }

    @Test("after the sound, a picture whose host is busy waits for it, and nothing comes twice")
    func pictureWaits() async throws {
        let (pictures, sounds) = (try await FaultHost.start(), try await FaultHost.start())
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        // The playlists come from the host of the sound, and count there.
        for host in [pictures, sounds] { try host.serve(fixture, at: "/s/") }
        let text = try fixture.text("high.m3u8").replacing(#/(?m)^(high\d+\.ts)$/#) {
            pictures.url("/s/\($0.1)").replacing("127.0.0.1", with: "localhost")
        }
        sounds.script("/s/high.m3u8", [.text(text, StreamFixture.playlistType)])
        pictures.script("/busy.mp4", [try fixture.answer(fixture.segments[0]).held])
        let busy = pictures.url("/busy.mp4").replacing("127.0.0.1", with: "localhost")
        try stage.catalog(
            CatalogText(videos: [
                .init(id: "busy", extra: ["parameters: {url: \(CatalogText.quoted(busy))}"]),
                CatalogText.stream("v", sounds.url("/s/" + fixture.playlist)),
            ]))
        let last = "/s/" + (fixture.tracks[1].segments.last ?? "")
        let options = ["--jobs", "2", "--max-connections-per-host", "1"]
        let outcome = try await stage.sync("catalog.yaml", options) { _ in
            for _ in 0..<1000 where sounds.requests(path: last).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await Task.sleep(for: .milliseconds(500))
            #expect(pictures.requests(path: "/s/" + fixture.segments[0]).isEmpty)
            pictures.release("/busy.mp4")
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture, isRemuxed: true)
        for name in fixture.tracks[1].segments { #expect(sounds.requests(path: "/s/" + name).count == 1, "\(name)") }
        for name in fixture.segments { #expect(pictures.requests(path: "/s/" + name).count == 1, "\(name)") }
        #expect(try stage.strays() == [])
        await pictures.stop()
        await sounds.stop()
    }

    @Test("size and sha256 of the catalog apply to the joined stream, and only without ffmpeg")
    func sizes() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let joined = Data(try fixture.joined())
        let digest = StreamFile.digest(joined)
        let url = host.url("/s/index.m3u8")
        let wrong = String(repeating: "5", count: 64)
        try stage.catalog(
            CatalogText(videos: [
                CatalogText.stream("right", url, extra: ["size: \(joined.count)", "sha256: \(digest)"]),
                CatalogText.stream("size", url, extra: ["size: \(joined.count - 1)"]),
                CatalogText.stream("sum", url, extra: ["sha256: \(wrong)"]),
            ]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none", "--retries", "2"])
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(outcome.events("download_finished").map(\.video) == ["right"])
        #expect(outcome.events("download_finished").first?.sha256 == digest)
        #expect(outcome.events("download_failed", of: "size").map(\.error?.kind) == ["size_mismatch"])
        #expect(outcome.events("download_failed", of: "sum").map(\.error?.kind) == ["checksum_mismatch"])

        try stage.catalog(
            CatalogText(videos: [CatalogText.stream("other", url, extra: ["size: 7", "sha256: \(wrong)"])]))
        let remuxed = try await stage.sync()
        #expect(remuxed.events("download_finished").map(\.video) == ["other"], "\(remuxed.report)")
        #expect(remuxed.events("warning").count == 1, "\(remuxed.report)")
        let requests = host.requests().count
        let again = try await stage.sync()
        #expect(again.exit == 0 && host.requests().count == requests, "\(again.report)")
        await host.stop()
    }

    @Test("ffmpeg's output of a broken fragment is far too short: the joined stream is kept, with a warning")
    func brokenFragment() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.fragmentedMP4)
        try host.serve(fixture, at: "/s/")
        var broken = try fixture.answer("f005.m4s").body
        // It begins as media do, and one of its boxes claims everything that follows.
        let box = try #require(broken.firstRange(of: "moof".utf8)?.lowerBound)
        broken.replaceSubrange(box - 4..<box, with: [0x00, 0xFF, 0xFF, 0xFF])
        host.script("/s/f005.m4s", [.bytes(broken, "video/mp4")])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").contains { $0.text.contains("instead of 24 s") }, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.mp4"])
        let joined = try fixture.joined().count
        #expect(FileManager.default.contents(atPath: try stage.path(of: "v", in: outcome))?.count == joined)
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
