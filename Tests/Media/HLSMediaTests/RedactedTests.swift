import MediaTransfer
import Testing

@testable import HLSMedia

@Suite("types that may hold a URL, a key or a header")
struct RedactedTests {
    private static let secret = "SECRET"
    private static let url = "https://host.example/\(secret)/index.m3u8?token=\(secret)"

    @Test("prints and dumps as redacted")
    func redacted() async throws {
        for value in try await Self.values() {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), "\([value])", "\(Optional(value) as Any)", dumped] {
                #expect(!text.contains(Self.secret), "\(type(of: value))")
                #expect(!text.contains("83, 69, 67, 82, 69, 84"), "\(type(of: value))")
                #expect(!text.contains("host.example"), "\(type(of: value))")
            }
        }
    }

    /// One of each type.
    private static func values() async throws -> [Any] {
        let text = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="name",VALUE="\(secret)"
            #EXT-X-KEY:METHOD=AES-128,URI="key?\(secret)",IV=0x534543524554
            #EXT-X-MAP:URI="map?\(secret)"
            #EXTINF:1,
            segment?\(secret)
            #EXT-X-ENDLIST
            """
        let playlist = try Playlist.parse(Array(text.utf8), url: url)
        guard case .media(let media) = playlist else { return [] }
        let masterText = """
            #EXTM3U
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="key?\(secret)"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="n",URI="subtitles?\(secret)"
            #EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES="s"
            variant?\(secret)
            """
        let masterPlaylist = try Playlist.parse(Array(masterText.utf8), url: url)
        guard case .master(let master) = masterPlaylist else { return [] }
        let choice = master.choose(StreamPreference(subtitles: .all))
        let plan = try StreamPlan.make(media, url: url)
        let source = StreamSource(
            tracks: [plan], digest: [], seconds: 1, subtitles: [.init(language: nil, name: "n", url: url)])
        let access = StreamAccess(engine: TransferEngine()) { _ in
            TransferRequest(url: Self.url)
        } enter: { _ in
            true
        } leave: { _ in
        }
        let keys = KeyRing()
        _ = await keys.cipher(url + "\u{0}", access)
        let lines = PlaylistLines(Array(text.utf8))
        var rest = lines
        let line = try #require(try rest.next())
        var variables = PlaylistVariables(url: url, imports: [secret: secret])
        let parser = PlaylistParser(variables: variables)
        let attributes = try AttributeList(line, line.content)
        let package = StreamPackage(video: .init(plan: plan, pieces: [], file: "video.ts"))
        let pair = ParsedURL(url).map { StreamPlanner(media, base: $0) }
        variables = PlaylistVariables(url: url)
        return [
            playlist, media, masterPlaylist, master, choice, plan, source, access, keys, lines, line, variables, parser,
            attributes, package, package.video, MasterBuilder(), MediaBuilder(), PlanPrinter(plan),
            VariantLadder(master.variants), try #require(pair), try #require(media.segments.first),
            try #require(media.maps.first), try #require(master.sessionKeys.first), try #require(master.variants.first),
            try #require(master.renditions.first), try #require(plan.segments.first), try #require(plan.maps.first),
            try #require(plan.segments.first?.key), try #require(source.subtitles.first),
            StreamAccess.Answer(result: .success(Array(secret.utf8)), url: url),
            SegmentKeys.aes128(uri: url, iv: nil), try SegmentCipher(key: Array("SECRET0123456789".utf8)),
        ]
    }
}
