import CourseCatalog
import DownloadStore
import SystemPackage
import TestSupport
import Testing
import YAMLSource

@testable import CourseDiscovery

@Suite("A course with its listing")
struct CourseWithListingTests {
    private let folder = TemporaryFolder()

    private func course(_ lines: String) throws -> Course {
        try folder.write("version: 1\ncourses:\n  - id: c\n    provider: p\n\(lines)\n", to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        return reading.catalog.courses[0]
    }

    private func listing(_ chapters: [(String, [String])], direct: [String] = []) -> CourseListing {
        var listing = CourseListing()
        listing.title = "Listed"
        listing.videos = ListingVideos(direct.map { CourseListing.Video(id: $0) })
        for (index, (id, videos)) in chapters.enumerated() {
            listing.chapters.append(.init(id: id, title: "Title of \(id)"))
            listing.videos.append(contentsOf: videos.map { CourseListing.Video(id: $0, chapter: index) })
        }
        return listing
    }

    private func shape(_ course: Course) -> [String] {
        (course.videos.isEmpty ? [] : [course.videos.map(\.id).joined(separator: " ")])
            + course.chapters.map { "\($0.id): \($0.videos.map(\.id).joined(separator: " "))" }
    }

    @Test("a course without written videos is its listing, chapters without videos left out")
    func plain() throws {
        let course = try course("    discover: true")
        #expect(course.isUnlisted)
        let whole = course.adding(listing([("a", ["1", "2"]), ("empty", []), ("b", ["3"])], direct: ["0"]))
        #expect(!whole.isUnlisted && whole.title == "Listed")
        #expect(
            shape(whole) == ["0", "a: 1 2", "b: 3"] && whole.chapters.map(\.title) == ["Title of a", "Title of b"])
        #expect(whole.videoCount == 4 && whole.chapters[0].videos[0].provider.name == "p")
    }

    @Test("a video that another provider has gets only what is listed for it, and what the catalog writes at the video")
    func handedOver() throws {
        let course = try course(
            """
                parameters: {host: h, channel: c}
                quality: 720p
                discover: {hand_over: [q]}
                videos: [bare, {id: own, parameters: {more: 1}, audio: de}, {id: other, provider: r}]
            """)
        var listing = listing([("a", ["x"])], direct: ["bare", "own", "other", "plain"])
        let location = SourceLocation(file: "c.yaml", line: 3, column: 5)
        for index in listing.videos.indices where listing.videos[index].id != "plain" {
            listing.videos[index].provider = "q"
            listing.videos[index].parameters = ListingPages.entries(stored: #"{"host":"listed"}"#, at: location)
        }
        let whole = course.adding(listing)
        let videos = Dictionary(
            uniqueKeysWithValues: (whole.videos + Array(whole.chapters[0].videos)).map { ($0.id, $0) })
        func settings(_ id: String) -> String {
            guard let video = videos[id] else { return "none" }
            return "\(video.provider.name) \(video.settings.parametersJSON) \(video.settings.quality[0]) "
                + "\(video.settings.lister?.provider?.name ?? "none")"
        }
        #expect(settings("plain") == #"p {"channel":"c","host":"h"} 720p none"#)
        #expect(settings("x") == #"q {"host":"listed"} 720p p"#)
        #expect(settings("bare") == #"q {"host":"listed"} 720p p"#)
        #expect(settings("own") == #"q {"host":"listed","more":1} 720p p"#)
        #expect(videos["own"]?.settings.audio == ["de"])
        #expect(settings("other") == #"r {"channel":"c","host":"h"} 720p none"#)
    }

    @Test("a listed parameter goes before the course's, also for a video that is written by its id alone")
    func parameters() throws {
        let course = try course(
            """
                parameters: {host: h, path: course}
                discover: true
                videos: [bare, {id: own, parameters: {path: mine}}]
            """)
        var listing = listing([], direct: ["bare", "own", "listed"])
        let location = SourceLocation(file: "c.yaml", line: 3, column: 5)
        for index in listing.videos.indices {
            listing.videos[index].parameters = ListingPages.entries(stored: #"{"path":"listed"}"#, at: location)
        }
        let videos = course.adding(listing).videos
        #expect(
            videos.map { "\($0.id) \($0.settings.parametersJSON)" } == [
                #"bare {"host":"h","path":"listed"}"#, #"own {"host":"h","path":"mine"}"#,
                #"listed {"host":"h","path":"listed"}"#,
            ])
    }

    @Test("written chapters and videos come first, a written video stays where it is written")
    func places() throws {
        let course = try course(
            """
                title: Mine
                discover: true
                videos: [own, 3]
                chapters:
                  - {id: extras, videos: [x, 2]}
                  - {id: a, title: My A, videos: [y, 1]}
            """)
        let whole = course.adding(listing([("b", ["3", "4"]), ("a", ["2", "1", "5"])]))
        #expect(shape(whole) == ["own 3", "extras: x 2", "b: 4", "a: y 1 5"])
        #expect(whole.title == "Mine" && whole.chapters.map(\.title) == ["extras", "Title of b", "My A"])
    }

    @Test("ids go to the provider as it lists them, though they are compared in one spelling")
    func spellings() throws {
        let (composed, decomposed) = ("\u{FC}", "u\u{308}")
        let course = try course("    discover: true\n    videos: [{id: \"\(composed)\", title: Mine}]")
        let whole = course.adding(
            listing([("k\(decomposed)", ["v\(decomposed)", "w\(composed)"])], direct: [decomposed]))
        let videos = Array(whole.videos) + Array(whole.chapters[0].videos)
        #expect(videos.map(\.title) == ["Mine", "v\(composed)", "w\(composed)"])
        #expect(videos.map { Array($0.id.utf8) } == [composed, "v\(composed)", "w\(composed)"].map { Array($0.utf8) })
        #expect(
            videos.map { Array($0.writtenID.utf8) }
                == [decomposed, "v\(decomposed)", "w\(composed)"].map { Array($0.utf8) })
        #expect(Array(whole.chapters[0].writtenID.utf8) == Array("k\(decomposed)".utf8))
    }

    @Test("what is written wins key by key; the listing fills in the rest; listed parameters lie over the course's")
    func keys() throws {
        let course = try course(
            """
                parameters: {a: course, b: course, c: course}
                discover: true
                chapters:
                  - id: k
                    priority: high
                    videos:
                      - {id: "1", title: Mine, parameters: {a: video}, size: 9}
                      - "2"
            """)
        var listed = listing([("k", ["1", "2", "3"])])
        let place = course.location
        for index in listed.videos.indices {
            listed.videos[index].title = "Listed \(index + 1)"
            listed.videos[index].summary = "D"
            listed.videos[index].date = "2026-10-05"
            listed.videos[index].size = 5
            listed.videos[index].parameters = ["a", "b"].map {
                .init(key: $0, keyLocation: place, value: YAMLNode(.string("listed"), at: place))
            }
        }
        let videos = Array(course.adding(listed).chapters[0].videos)
        #expect(videos.map(\.title) == ["Mine", "Listed 2", "Listed 3"] && videos.map(\.size) == [9, 5, 5])
        #expect(
            videos.map(\.description) == ["D", "D", "D"]
                && videos.map(\.date) == ["2026-10-05", "2026-10-05", "2026-10-05"])
        #expect(videos.map(\.priority) == [10, 10, 10])
        #expect(
            videos.map(\.settings.parametersJSON) == [
                #"{"a":"video","b":"listed","c":"course"}"#, #"{"a":"listed","b":"listed","c":"course"}"#,
                #"{"a":"listed","b":"listed","c":"course"}"#,
            ])
    }

    @Test("numbers: what is written wins, the listing fills in the rest, and only what it places is placed by it")
    func numbers() throws {
        let course = try course(
            """
                discover: true
                chapters:
                  - {id: k, season: 5, videos: [{id: "1", episode: 9}, "2", own]}
                  - {id: l, videos: ["4"]}
            """)
        var listed = listing([("k", ["1", "2", "3"]), ("l", []), ("m", ["4", "5"])])
        for index in listed.videos.indices { listed.videos[index].episode = 30 + index }
        for index in listed.chapters.indices { listed.chapters[index].season = 1 + index }
        let whole = course.adding(listed)
        #expect(whole.chapters.map(\.id) == ["k", "l", "m"] && whole.chapters.map(\.season) == [5, 2, 3])
        let videos = Array(whole.chapters.map(\.videos).joined())
        #expect(videos.map(\.id) == ["own", "1", "2", "3", "4", "5"])
        #expect(videos.map(\.episode) == [nil, 9, 31, 32, 33, 34])
        #expect(videos.map(\.isPlacedByListing) == [false, true, true, true, false, true])
        #expect(!course.chapters[0].videos[0].isPlacedByListing)
    }

    @Test("patterns and newest select; each video that is left out has its reason")
    func selection() throws {
        let course = try course(
            "    discover: {include: [\"lecture *\", \"LAB*\"], exclude: \"*draft?\", newest: 2}")
        var listed = listing([], direct: ["1", "2", "3", "4", "5", "6"])
        let facts: [(String, Double?)] = [
            ("Lecture 1", 100), ("Lecture 2", 300), ("Talk", 900), ("Lecture draft1", 900), ("Lab", 200),
            ("Lecture undated", nil),
        ]
        for (index, (title, date)) in facts.enumerated() {
            listed.videos[index].title = title
            listed.videos[index].publishedAt = date
        }
        let selection = ListingSelection(listed, of: course)
        #expect(selection.listing.videos.map(\.id) == ["2", "5"])
        #expect(
            selection.left.map { "\($0.video.id) \($0.reason)" } == [
                "1 older(newest: 2)", "3 notIncluded", "4 excluded(pattern: \"*draft?\")", "6 older(newest: 2)",
            ])
    }

    @Test("patterns and newest don't concern what the catalog names: it gets what isn't written from the listing")
    func selectionOfWritten() throws {
        let course = try course(
            "    discover: {include: \"lecture *\", newest: 1}\n    videos: [{id: \"1\"}, {id: other}]")
        var listed = listing([], direct: ["1", "2", "3"])
        for (index, title) in ["Talk", "Lecture 2", "Lecture 3"].enumerated() { listed.videos[index].title = title }
        let selection = ListingSelection(listed, of: course)
        #expect(selection.listing.videos.map(\.id) == ["1", "3"])
        #expect(course.adding(selection.listing).videos.map(\.title) == ["other", "Talk", "Lecture 3"])
    }

    @Test("of videos without a date the last listed ones are the newest")
    func undated() throws {
        let course = try course("    discover: {newest: 2}")
        let selection = ListingSelection(listing([], direct: ["1", "2", "3"]), of: course)
        #expect(selection.listing.videos.map(\.id) == ["2", "3"])
        #expect(selection.undated == 3, "newest guesses")
        #expect(ListingSelection(listing([], direct: ["1", "2"]), of: course).undated == 0, "all are taken")
    }
}
