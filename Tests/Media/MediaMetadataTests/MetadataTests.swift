import Crypto
import Foundation
import Testing

@testable import MediaMetadata

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("files made from the facts about a course")
struct MetadataTests {
    private static var course: MetadataCourse {
        var first = MetadataCourse.Video(
            id: "k1", title: "Position & velocity", description: "Where, and how fast.", date: "2026-10-05",
            provider: "lectures", quality: "720p", number: 1, index: 2, path: "Mechanics/02 Kinematics/01 Position.mp4",
            size: 1000, sha256: "ab", seconds: 3723.6, cover: "Mechanics/02 Kinematics/01 Position.jpg")
        first.subtitles = [.init(name: "en", path: "Mechanics/02 Kinematics/01 Position.en.vtt")]
        first.attachments = [.init(name: "Slides", path: "Mechanics/02 Kinematics/01 Position - Slides.pdf")]
        let welcome = MetadataCourse.Video(
            id: "w", title: "Welcome", provider: "lectures", quality: "best", number: 1, index: 1,
            path: "Mechanics/01 Welcome.mp3", size: 10)
        return MetadataCourse(
            id: "phys101", title: "Mechanics", description: "Bodies\nin motion.", folder: "Mechanics",
            cover: "Mechanics/cover #1.jpg",
            chapters: [
                .init(id: nil, title: "Mechanics", folder: "Mechanics", number: 0, season: 0, videos: [welcome]),
                .init(
                    id: "kin", title: "Kinematics", folder: "Mechanics/02 Kinematics", number: 2, season: 1,
                    videos: [first]),
            ])
    }

    private static func files(_ kind: MetadataKind, of course: MetadataCourse = course) -> [String: String] {
        Dictionary(
            MetadataWriter([kind]).files(of: course) { _ in Array("WEBVTT\n".utf8) }.map {
                ($0.path, String(decoding: $0.bytes, as: UTF8.self))
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test("names and lines of playlists have no control characters, and none that reorder text")
    func playlistNames() {
        var course = Self.course
        course.chapters[1].title = "Kine\u{7}\u{1B}[31m\u{202E}4pm.\u{2066}x\u{200B}\nmatics"
        course.chapters[1].folder = course.folder
        course.chapters[1].videos[0].title = "One\u{2028}#EXTINF\u{202E}two\r\nthree"
        let files = Self.files(.playlist, of: course)
        #expect(files.keys.contains("Mechanics/playlist 2 Kine[31m4pm.xmatics.m3u8"), "\(files.keys)")
        let chapter = files["Mechanics/playlist 2 Kine[31m4pm.xmatics.m3u8"] ?? ""
        #expect(chapter.contains("#PLAYLIST:Mechanics – Kine[31m4pm.xmatics\n"), "\(chapter)")
        for text in files.values {
            #expect(
                !text.unicodeScalars.contains { [0x7, 0xD, 0x1B, 0x200B, 0x2028, 0x202E, 0x2066].contains($0.value) })
        }
    }

    @Test("an .nfo has the elements that Kodi and Jellyfin read of a show, a season and an episode")
    func nfo() {
        let files = Self.files(.nfo)
        #expect(
            files.keys.sorted() == [
                "Mechanics/01 Welcome.nfo", "Mechanics/02 Kinematics/01 Position.nfo",
                "Mechanics/02 Kinematics/season.nfo", "Mechanics/tvshow.nfo",
            ])
        #expect(
            files["Mechanics/tvshow.nfo"] == """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <tvshow>
                  <title>Mechanics</title>
                  <plot>Bodies
                in motion.</plot>
                  <namedseason number="1">Kinematics</namedseason>
                  <uniqueid type="coursefetch" default="true">phys101</uniqueid>
                </tvshow>

                """)
        #expect(
            files["Mechanics/02 Kinematics/01 Position.nfo"] == """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <episodedetails>
                  <title>Position &amp; velocity</title>
                  <showtitle>Mechanics</showtitle>
                  <season>1</season>
                  <episode>1</episode>
                  <plot>Where, and how fast.</plot>
                  <aired>2026-10-05</aired>
                  <uniqueid type="coursefetch" default="true">phys101/k1</uniqueid>
                  <runtime>63</runtime>
                  <fileinfo>
                    <streamdetails>
                      <video>
                        <durationinseconds>3724</durationinseconds>
                      </video>
                    </streamdetails>
                  </fileinfo>
                </episodedetails>

                """)
    }

    @Test("an .info.json has the keys of yt-dlp, and no address")
    func infoJSON() {
        #expect(
            Self.files(.infoJSON)["Mechanics/02 Kinematics/01 Position.info.json"] == """
                {
                  "attachments" : [
                    {
                      "filename" : "01 Position - Slides.pdf",
                      "title" : "Slides"
                    }
                  ],
                  "chapter" : "Kinematics",
                  "chapter_id" : "kin",
                  "chapter_number" : 2,
                  "description" : "Where, and how fast.",
                  "duration" : 3723.6,
                  "episode_number" : 1,
                  "ext" : "mp4",
                  "extractor" : "lectures",
                  "filename" : "01 Position.mp4",
                  "filesize" : 1000,
                  "format" : "720p",
                  "id" : "k1",
                  "playlist" : "Mechanics",
                  "playlist_id" : "phys101",
                  "playlist_index" : 2,
                  "season_number" : 1,
                  "sha256" : "ab",
                  "subtitles" : {
                    "en" : [
                      {
                        "ext" : "vtt",
                        "filename" : "01 Position.en.vtt"
                      }
                    ]
                  },
                  "title" : "Position & velocity",
                  "upload_date" : "20261005"
                }

                """)
    }

    @Test("a course and each chapter has a playlist with durations, and paths relative to it")
    func playlists() {
        #expect(
            Self.files(.playlist) == [
                "Mechanics/playlist.m3u8": """
                #EXTM3U
                #PLAYLIST:Mechanics
                #EXTINF:-1,Welcome
                01 Welcome.mp3
                #EXTINF:3724,Position & velocity
                02 Kinematics/01 Position.mp4

                """,
                "Mechanics/02 Kinematics/playlist.m3u8": """
                #EXTM3U
                #PLAYLIST:Mechanics – Kinematics
                #EXTINF:3724,Position & velocity
                01 Position.mp4

                """,
            ])
        var flat = Self.course
        flat.chapters[1].folder = "Mechanics"
        flat.chapters[1].title = "A/B"
        flat.chapters[1].videos[0].path = "Mechanics/#1.mp4"
        let files = Self.files(.playlist, of: flat)
        #expect(files["Mechanics/playlist 2 AB.m3u8"]?.hasSuffix("\n./#1.mp4\n") == true, "\(files)")
    }

    @Test("the page has covers, chapters, lengths and subtitles, and needs nothing but the files beside it")
    func page() throws {
        let page = try #require(Self.files(.index)["Mechanics/index.html"])
        for piece in [
            #"<img src="cover%20%231.jpg" alt="" loading="lazy" decoding="async">"#, "<h1><bdi>Mechanics</bdi></h1>",
            #"<p class="meta"><span>2 videos</span><span>1:02:04</span></p>"#, "<h2><bdi>Kinematics</bdi></h2>",
            #"<img src="02%20Kinematics/01%20Position.jpg" alt="" loading="lazy" decoding="async">"#,
            #"<video controls playsinline preload="none" poster="02%20Kinematics/01%20Position.jpg""#,
            #" src="02%20Kinematics/01%20Position.mp4">"#,
            #"<track kind="subtitles" srclang="en" label="en" default src="data:text/vtt;base64,V0VCVlRUCg==">"#,
            #"<audio controls preload="none" src="01%20Welcome.mp3">"#, "</span>1:02:04</span>",
            #"<time datetime="2026-10-05">5 Oct 2026</time>"#, #"<li value="1" id="video-2">"#,
            #"<a href="02%20Kinematics/01%20Position%20-%20Slides.pdf"><bdi>Slides</bdi></a>"#,
            #"<a href="../index.html">Courses</a>"#,
        ] { #expect(page.contains(piece), "\(piece)") }
        #expect(!page.contains("http:") && !page.contains("https:"))
        #expect(!page.contains("class=\"views\"") && !page.contains("id=\"gone\""))
    }

    @Test("without a page of all courses no page leads to it")
    func withoutLibrary() throws {
        let writer = MetadataWriter([.index], hasLibrary: false)
        let page = try #require(writer.files(of: Self.course) { _ in nil }.first)
        #expect(!String(decoding: page.bytes, as: UTF8.self).contains("../index.html"))
        #expect(writer.page(of: Self.library([Self.course])) == nil)
        #expect(MetadataWriter([.nfo]).page(of: Self.library([Self.course])) == nil)
        #expect(MetadataWriter([.index]).page(of: Self.library([])) == nil)
    }

    @Test("what is gone comes last, marked, with its chapter; a chapter of nothing else isn't shown")
    func gone() throws {
        var course = Self.course
        course.chapters[0].videos[0].isGone = true
        course.chapters.append(course.chapters[1])
        course.chapters[2].videos[0].isGone = true
        course.chapters[2].title = "Statics"
        let page = try #require(Self.files(.index, of: course)["Mechanics/index.html"])
        let parts = page.components(separatedBy: "<section class=\"group\" id=\"gone\">")
        try #require(parts.count == 2)
        #expect(parts[0].contains("Kinematics") && !parts[0].contains("Statics"))
        #expect(!parts[0].contains("01%20Welcome.mp3") && parts[1].contains("01%20Welcome.mp3"))
        #expect(parts[1].contains("<span class=\"meta\"><time") && parts[1].contains("<bdi>Statics</bdi>"))
        #expect(parts[1].components(separatedBy: "No longer in the course; kept here").count == 3)
    }

    @Test("several views stand beside each other, the one with the sound first")
    func views() throws {
        var course = Self.course
        course.chapters[1].videos[0].views = [.init(name: "slides", path: "Mechanics/02 Kinematics/01 (slides).mp4")]
        let page = try #require(Self.files(.index, of: course)["Mechanics/index.html"])
        let views = try #require(page.components(separatedBy: "<div class=\"views\">").last)
        #expect(views.components(separatedBy: "<figure>").count == 3)
        let main = try #require(views.range(of: "01%20Position.mp4"))
        let other = try #require(views.range(of: "01%20%28slides%29.mp4"))
        #expect(main.lowerBound < other.lowerBound)
    }

    private static func library(_ courses: [MetadataCourse]) -> MetadataLibrary {
        MetadataLibrary(
            courses: courses.map { course in
                .init(
                    id: course.id, title: course.title, folder: course.folder, cover: course.cover, hasPage: true,
                    seconds: course.videos.compactMap(\.seconds).reduce(0, +),
                    videos: course.videos.map { .init(title: $0.title, index: $0.index) })
            })
    }

    @Test("the page of all courses has their covers, counts and lengths, and the titles of their videos as data")
    func libraryPage() throws {
        var bare = Self.library([Self.course]).courses[0]
        (bare.id, bare.title, bare.folder, bare.cover, bare.hasPage) = ("b", "Bare", "Ba:re", nil, false)
        var library = Self.library([Self.course])
        library.courses.append(bare)
        let file = try #require(MetadataWriter([.index]).page(of: library))
        #expect(file.path == "index.html")
        let page = String(decoding: file.bytes, as: UTF8.self)
        for piece in [
            "<span>2 courses</span><span>4 videos</span><span>2:04:07</span>",
            #"<img src="Mechanics/cover%20%231.jpg" alt="" loading="lazy" decoding="async">"#,
            #"<a href="Mechanics/index.html"><bdi>Mechanics</bdi></a>"#, #"<a href="Ba%3Are/"><bdi>Bare</bdi></a>"#,
            #"<p class="meta"><span>2 videos</span><span>1:02:04</span></p>"#,
            #"[[["Welcome",1],["Position & velocity",2]],"#,
        ] { #expect(page.contains(piece), "\(piece)") }
    }

    @Test("the policy of each page names the one script that is in it by its hash, and nothing else is run")
    func policy() throws {
        let course = try #require(Self.files(.index)["Mechanics/index.html"])
        let library = try #require(MetadataWriter([.index]).page(of: Self.library([Self.course])))
        for (page, scripts) in [(course, 1), (String(decoding: library.bytes, as: UTF8.self), 2)] {
            let parts = page.components(separatedBy: "<script")
            #expect(parts.count == scripts + 1)
            let script = try #require(parts.last?.components(separatedBy: "</script>").first?.dropFirst())
            let hash = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
            #expect(page.contains("content=\"script-src 'sha256-\(hash)'; connect-src 'none'; "))
            if scripts == 2 { #expect(parts[1].hasPrefix(" type=\"application/json\" id=\"titles\">[")) }
            #expect(page.components(separatedBy: "Content-Security-Policy").count == 2)
        }
        // Whatever could run or fetch isn't used by the script either.
        for word in ["innerHTML", "eval(", "Function(", "fetch(", "import(", "document.write", "insertAdjacent"] {
            #expect(!PageScript.text.contains(word), "\(word)")
        }
        #expect(!PageScript.text.contains("</") && !PageScript.text.contains("<!--"))
        #expect(!PageStyle.text.contains("<") && !PageStyle.text.contains("url("))
    }

    @Test("no title, id or language is interpreted as markup anywhere")
    func hostile() throws {
        // With a combining mark `<` and `"` are other Characters, and the same markup.
        let evil = """
            "'><script>alert(1)</script>&amp;]]>\u{0}\u{1B}\u{202E}\u{FFFF}\n#EXTINF:0,x<\u{338}/script><\u{338}script\
            "\u{301} onerror=x '\u{301}<!--&\u{301}lt;
            """
        var course = Self.course
        course.title = evil
        course.id = evil
        course.description = evil
        course.chapters[1].title = evil
        course.chapters[1].id = evil
        course.chapters[1].videos[0].title = evil
        course.chapters[1].videos[0].description = evil
        course.chapters[1].videos[0].date = evil
        course.chapters[1].videos[0].subtitles[0].name = evil
        course.chapters[1].videos[0].attachments[0].name = evil
        course.chapters[1].videos[0].views = [.init(name: evil, path: "Mechanics/02 Kinematics/b.mp4")]
        let writer = MetadataWriter(Set(MetadataKind.allCases))
        let page = try #require(writer.page(of: Self.library([course])))
        for file in writer.files(of: course, text: { _ in Array(evil.utf8) }) + [page] {
            let text = String(decoding: file.bytes, as: UTF8.self)
            if file.path.hasSuffix(".nfo") {
                #expect(XMLParser(data: Data(file.bytes)).parse(), "\(text)")
            } else if file.path.hasSuffix(".json") {
                #expect((try? JSONSerialization.jsonObject(with: Data(file.bytes))) != nil)
            } else if file.path.hasSuffix(".m3u8") {
                #expect(text.split(separator: "\n").filter { $0.hasPrefix("#EXTINF") }.count <= 2, "\(text)")
            } else {
                // Nothing but the page's own elements, read by scalars.
                let starts = text.unicodeScalars.split(separator: "<", omittingEmptySubsequences: false).dropFirst()
                let names = starts.map { String(String.UnicodeScalarView($0.prefix { $0 != ">" && $0 != " " })) }
                #expect(names.filter { $0 == "script" }.count == (file.path == "index.html" ? 2 : 1))
                #expect(!names.contains { $0.unicodeScalars.first == "\u{338}" || $0.hasPrefix("!--") }, "\(names)")
                #expect(!text.unicodeScalars.contains { [0x1B, 0x202E].contains($0.value) })
            }
        }
        // The data are what the titles were, without controls.
        let text = String(decoding: page.bytes, as: UTF8.self)
        let parts = text.components(separatedBy: "id=\"titles\">")
        let json = try #require(parts.last?.components(separatedBy: "</script>").first)
        let titles = try JSONDecoder().decode([[[TitleOrNumber]]].self, from: Data(json.utf8))
        #expect(titles[0][1] == [.init(text: Markup.line(evil)), .init(text: "2")])
        #expect(!json.utf8.contains(UInt8(ascii: "<")))
    }

    private struct TitleOrNumber: Decodable, Equatable {
        var text: String

        init(text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            text = try (try? value.decode(String.self)) ?? String(value.decode(Int.self))
        }
    }

    @Test(
        "markup is escaped scalar by scalar",
        arguments: [
            ("<\u{338}b", "&lt;\u{338}b"), (">\u{338}", "&gt;\u{338}"), ("\"\u{301}x", "&quot;\u{301}x"),
            ("&\u{301}lt;", "&amp;\u{301}lt;"), ("'\u{20DD}", "&#39;\u{20DD}"), ("\u{E9}", "\u{E9}"),
        ])
    func escaped(text: String, expected: String) {
        #expect(Array(Markup.escaped(text).utf8) == Array(expected.utf8))
    }

    @Test("a slash before a combining mark is a slash, in a path and in a playlist's name")
    func combiningMarks() {
        #expect(RelativePath.from("A/\u{301}B", to: "A/c.mp4") == "../c.mp4")
        #expect(RelativePath.name("A/\u{301}b.mp4") == "\u{301}b.mp4")
        var course = Self.course
        course.chapters[1].folder = course.folder
        course.chapters[1].title = "A/\u{338}B"
        #expect(Self.files(.playlist, of: course).keys.contains("Mechanics/playlist 2 A\u{338}B.m3u8"))
    }

    @Test("the same facts give the same bytes; a course without videos has no files")
    func deterministic() {
        let writer = MetadataWriter(Set(MetadataKind.allCases))
        #expect(writer.files(of: Self.course) { _ in nil } == writer.files(of: Self.course) { _ in nil })
        #expect(writer.files(of: MetadataCourse(id: "a", title: "A", folder: "A", chapters: [])) { _ in nil }.isEmpty)
    }

    @Test(
        "a path is relative to the folder of the file that contains it",
        arguments: [
            ("A", "A/b.mp4", "b.mp4"), ("A/B", "A/C/d.mp4", "../C/d.mp4"), ("A/B", "A/B/C/d.mp4", "C/d.mp4"),
            ("A", "B/c.mp4", "../B/c.mp4"),
        ])
    func relative(folder: String, path: String, expected: String) {
        #expect(RelativePath.from(folder, to: path) == expected)
    }
}
