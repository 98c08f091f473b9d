import Foundation
import MediaTransfer
import NetworkAddresses
import TestServers
import TestSupport
import Testing

@testable import HLSMedia

@Suite("the networks that a playlist may lead to")
struct PlaylistScopeTests {
    private static let media = """
        #EXTM3U
        #EXT-X-KEY:METHOD=AES-128,URI="/key"
        #EXT-X-MAP:URI="/map"
        #EXTINF:1,
        /segment
        #EXT-X-ENDLIST

        """
    private static let master = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="n",LANGUAGE="en",URI="/media.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES="s"
        /media.m3u8

        """

    @Test("a playlist from this machine may name this machine; addresses that it names elsewhere may not lead back")
    func scopes() async throws {
        let host = try await FaultHost.start()
        host.script("/media.m3u8", [.text(Self.media, "text/plain")])
        host.script("/master.m3u8", [.text(Self.master, "text/plain")])
        let engine = TransferEngine()
        let access = StreamAccess(engine: engine) {
            TransferRequest(url: $0)
        } enter: { _ in
            false
        } leave: { _ in
        }
        let preference = StreamPreference(subtitles: .all)
        let source = try await StreamSource.load(host.url("/master.m3u8"), preference: preference, access: access).get()
        #expect(source.tracks.map(\.scope) == [.loopback] && source.subtitles.map(\.scope) == [.loopback])

        // As a playlist from the web would have it.
        let far = access.confined(to: .world)
        let refused = await StreamSource.load(host.url("/media.m3u8"), preference: preference, access: far)
        guard case .failure(let problem) = refused else { throw TransferFailure.outOfReach }
        #expect(problem == .failure(.transfer(.outOfReach, .playlist)))
        let subtitles = await SubtitleStream.load(host.url("/media.m3u8"), origin: nil, access: far)
        #expect(subtitles == .failure(.failure(.transfer(.outOfReach, .playlist))))
        #expect(host.requests().count == 2)
        await engine.shutDown()
        await host.stop()
    }

    @Test(
        "segments, keys and initialization sections of a playlist from the web can't lead to this machine",
        arguments: [
            "#EXTINF:1,\nURL/segment",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"URL/key\"\n#EXTINF:1,\nhttp://192.0.2.1/segment",
            "#EXT-X-MAP:URI=\"URL/map\"\n#EXTINF:1,\nhttp://192.0.2.1/segment",
        ])
    func parts(lines: String) async throws {
        let host = try await FaultHost.start()
        let text = "#EXTM3U\n" + lines.replacing("URL", with: host.baseURL) + "\n#EXT-X-ENDLIST\n"
        guard case .media(let playlist) = try Playlist.parse(Array(text.utf8)) else { return }
        let plan = try StreamPlan.make(playlist, url: "https://host.example/index.m3u8", scope: .world)
        let engine = TransferEngine()
        let access = StreamAccess(engine: engine) {
            TransferRequest(url: $0)
        } enter: { _ in
            false
        } leave: { _ in
        }
        let folder = try TestFolder()
        try folder.write("part", [])
        let descriptor = open(folder.path("part"), O_RDWR)
        let partial = try PartialFile(descriptor: descriptor, length: 0, hashes: false)
        let assembler = StreamAssembler(partial: partial, position: StreamPosition(), count: 1, concurrency: 2)
        let failure = await assembler.run(plan: plan, access: access)
        guard case .transfer(.outOfReach, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(host.requests().isEmpty)
        await engine.shutDown()
        await host.stop()
    }
}
