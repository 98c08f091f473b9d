import HLSMedia
import SystemPackage
import Testing

@Suite("the arguments of ffmpeg")
struct RemuxJobTests {
    static let local = ["-protocol_whitelist", "file,pipe"]

    @Test("one file with its sound")
    func one() throws {
        let video = try #require(RemuxInput(path: "/d/-a b.ts", kind: .transportStream, language: "de"))
        let job = try #require(RemuxJob(video: video, output: "/d/out.mp4"))
        #expect(
            job.arguments == ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"] + Self.local + [
                "-f", "mpegts", "-i", "file:/d/-a b.ts", "-map", "0:v?", "-map", "0:a?", "-metadata:s:a:0",
                "language=deu",
                "-sn", "-dn", "-c", "copy", "-movflags", "+faststart", "-f", "mp4", "file:/d/out.mp4",
            ])
    }

    @Test("with room for its index the output is written once")
    func room() throws {
        let video = try #require(RemuxInput(path: "/d/v.ts", kind: .transportStream))
        var job = try #require(RemuxJob(video: video, output: "/d/out.mp4"))
        job.indexRoom = IndexRoom(seconds: 100, fileSize: 1 << 30)
        let expected = ["-c", "copy", "-moov_size", "265536", "-f", "mp4", "file:/d/out.mp4"]
        #expect(Array(job.arguments.suffix(expected.count)) == expected)
    }

    @Test("separate sound replaces the file's own, and every file is local")
    func several() throws {
        let video = try #require(RemuxInput(path: "/d/v.mp4", kind: .fragmentedMP4, language: "fr"))
        let audio = [
            try #require(RemuxInput(path: "/d/1.aac", kind: .adts, language: "en-GB")),
            try #require(RemuxInput(path: "/d/2.ac3", kind: .ac3)),
            try #require(RemuxInput(path: "/d/3.mp4", kind: .fragmentedMP4, language: "gsw")),
        ]
        let job = try #require(RemuxJob(video: video, audio: audio, output: "/d/out.mp4"))
        var expected = ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"]
        expected +=
            Self.local + ["-f", "mp4", "-i", "file:/d/v.mp4"] + Self.local + ["-f", "aac", "-i", "file:/d/1.aac"]
        expected +=
            Self.local + ["-f", "ac3", "-i", "file:/d/2.ac3"] + Self.local + ["-f", "mp4", "-i", "file:/d/3.mp4"]
        expected += ["-map", "0:v?", "-map", "1:a:0", "-map", "2:a:0", "-map", "3:a:0"]
        expected += ["-metadata:s:a:0", "language=eng", "-metadata:s:a:2", "language=gsw"]
        expected += ["-disposition:a:1", "0", "-disposition:a:2", "0", "-sn", "-dn", "-c", "copy"]
        #expect(job.arguments == expected + ["-movflags", "+faststart", "-f", "mp4", "file:/d/out.mp4"])
    }

    @Test("the file's own sound can follow the separate one, and subtitles become text")
    func tracks() throws {
        let video = try #require(RemuxInput(path: "/d/v.mp4", kind: .fragmentedMP4))
        var audio = [
            try #require(RemuxInput(path: "/d/1.mp4", kind: .fragmentedMP4, language: "de")),
            try #require(RemuxInput(path: "/d/2.mp4", kind: .fragmentedMP4)),
        ]
        audio[1].title = "Director's comments"
        var job = try #require(RemuxJob(video: video, audio: audio, output: "/d/out.mp4"))
        job.keepsOwnSound = true
        job.subtitles = [
            try #require(RemuxInput(path: "/d/3.vtt", kind: .webVTT, language: "fr")),
            try #require(RemuxInput(subRip: "/d/4.srt", language: nil)),
        ]
        let arguments = job.arguments
        let maps = arguments.indices.filter { arguments[$0] == "-map" }.map { arguments[$0 + 1] }
        #expect(maps == ["0:v?", "1:a:0", "2:a:0", "0:a?", "3:s:0", "4:s:0"])
        let names = [
            "-metadata:s:a:0", "language=deu", "-metadata:s:a:1", "handler_name=Director's comments",
            "-disposition:a:1", "0", "-metadata:s:s:0", "language=fra", "-dn", "-c", "copy", "-c:s", "mov_text",
        ]
        #expect(arguments.joined(separator: " ").contains(names.joined(separator: " ")))
        #expect(!arguments.contains("-sn"))
        #expect(arguments.filter { $0 == "srt" || $0 == "webvtt" } == ["webvtt", "srt"])
    }

    @Test("each kind has its input format; one without a format can't be remuxed")
    func kinds() {
        let formats = MediaKind.allCases.map { RemuxInput(path: "/x", kind: $0)?.format ?? "-" }
        #expect(formats == ["mpegts", "mp4", "aac", "mp3", "ac3", "eac3", "matroska", "webvtt", "-"])
    }

    @Test("paths are absolute")
    func relative() throws {
        #expect(RemuxInput(path: "x.ts", kind: .transportStream) == nil)
        let video = try #require(RemuxInput(path: "/x.ts", kind: .transportStream))
        #expect(RemuxJob(video: video, output: "-x.mp4") == nil)
    }

    @Test(
        "languages have three letters",
        arguments: [
            ("de", "deu"), ("de-AT", "deu"), ("DE", "deu"), ("zh_Hant", "zho"), ("eng", "eng"), ("ger", "ger"),
            ("x", nil),
            ("", nil), ("english", nil), ("d3", nil), ("-de", nil), ("dé", nil), ("a=b", nil),
        ] as [(String, String?)])
    func languages(tag: String, code: String?) {
        #expect(RemuxInput(path: "/x", kind: .adts, language: tag)?.language == code)
    }

    @Test(
        "the limit is a minute, and a second for each 5 MB",
        arguments: [(0, 60), (4_999_999, 60), (5_000_000, 61), (1_000_000_000, 260), (-1, 60)] as [(Int64, Int)])
    func limit(bytes: Int64, seconds: Int) { #expect(RemuxJob.limit(bytes: bytes) == .seconds(seconds)) }
}
