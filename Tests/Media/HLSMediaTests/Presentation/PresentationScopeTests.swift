import MediaTransfer
import NetworkAddresses
import TestServers
import Testing

@testable import HLSMedia

@Suite("the requests of a presentation")
struct PresentationScopeTests {
    private static let text = ParsedPresentation.text(
        ParsedPresentation.picture("<BaseURL>/f.mp4</BaseURL><SegmentBase indexRange=\"40-99\"/>"))

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

    @Test("an index is read by its range, and not from where the presentation may not lead")
    func index() async throws {
        let host = try await FaultHost.start()
        let box = IndexBytes.box([(10, 5), (20, 5)])
        host.script("/p.mpd", [.text(Self.text, "application/dash+xml")])
        host.script("/f.mp4", [.bytes([UInt8](repeating: 0, count: 40) + box + [UInt8](repeating: 0, count: 60))])
        host.script("/page.mpd", [.text("<html><body>Log in</body></html>", "text/html")])
        let engine = TransferEngine()
        let access = Self.access(engine)
        let preference = StreamPreference()
        let source = try await StreamSource.loadPresentation(
            host.url("/p.mpd"), preference: preference, access: access
        ).get()
        #expect(source.tracks.map(\.scope) == [.loopback])
        #expect(source.tracks[0].segments.map(\.range) == [96..<106, 106..<126])
        let request = host.requests(path: "/f.mp4").first
        #expect(request?.rangeStart == 40 && request?.rangeEnd == 99)

        // As a presentation from the web would have it.
        let refused = await StreamSource.loadPresentation(
            host.url("/p.mpd"), preference: preference, access: access.confined(to: .world))
        guard case .failure(let problem) = refused else { throw TransferFailure.outOfReach }
        #expect(problem == .failure(.transfer(.outOfReach, .playlist)))
        let page = await StreamSource.loadPresentation(
            host.url("/page.mpd"), preference: preference, access: access)
        guard case .failure(.failure(.notMedia(.playlist))) = page else {
            Issue.record("a page is taken for a presentation")
            return
        }
        #expect(host.requests(path: "/f.mp4").count == 1)
        await engine.shutDown()
        await host.stop()
    }

    @Test("one whose response has no end is whole by its last element")
    func unframed() async throws {
        let host = try await FaultHost.start()
        let text = ParsedPresentation.text(ParsedPresentation.picture("<BaseURL>f.mp4</BaseURL>"))
        host.script("/whole.mpd", [ScriptedAnswer.text(text, "application/dash+xml").unframed()])
        host.script("/cut.mpd", [ScriptedAnswer.text(text, "application/dash+xml").unframed(text.utf8.count - 9)])
        let engine = TransferEngine()
        let access = Self.access(engine)
        let whole = await StreamSource.loadPresentation(
            host.url("/whole.mpd"), preference: StreamPreference(), access: access)
        #expect(throws: Never.self) { try whole.get() }
        let cut = await StreamSource.loadPresentation(
            host.url("/cut.mpd"), preference: StreamPreference(), access: access)
        guard case .failure(.failure(let failure)) = cut else {
            Issue.record("a truncated one is taken for the whole")
            return
        }
        #expect(failure == .transfer(.lengthUnknown(framed: false), .playlist))
        await engine.shutDown()
        await host.stop()
    }
}
