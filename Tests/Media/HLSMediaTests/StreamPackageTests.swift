import HLSMedia
import MediaTransfer
import SystemPackage
import Testing

@Suite("packages, and facts about a joined file")
struct StreamPackageTests {
    private static func plan(_ lines: String) throws -> StreamPlan {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)\n#EXT-X-ENDLIST\n"
        guard case .media(let media) = try Playlist.parse(Array(text.utf8), url: "https://h/a/p.m3u8") else {
            throw StreamRefusal.empty
        }
        return try StreamPlan.make(media, url: "https://h/a/p.m3u8")
    }

    @Test("without separate sound its only playlist is the one to open")
    func single() throws {
        let plan = try Self.plan("#EXTINF:2,\na.ts\n#EXTINF:1,\nb.ts")
        let track = StreamPackage.Track(
            plan: plan, pieces: [JoinedPiece(media: 188), JoinedPiece(media: 376)], file: "video.ts")
        let playlists = StreamPackage(video: track).playlists
        #expect(playlists.map(\.name) == ["index.m3u8"])
        #expect(playlists[0].text == plan.text(file: "video.ts", pieces: track.pieces))
    }

    @Test("with separate sound a master playlist leads to both, with quoted text escaped")
    func separateSound() throws {
        let video = StreamPackage.Track(
            plan: try Self.plan("#EXTINF:2,\na.ts\n#EXTINF:1,\nb.ts"),
            pieces: [JoinedPiece(media: 1000), JoinedPiece(media: 2000)], file: "video.ts")
        let audio = StreamPackage.Track(
            plan: try Self.plan("#EXTINF:4,\na.aac"), pieces: [JoinedPiece(media: 500)], file: "audio.aac")
        let package = StreamPackage(
            video: video, audio: audio, language: "d\"e\n", codecs: ["avc1.4d401f", "mp4a.40.2"])
        let playlists = package.playlists
        #expect(playlists.map(\.name) == ["index.m3u8", "video.m3u8", "audio.m3u8"])
        #expect(
            playlists[0].text == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="de",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=17000,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="audio"
                video.m3u8

                """)
        guard case .master(let master) = try Playlist.parse(Array(playlists[0].text.utf8), url: "https://h/i.m3u8")
        else { throw StreamRefusal.empty }
        #expect(master.variants.map(\.uri) == ["video.m3u8"] && master.renditions.map(\.uri) == ["audio.m3u8"])
    }

    @Test("a segment without a length doesn't give an infinite bandwidth")
    func noLength() throws {
        let track = StreamPackage.Track(
            plan: try Self.plan("#EXTINF:0,\na.ts"), pieces: [JoinedPiece(media: 1000)], file: "v.ts")
        let text = StreamPackage(video: track, audio: track).playlists[0].text
        #expect(text.contains("BANDWIDTH=2,"))
    }

    @Test(
        "a joined file has a part for each initialization section",
        arguments: [
            ([], []), ([(0, 5)], [0..<5]), ([(2, 5), (0, 3)], [0..<10]),
            ([(2, 5), (0, 3), (0, 0), (4, 1), (1, 1)], [0..<10, 10..<15, 15..<17]),
        ] as [([(Int64, Int64)], [Range<Int64>])])
    func parts(pieces: [(Int64, Int64)], expected: [Range<Int64>]) {
        #expect(JoinedPiece.parts(of: pieces.map { .init(initialization: $0.0, media: $0.1) }) == expected)
    }

    @Test("the list of a file's parts is what ffmpeg's concat demuxer reads, whatever the file is called")
    func list() {
        #expect(
            RemuxInput.listText(of: "/a b/it's.part", parts: [0..<10, 10..<25]) == """
                ffconcat version 1.0
                file 'subfile,,start,0,end,10,,:/a b/it'\\''s.part'
                file 'subfile,,start,10,end,25,,:/a b/it'\\''s.part'

                """)
        #expect(RemuxInput.listText(of: "/a\nfile b", parts: [0..<1]) == nil)
        #expect(RemuxInput.listText(of: "a", parts: [0..<1]) == nil)
    }

    @Test("an input of several parts is read by its list, a later start as a delay")
    func inputs() throws {
        let list = try #require(RemuxInput(path: "/d/1.part", kind: .fragmentedMP4, list: "/d/1.list"))
        var sound = try #require(RemuxInput(path: "/d/2.part", kind: .adts))
        sound.delay = 0.25
        let job = try #require(RemuxJob(video: list, audio: [sound], output: "/d/out"))
        #expect(
            job.arguments.prefix(22) == [
                "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
                "-protocol_whitelist", "file,pipe,subfile", "-f", "concat", "-safe", "0", "-i", "file:/d/1.list",
                "-itsoffset", "250000us", "-protocol_whitelist", "file,pipe", "-f", "aac", "-i", "file:/d/2.part",
                "-map",
            ])
        #expect(RemuxInput(path: "/d/1.part", kind: .fragmentedMP4, list: "list") == nil)
    }
}
