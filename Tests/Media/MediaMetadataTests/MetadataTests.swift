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
            #"<img src="cover%20%231.jpg" alt="">"#, "<p class=\"sum\">2 videos, 1:02:04</p>", "<h2>Kinematics</h2>",
            #"<video controls preload="none" poster="02%20Kinematics/01%20Position.jpg" src="02%20Kinematics/01%20Position.mp4">"#,
            #"<track kind="subtitles" srclang="en" label="en" default src="data:text/vtt;base64,V0VCVlRUCg==">"#,
            #"<audio controls preload="none" src="01%20Welcome.mp3">"#, "<span class=\"length\">1:02:04</span>",
            #"<a href="02%20Kinematics/01%20Position%20-%20Slides.pdf">Slides</a>"#, "script-src 'none'",
        ] { #expect(page.contains(piece), "\(piece)") }
        #expect(!page.contains("http:") && !page.contains("https:"))
        #expect(!page.contains("<script"))
    }

    @Test("no title, id or language is interpreted as markup anywhere")
    func hostile() throws {
        let evil = "\"'><script>alert(1)</script>&amp;]]>\u{0}\u{1B}\u{202E}\u{FFFF}\n#EXTINF:0,x"
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
        for file in MetadataWriter(Set(MetadataKind.allCases)).files(of: course, text: { _ in Array(evil.utf8) }) {
            let text = String(decoding: file.bytes, as: UTF8.self)
            if file.path.hasSuffix(".nfo") {
                #expect(XMLParser(data: Data(file.bytes)).parse(), "\(text)")
            } else if file.path.hasSuffix(".json") {
                #expect((try? JSONSerialization.jsonObject(with: Data(file.bytes))) != nil)
            } else if file.path.hasSuffix(".m3u8") {
                #expect(text.split(separator: "\n").filter { $0.hasPrefix("#EXTINF") }.count <= 2, "\(text)")
            } else {
                #expect(!text.contains("<script") && !text.contains("\u{1B}") && !text.contains("\u{202E}"))
            }
        }
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
