import HLSMedia
import Testing

@Suite("master playlists")
struct MasterPlaylistTests {
    @Test("streams, renditions and keys are read; streams of single pictures are left out")
    func all() throws {
        let playlist = try ParsedPlaylist.master(
            """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:10
            #EXT-X-SESSION-DATA:DATA-ID="x",VALUE="y"
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English, \
            "plain"",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="en.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",FORCED=YES,CHARACTERISTICS="a, \
            b",URI="de.m3u8"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC",INSTREAM-ID="CC1"
            #EXT-X-MEDIA:TYPE=SMELL,GROUP-ID="x",NAME="x"
            #EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,RESOLUTION=1280x720,FRAME-RATE=29.97,CODECS="avc1.64001f, mp4a.40.2",AUDIO="aac",SUBTITLES="s",VIDEO="v"
            # a comment
            720.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH="bad",URI="i.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=many,RESOLUTION=large,FRAME-RATE=fast
            other.m3u8
            stray.m3u8
            """)
        var first = Variant(
            uri: "720.m3u8", bandwidth: 2_000_000, resolution: FrameSize(width: 1280, height: 720), line: 12)
        first.averageBandwidth = 1_500_000
        first.frameRate = 29.97
        first.codecs = ["avc1.64001f", "mp4a.40.2"]
        first.audioGroup = "aac"
        first.subtitlesGroup = "s"
        first.videoGroup = "v"
        #expect(playlist.variants == [first, Variant(uri: "other.m3u8", line: 15)])
        var audio = Rendition(
            kind: .audio, uri: "en.m3u8", groupID: "aac", name: "English, \"plain\"", language: "en", line: 6)
        audio.isDefault = true
        audio.isAutoselect = true
        audio.channels = "2"
        var text = Rendition(kind: .subtitles, uri: "de.m3u8", groupID: "s", name: "Deutsch", language: "de", line: 7)
        text.isForced = true
        text.characteristics = ["a", "b"]
        let captions = Rendition(kind: .closedCaptions, uri: nil, groupID: "cc", name: "CC", line: 8)
        #expect(playlist.renditions == [audio, text, captions])
        #expect(playlist.sessionKeys == [PlaylistKey(method: .aes128, uri: "k")])
        #expect(playlist.version == 6)
    }

    @Test(
        "common mistakes of hosts in attribute lists are accepted",
        arguments: [
            "BANDWIDTH=1,CODECS=\"avc1,mp4a\",AUDIO=\"a\"", "bandwidth=1,codecs=\"avc1,mp4a\",Audio=\"a\"",
            " BANDWIDTH = 1 , CODECS = \"avc1,mp4a\" , AUDIO = \"a\" ",
            ",BANDWIDTH=1,,CODECS=\"avc1,mp4a\",AUDIO=\"a\",",
            "BANDWIDTH=1,CODECS=avc1,mp4a,AUDIO=a", "BANDWIDTH=\"1\",CODECS=avc1,mp4a\",AUDIO=a\"",
            "BANDWIDTH=1,CODECS=\"avc1,mp4a\",AUDIO=\"a\",BANDWIDTH=2,AUDIO=\"b\"",
            "junk,BANDWIDTH=1,=,CODECS=\"avc1,mp4a\",AUDIO=\"a\" , more \"junk\",=\"\"",
        ])
    func attributes(list: String) throws {
        let variant = try ParsedPlaylist.master("#EXTM3U\n#EXT-X-STREAM-INF:\(list)\nv").variants[0]
        #expect(variant.bandwidth == 1)
        #expect(variant.codecs == ["avc1", "mp4a"])
        #expect(variant.audioGroup == "a")
    }

    @Test("variables in URIs and in quoted attributes are replaced, once")
    func variables() throws {
        let url = "https://h/m.m3u8?x=1&tok=a%2Fb+c&tok=second&empty=#x?y=1"
        let playlist = try ParsedPlaylist.master(
            """
            #EXTM3U
            #EXT-X-DEFINE:NAME="base",VALUE="https://h/{$tok}"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="{$base}"
            {$base}/{$t/{$}/v
            """.replacing(
                "#EXT-X-DEFINE:NAME", with: "#EXT-X-DEFINE:QUERYPARAM=\"tok\"\n#EXT-X-DEFINE:NAME"), url: url)
        #expect(playlist.variants[0].uri == "https://h/a/b+c/{$t/{$}/v")
        #expect(playlist.variants[0].audioGroup == "https://h/a/b+c")
        #expect(playlist.variables == ["tok": "a/b+c", "base": "https://h/a/b+c"])
        let media = try ParsedPlaylist.media(
            "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"base\"\n#EXTINF:1,\n{$base}/{$base}", imports: ["base": "{$base}"])
        #expect(media.segments[0].uri == "{$base}/{$base}")
        #expect(throws: PlaylistError(line: 2, column: 27, message: "the playlist's URL has no such query parameter")) {
            try ParsedPlaylist.media("#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"empty\"", url: url)
        }
    }

    @Test("variables can't exceed the limit on text")
    func amplification() {
        let long = String(repeating: "x", count: 40_000)
        let head = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(long)\"\n"
        #expect(throws: PlaylistError(line: 4, column: 5, message: "the variables expand to too much text")) {
            try ParsedPlaylist.media(head + "#EXTINF:1,\n{$a}{$a}")
        }
        let lines = String(repeating: "#EXTINF:1,\n{$a}\n", count: 1_000)
        #expect(throws: PlaylistError(line: 842, column: 1, message: "the variables expand to too much text")) {
            try ParsedPlaylist.media(head + lines)
        }
    }
}
