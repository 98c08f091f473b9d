import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams of misbehaving servers", .timeLimit(.minutes(5)))
struct StreamFaultTests {
    /// A defect of a stream.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// The file that has other answers than it should.
        var file: String
        /// From the right answer to those that are given.
        var answers: @Sendable (ScriptedAnswer) -> [ScriptedAnswer]
        /// The kind of its failure; nil where it has to arrive.
        var kind: String?
        var status: Int?
        /// Which segment is the first that can't be had.
        var missing: Int?
        var testDescription: String { name }

        init(
            _ name: String, _ file: String, fails kind: String? = nil, status: Int? = nil, missing: Int? = nil,
            _ answers: @escaping @Sendable (ScriptedAnswer) -> [ScriptedAnswer]
        ) {
            self.name = name
            self.file = file
            self.answers = answers
            self.kind = kind
            self.status = status
            self.missing = missing
        }
    }

    static let page = ScriptedAnswer.text("<!DOCTYPE html><html><body>Please log in</body></html>", "video/mp2t")
    static let longPage = ScriptedAnswer.text(
        "<!DOCTYPE html><html>" + String(repeating: "<p>Please log in", count: 1280), "video/mp2t")
    static let playlistPage = ScriptedAnswer.text("<html><body>Please log in</body></html>", StreamFixture.playlistType)

    /// A playlist as VOD, without its end mark, and with its first segments only.
    static func withoutEnd(_ answer: ScriptedAnswer, segments: Int = .max) -> ScriptedAnswer {
        var left = segments
        var lines: [Substring] = []
        for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n") where left > 0 {
            if line == "#EXT-X-ENDLIST" || line.hasPrefix("#EXT-X-PLAYLIST-TYPE") { continue }
            lines.append(line)
            if line == "#EXTM3U" { lines.append("#EXT-X-PLAYLIST-TYPE:VOD") }
            if !line.hasPrefix("#") { left -= 1 }
        }
        return .text(lines.joined(separator: "\n") + "\n", StreamFixture.playlistType)
    }

    static let arriving = [
        Case("a segment is missing once", "e010.ts") { [.status(404), $0] },
        Case("a segment is refused once", "e010.ts") { [.status(403), $0] },
        Case("a segment costs its server an error, once", "e010.ts") { [.status(500), $0] },
        Case("a segment is cut once", "e010.ts") { [$0.cut(20_000), $0] },
        Case("a segment is cut again and again", "e010.ts") { [$0.cut(1), $0.cut(30_000), $0.cut(16), $0.cut(0), $0] },
        Case("a segment is a page once", "e010.ts") { [page, $0] },
        Case("a segment is empty once", "e010.ts") { [.bytes([], "video/mp2t"), $0] },
        Case("a segment in the clear is a page once", "e023.ts") { [page, $0] },
        Case("the first segment is a page once", "e000.ts") { [page, $0] },
        Case("a key is refused once", "key1.bin") { [.status(403), $0] },
        Case("a segment is a page of whole blocks once", "e010.ts") { [longPage, $0] },
        Case("a key is a page once", "key1.bin") { [page, $0] },
        Case("a key is a long page once", "key1.bin") { [longPage, $0] },
        Case("a key is a word once", "key1.bin") { [.text("token expired", "text/plain"), $0] },
        Case("a key is another one once", "key1.bin") { [.bytes($0.body.reversed()), $0] },
        Case("the playlist is a word once", "index.m3u8") { [.text("token expired", "text/plain"), $0] },
        Case("a key costs its server an error, once", "key1.bin") { [.status(503), $0] },
        Case("the playlist is refused once", "index.m3u8") { [.status(403), $0] },
        Case("the playlist is a page once", "index.m3u8") { [playlistPage, $0] },
        Case("the playlist is cut once", "index.m3u8") { [$0.cut(700), $0] },
        Case("a playlist of VOD ends behind three segments with its connection, once", "index.m3u8") { right in
            [withoutEnd(right, segments: 3).unframed(), right]
        },
        Case("a playlist of VOD has a length and no end mark", "index.m3u8") { [withoutEnd($0)] },
    ]

    @Test("with occasional faults the right stream arrives, and no byte of a wrong response")
    func arriving() async throws {
        let (stage, outcome, host, fixture) = try await sync(Self.arriving, ["--retries", "5"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let joined = Data(try fixture.joined())
        for (index, test) in Self.arriving.enumerated() {
            guard let path = outcome.events("download_finished", of: "\(index)").first?.path else {
                Issue.record("\(test.name) doesn't arrive")
                continue
            }
            #expect(
                FileManager.default.contents(atPath: stage.library.appending(path).string) == joined, "\(test.name)")
            for name in fixture.segments where name != test.file {
                // What a wrong key made nothing of has to come again.
                let most = test.name == "a key is another one once" ? 2 : 1
                #expect((1...most).contains(host.requests(path: "/\(index)/\(name)").count), "\(test.name): \(name)")
            }
        }
        #expect(try stage.strays() == [])
        await host.stop()
    }

    static let failing = [
        Case("a segment is missing for ever", "e010.ts", fails: "url_refused", status: 404, missing: 10) { _ in
            [.status(404)]
        },
        Case("a segment is refused for ever", "e010.ts", fails: "url_refused", status: 403, missing: 10) { _ in
            [.status(403)]
        },
        Case("a segment costs its server an error for ever", "e010.ts", fails: "http_status", status: 500, missing: 10)
        {
            _ in [.status(500)]
        },
        Case("a segment is cut for ever", "e010.ts", fails: "truncated", missing: 10) { [$0.cut(20_000)] },
        Case("a segment is a page for ever", "e010.ts", fails: "not_media", missing: 10) { _ in [page] },
        Case("a segment in the clear is a page for ever", "e023.ts", fails: "not_media", missing: 23) { _ in [page] },
        Case("the first segment is a page for ever", "e000.ts", fails: "not_media", missing: 0) { _ in [page] },
        Case("a key is refused for ever", "key2.bin", fails: "url_refused", status: 403, missing: 10) { _ in
            [.status(403)]
        },
        Case("a key is a page for ever", "key2.bin", fails: "not_media", missing: 10) { _ in [page] },
        Case("a key is too short", "key2.bin", fails: "not_media", missing: 10) { [.bytes($0.body.dropLast())] },
        Case("a key is too long", "key2.bin", fails: "not_media", missing: 10) { [.bytes($0.body + [10])] },
        Case("a key is empty", "key2.bin", fails: "truncated", missing: 10) { _ in [.bytes([])] },
        Case("a key is another one", "key2.bin", fails: "not_media", missing: 10) { [.bytes($0.body.reversed())] },
        Case("the playlist is missing", "index.m3u8", fails: "url_refused", status: 404) { _ in [.status(404)] },
        Case("the playlist is a page for ever", "index.m3u8", fails: "not_media") { _ in [playlistPage] },
        Case("a playlist of VOD always ends with its connection and without its mark", "index.m3u8", fails: "truncated")
        {
            [withoutEnd($0, segments: 3).unframed()]
        },
        Case("the playlist is nonsense", "index.m3u8", fails: "not_media") { _ in
            [.text("#EXTM3U\n#EXTINF:abc,\n", StreamFixture.playlistType)]
        },
        Case("the playlist has no segments", "index.m3u8", fails: "not_media") { _ in
            [.text("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n", StreamFixture.playlistType)]
        },
        Case("the playlist names itself", "index.m3u8", fails: "not_media") { _ in
            [.text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nindex.m3u8\n", StreamFixture.playlistType)]
        },
        Case("nothing says that it is encrypted", "index.m3u8", fails: "not_media", missing: 0) { right in
            let text = String(decoding: right.body, as: UTF8.self).replacing(#/#EXT-X-KEY.*\n/#, with: "")
            return [.text(text, StreamFixture.playlistType)]
        },
    ]

    @Test(
        "a permanent fault fails with its kind, keeps the downloaded bytes, finishes nothing, and isn't requested endlessly"
    )
    func failing() async throws {
        let (stage, outcome, host, _) = try await sync(Self.failing, ["--retries", "2"])
        #expect(outcome.exit == 1, "\(outcome.report)")
        let streams = try stage.stateCopy().streams()
        for (index, test) in Self.failing.enumerated() {
            let failed = outcome.events("download_failed", of: "\(index)")
            #expect(failed.map(\.error?.kind) == [test.kind], "\(test.name): \(failed.first?.text ?? "")")
            if let status = test.status { #expect(failed.first?.error?.status == status, "\(test.name)") }
            #expect(failed.first?.error?.message.contains("?") == false, "\(test.name): \(failed.first?.text ?? "")")
            let requests = host.requests(path: "/\(index)/\(test.file)")
            #expect(requests.count <= 8, "\(test.name): \(requests.count) requests")
            guard let missing = test.missing, missing > 0 else { continue }
            #expect(streams["\(index)"]?.tracks.map(\.next) == [missing], "\(test.name)")
        }
        #expect(LibraryFiles(stage.library).paths == [])
        #expect(Set(try stage.stateCopy().states().values) == ["failed"])
        await host.stop()
    }

    @Test("a segment that is available again: a retry downloads only the missing part")
    func backAgain() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rotatingKeys)
        try host.serve(fixture, at: "/s/")
        host.script("/s/e010.ts", [.status(404)])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let first = try await stage.sync()
        #expect(first.exit == 1, "\(first.report)")
        let row = try stage.stateCopy().rows("SELECT id, durable_bytes FROM downloads")[0]
        let expected = try fixture.joined(0, 10)
        #expect(row["durable_bytes"] == "\(expected.count)")
        let partial = stage.library.appending(".coursefetch/partials/\(row["id"] ?? "").part").string
        #expect(FileManager.default.contents(atPath: partial) == Data(expected))
        host.script("/s/e010.ts", [try fixture.answer("e010.ts")])
        #expect(try await stage.command(["retry", "c"]).exit == 0)
        let second = try await stage.sync()
        #expect(second.exit == 0, "\(second.report)")
        try await StreamFile(path: try stage.path(of: "v", in: second), name: "v").check(fixture, isRemuxed: true)
        for name in fixture.segments.prefix(10) { #expect(host.requests(path: "/s/" + name).count == 1, "\(name)") }
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a segment that stalls is given up after a while and requested again")
    func stalling() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let right = try fixture.answer("s010.ts")
        host.script("/s/s010.ts", [right.cut(10_000, stalls: true), right])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"], limit: 100)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(
            FileManager.default.contents(atPath: try stage.path(of: "v", in: outcome)) == Data(try fixture.joined()))
        #expect(host.requests(path: "/s/s010.ts").count == 2)
        for name in fixture.segments where name != "s010.ts" {
            #expect(host.requests(path: "/s/" + name).count == 1, "\(name)")
        }
        await host.stop()
    }

    @Test("a playlist of another stream starts over; no file mixes two streams")
    func changedPlaylist() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        let other = try await StreamFixtures.make(.master)
        try host.serve(fixture, at: "/s/")
        try host.serve(other, at: "/s/")
        host.script("/s/s010.ts", [try fixture.answer("s010.ts").held])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let first = try await stage.sync { running in
            try await stage.waitForStream("v", next: 10)
            try await running.signal(SIGTERM)
        }
        #expect(first.exit == 75, "\(first.report)")
        let before = host.requests().count
        host.script("/s/index.m3u8", [try other.answer("middle.m3u8")])
        let second = try await stage.sync()
        #expect(second.exit == 0, "\(second.report)")
        var expected = try await other.expected(picture: "middle")
        expected.sounds = []
        try await StreamFile(path: try stage.path(of: "v", in: second), name: "v").check(expected, isRemuxed: true)
        let asked = host.requests().dropFirst(before).map(\.path).filter { $0.hasSuffix(".ts") }
        #expect(asked.count == StreamFixture.count && asked.allSatisfy { $0.hasPrefix("/s/middle") }, "\(asked)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a playlist that changes during the download starts over, a limited number of times")
    func changingPlaylist() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        let other = try await StreamFixtures.make(.fragmentedMP4)
        for folder in ["/once/", "/always/"] {
            try host.serve(fixture, at: folder)
            try host.serve(other, at: folder)
            host.script(folder + "s010.ts", [.status(404)])
        }
        let (one, two) = (try fixture.answer("index.m3u8"), try other.answer("index.m3u8"))
        host.script("/once/index.m3u8", [one, two])
        host.script("/always/f010.m4s", [.status(404)])
        host.script("/always/index.m3u8", (0..<40).flatMap { _ in [one, two] })
        try stage.catalog(
            CatalogText(videos: ["once", "always"].map { CatalogText.stream($0, host.url("/\($0)/index.m3u8")) }))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "once", in: outcome), name: "once").check(other, isRemuxed: true)
        // Once more to find out, and once more from the beginning.
        #expect(host.requests(path: "/once/index.m3u8").count <= 3)
        let failed = outcome.events("download_failed", of: "always")
        #expect(
            failed.count == 1 && ["identity_changed", "url_refused"].contains(failed[0].error?.kind),
            "\(outcome.report)")
        #expect(host.requests(path: "/always/index.m3u8").count < 20)
        await host.stop()
    }

    @Test("media types don't matter: a stream served as text/html arrives")
    func mediaTypes() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rotatingKeys)
        try host.serve(fixture, at: "/s/")
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) where !file.hasPrefix(".") {
            host.script("/s/" + file, [.bytes(try fixture.answer(file).body, "text/html; charset=utf-8")])
        }
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture, isRemuxed: true)
        await host.stop()
    }

    @Test("a whole file instead of a range fails, and keeps the joined bytes")
    func rangeIgnored() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rangedTransportStream)
        try host.serve(fixture, at: "/s/")
        let right = try fixture.answer("all.ts")
        var whole = right
        whole.length = right.body.count
        host.script("/s/all.ts", Array(repeating: right, count: 6) + [whole])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let options = ["--ffmpeg", "none", "--segments-per-download", "1", "--retries", "2"]
        let failed = try await stage.sync("catalog.yaml", options)
        #expect(failed.exit == 1, "\(failed.report)")
        #expect(try stage.stateCopy().streams()["v"]?.tracks.map(\.next) == [6], "\(failed.report)")
        let count = host.requests(path: "/s/all.ts").count
        host.script("/s/all.ts", [right])
        #expect(try await stage.command(["retry", "c"]).exit == 0)
        let outcome = try await stage.sync("catalog.yaml", options)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(host.requests(path: "/s/all.ts").count == count + StreamFixture.count - 6)
        let path = try stage.path(of: "v", in: outcome)
        #expect(FileManager.default.contents(atPath: path) == Data(try fixture.joined()))
        await host.stop()
    }

    // MARK: what they share

    /// One sync of all cases, without ffmpeg; the id of each is its index.
    private func sync(_ cases: [Case], _ options: [String]) async throws -> (Stage, Outcome, FaultHost, StreamFixture) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rotatingKeys)
        for (index, test) in cases.enumerated() {
            try host.serve(fixture, at: "/\(index)/")
            host.script("/\(index)/\(test.file)", test.answers(try fixture.answer(test.file)))
        }
        try stage.catalog(
            CatalogText(
                videos: cases.enumerated().map { index, test in
                    var video = CatalogText.stream("\(index)", host.url("/\(index)/index.m3u8"))
                    video.title = test.name
                    return video
                }))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none", "--jobs", "8"] + options, limit: 90)
        return (stage, outcome, host, fixture)
    }
}
