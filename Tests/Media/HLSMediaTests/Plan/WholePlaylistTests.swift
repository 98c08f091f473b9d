import HLSMedia
import MediaTransfer
import TestServers
import Testing

@Suite("whether a playlist is complete")
struct WholePlaylistTests {
    /// A server's response, and whether it counts as a playlist.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var isFramed: Bool
        var count: Int?

        init(_ name: String, _ text: String, framed isFramed: Bool = false, segments count: Int? = nil) {
            testDescription = name
            self.text = "#EXTM3U\n" + text
            self.isFramed = isFramed
            self.count = count
        }
    }

    private static let vod = "#EXT-X-PLAYLIST-TYPE:VOD\n"
    private static let end = "#EXT-X-ENDLIST\n"

    private static func segments(_ count: Int) -> String {
        (0..<count).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
    }

    static let cases = [
        Case("VOD without an end mark, framed", vod + segments(3), framed: true, segments: 3),
        Case("VOD without an end mark, closed behind three segments of ten", vod + segments(3)),
        Case("VOD, closed behind a duration", vod + segments(3) + "#EXTINF:6,\n"),
        Case("VOD, closed within the end mark", vod + segments(3) + "#EXT-X-ENDLIS"),
        Case("an end mark behind all segments", segments(3) + end, segments: 3),
        Case("VOD with an end mark behind all segments", vod + segments(3) + end, segments: 3),
        Case("an end mark in front, closed behind three segments of ten", end + segments(3)),
        Case("an end mark in front, framed", end + segments(3), framed: true, segments: 3),
    ]

    @Test("without an end mark after its segments a playlist is complete only if its body was framed", arguments: cases)
    func media(test: Case) async throws {
        try await check(test, of: "/index.m3u8")
    }

    @Test("a master playlist has no end mark: it is complete only if its body was framed", arguments: [true, false])
    func master(isFramed: Bool) async throws {
        let test = Case(
            "master", "#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n", framed: isFramed, segments: isFramed ? 2 : nil)
        try await check(test, of: "/index.m3u8")
    }

    @Test("the same rule applies to a playlist of subtitles", arguments: cases)
    func subtitles(test: Case) async throws {
        let host = try await FaultHost.start()
        defer { Task { await host.stop() } }
        host.script("/index.m3u8", [Self.answer(test)])
        for number in 0..<3 { host.script("/\(number).ts", [.text("WEBVTT\n", "text/vtt")]) }
        let engine = TransferEngine()
        let result = await SubtitleStream.load(host.url("/index.m3u8"), origin: nil, access: Self.access(engine))
        switch result {
        case .success: #expect(test.count != nil)
        case .failure(let problem):
            #expect(test.count == nil)
            #expect(problem == .failure(.transfer(.lengthUnknown(framed: false), .playlist)))
        }
        await engine.shutDown()
    }

    private func check(_ test: Case, of path: String) async throws {
        let host = try await FaultHost.start()
        host.script(path, [Self.answer(test)])
        host.script("/media.m3u8", [.text("#EXTM3U\n" + Self.segments(2) + Self.end, "text/plain")])
        let engine = TransferEngine()
        let result = await StreamSource.load(
            host.url(path), preference: StreamPreference(), access: Self.access(engine))
        switch result {
        case .success(let source): #expect(source.tracks.first?.segments.count == test.count)
        case .failure(let problem):
            #expect(test.count == nil)
            #expect(problem == .failure(.transfer(.lengthUnknown(framed: false), .playlist)))
            guard case .failure(let failure) = problem else { return }
            #expect(failure.verdict == .retry)
        }
        await engine.shutDown()
        await host.stop()
    }

    private static func answer(_ test: Case) -> ScriptedAnswer {
        let answer = ScriptedAnswer.text(test.text, "application/vnd.apple.mpegurl")
        return test.isFramed ? answer : answer.unframed()
    }

    private static func access(_ engine: TransferEngine) -> StreamAccess {
        StreamAccess(engine: engine) { url in
            var request = TransferRequest(url: url)
            request.allowsMarkup = true
            return request
        } enter: { _ in
            false
        } leave: { _ in
        }
    }
}
