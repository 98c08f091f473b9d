import HLSMedia

extension FuzzHarness {
    /// Playlists: read or refused at a place that is in the text; what can be planned is printed, read and planned again to
    /// the same.
    static let playlist = FuzzHarness(
        name: "playlist",
        texts: [
            """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:7
            #EXT-X-PLAYLIST-TYPE:VOD
            #EXT-X-DEFINE:NAME="a",VALUE="b"
            #EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
            #EXT-X-KEY:METHOD=AES-128,URI="k?{$a}",IV=0x000102030405060708090a0b0c0d0e0f
            #EXTINF:5.96,title
            #EXT-X-BYTERANGE:1000@720
            s.mp4
            #EXTINF:4,
            #EXT-X-BYTERANGE:500
            s.mp4
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=NONE
            #EXT-X-GAP
            #EXTINF:1e-3,
            ../t.ts
            #EXT-X-ENDLIST

            """,
            """
            #EXTM3U
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="a/en.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",FORCED=NO,URI="s/de.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000,CODECS="avc1.4d401e,mp4a.40.2",RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
            720.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5",AUDIO="a"
            audio.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i.m3u8"

            """,
            "#EXTM3U\r\n#EXT-X-TARGETDURATION:1\r\n#EXTINF:1,\r\nhttps://other/1.ts?a=b#c\r\n#EXT-X-ENDLIST",
        ],
        words: [
            "#EXTM3U", "#EXTINF:", "#EXT-X-KEY:METHOD=", "AES-128", "SAMPLE-AES", "NONE", ",URI=\"", "\"", ",", "=",
            "{$a}", "{$", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"", "#EXT-X-DEFINE:QUERYPARAM=\"Define2\"",
            "#EXT-X-DEFINE:IMPORT=\"Define3\"", "#EXT-X-MAP:URI=\"", "#EXT-X-BYTERANGE:", "@", "9223372036854775807",
            "-1", "0x", "4611686018427387903", "#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-STREAM-INF:",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\"", "RESOLUTION=1x1", ",AUDIO=\"a\"", "\n", "\r", "\r\n", "\t", " ",
            "//", "../", "?", "#", "://", "%", "\u{FEFF}", "é", "1e999", "#EXT-X-ENDLIST", "#EXT-X-PLAYLIST-TYPE:VOD",
            "#EXT-X-DISCONTINUITY", "#EXT-X-GAP", "\u{0}",
        ],
        corpus: "hls-playlists"
    ) { buffer in
        let bytes = Array(buffer)
        let playlist: Playlist
        do throws(PlaylistError) {
            playlist = try Playlist.parse(bytes, url: "https://h/p?Define2=x", imports: ["Define3": "y"])
        } catch {
            let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            try promise((1...lines).contains(error.line), "an error in line \(error.line) of \(lines)")
            try promise((1...bytes.count + 1).contains(error.column), "an error in column \(error.column)")
            return false
        }
        switch playlist {
        case .master(let master):
            _ = master.choose(StreamPreference(quality: [.height(1), .audio], audio: ["en"], subtitles: .all))
            _ = try? master.check()
        case .media(let media):
            guard let plan = try? StreamPlan.make(media, url: "https://h/a/p.m3u8") else { return true }
            let text = plan.text()
            guard case .media(let again)? = try? Playlist.parse(Array(text.utf8)),
                let copy = try? StreamPlan.make(again, url: "https://h/")
            else { throw BrokenPromise(description: "a printed plan can't be read:\n\(text)") }
            try promise(
                copy.segments == plan.segments && copy.maps == plan.maps, "a printed plan is another one:\n\(text)")
        }
        return true
    }
}
