import CourseCatalog
import Testing
import YAMLSource

@Suite("Contents of a catalog") struct CatalogTests {
    @Test("every field of a video is read")
    func everything() throws {
        let folder = try CatalogFolder(
            catalog: """
                name: Physics
                courses:
                  - id: phys101
                    title: Classical Mechanics
                    provider: direct
                    cover: covers/phys.jpg
                    videos:
                      - bare
                    chapters:
                      - id: kinematics
                        title: Kinematics
                        cover: https://media.example.org/c.jpg
                        videos:
                          - id: 007
                            title: "Position \\u0026 velocity"
                            cover: https://media.example.org/k1.jpg
                            priority: high
                            quality: [1080p, 2500k, best]
                            audio: [en, de-AT]
                            subtitles: [en]
                            parameters: {lang: en, n: 1}
                            sha256: 000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f
                            size: 104857600
                            subtitle_files: [{lang: en, url: 'https://x.example/k1.vtt'}]
                            attachments: [{title: Slides, url: 'HTTP://x.example/k1.pdf'}]
                          - true
                """)
        let reading = folder.read()
        #expect(folder.report(reading) == "")
        #expect(reading.verdict == .valid)
        let catalog = reading.catalog
        #expect(catalog.files.map(\.path) == [folder.path + "/catalog.yaml"])
        #expect(catalog.files[0].name == "Physics")
        #expect(catalog.videoCount == 3)
        let course = try #require(catalog.courses.first)
        #expect(course.id == "phys101" && course.title == "Classical Mechanics" && course.file == 0 && !course.discover)
        #expect(course.cover == .file("covers/phys.jpg", beneath: folder.path))
        #expect(course.location.line == 4 && course.location.column == 9)
        let bare = try #require(course.videos.first)
        #expect(bare.id == "bare" && bare.title == "bare" && bare.ownCover == nil && bare.cover == course.cover)
        #expect(bare.size == nil && bare.sha256 == nil && bare.subtitleFiles.isEmpty && bare.attachments.isEmpty)
        #expect(bare.priority == 0 && bare.settings.quality == [.best] && bare.settings.subtitles == .none)
        let chapter = try #require(course.chapters.first)
        #expect(chapter.id == "kinematics" && chapter.title == "Kinematics" && chapter.videos.count == 2)
        #expect(chapter.ownCover == .url("https://media.example.org/c.jpg"))
        let video = chapter.videos[0]
        #expect(video.id == "007" && video.title == "Position & velocity" && video.location.line == 15)
        #expect(video.cover == .url("https://media.example.org/k1.jpg"))
        #expect(video.priority == 10)
        #expect(video.settings.quality == [.height(1080), .bitrate(2500), .best])
        #expect(video.settings.quality.map(\.description) == ["1080p", "2500k", "best"])
        #expect(video.settings.audio == ["en", "de-AT"])
        #expect(video.settings.subtitles == .languages(["en"]))
        #expect(video.settings.parametersJSON == #"{"lang":"en","n":1}"#)
        #expect(video.sha256 == Array(0..<32))
        #expect(video.size == 104_857_600)
        #expect(video.subtitleFiles == [SubtitleFile(language: "en", url: "https://x.example/k1.vtt")])
        #expect(video.attachments == [Attachment(title: "Slides", url: "HTTP://x.example/k1.pdf")])
        #expect(video.provider.name == "direct" && video.provider.location.line == 6)
        #expect(chapter.videos[1].id == "true")
        #expect(chapter.videos[1].withIDBytes { Array($0) } == Array("true".utf8))
    }

    @Test(
        "texts are read as written, whatever type YAML gives them",
        arguments: ["007", "1e3", "true", "0x10", "-1", "2026-11-20"])
    func asWritten(id: String) throws {
        let folder = try CatalogFolder(catalog: "courses: [{id: \(id), title: \(id), provider: p, videos: [\(id)]}]")
        let catalog = folder.read().catalog
        #expect(catalog.courses.map(\.id) == [id] && catalog.courses.map(\.title) == [id])
        #expect(catalog.videos.map(\.id) == [id])
    }

    @Test("the nearest value wins, and parameters merge key by key")
    func inheritance() throws {
        let folder = try CatalogFolder(
            catalog: """
                courses:
                  - id: a
                    priority: 5
                    parameters: {b: course, c: course, d: {x: 1, y: 2}}
                    chapters:
                      - id: c1
                        quality: worst
                        parameters: {c: chapter, d: {z: 3}, e: null}
                        videos:
                          - plain
                          - {id: own, priority: low, provider: other, parameters: {a: null, f: video}, audio: de}
                      - {id: c2, subtitles: none, videos: [second]}
                  - {id: b, videos: [elsewhere]}
                defaults:
                  provider: direct
                  priority: -3
                  quality: [720p]
                  subtitles: all
                  audio: [en]
                  parameters: {a: defaults, b: defaults, e: defaults}
                """)
        let reading = folder.read()
        #expect(folder.report(reading) == "")
        let videos = Dictionary(reading.catalog.videos.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let plain = try #require(videos["plain"])
        #expect(plain.priority == 5 && plain.settings.quality == [.worst] && plain.settings.audio == ["en"])
        #expect(plain.settings.subtitles == .all && plain.provider.name == "direct")
        #expect(plain.settings.parametersJSON == #"{"a":"defaults","b":"course","c":"chapter","d":{"z":3}}"#)
        #expect(plain.settings.parameters["b"]?.location.line == 5)
        let own = try #require(videos["own"])
        #expect(own.priority == -10 && own.provider.name == "other" && own.settings.audio == ["de"])
        #expect(own.settings.parametersJSON == #"{"b":"course","c":"chapter","d":{"z":3},"f":"video"}"#)
        let second = try #require(videos["second"])
        #expect(second.settings.subtitles == SubtitleSelection.none && second.settings.quality == [.height(720)])
        #expect(
            second.settings.parametersJSON
                == #"{"a":"defaults","b":"course","c":"course","d":{"x":1,"y":2},"e":"defaults"}"#)
        let elsewhere = try #require(videos["elsewhere"])
        #expect(elsewhere.priority == -3)
        #expect(elsewhere.settings.parametersJSON == #"{"a":"defaults","b":"defaults","e":"defaults"}"#)
    }

    @Test("videos without values of their own share one object, even if priority and cover differ")
    func sharing() throws {
        let folder = try CatalogFolder(
            catalog: """
                defaults: {provider: p, parameters: {a: 1}}
                courses:
                  - id: a
                    chapters:
                      - {id: c1, videos: [v1, {id: v2, priority: 7}, {id: v3, cover: x.jpg, size: 1, title: T}]}
                      - {id: c2, videos: [v4, {id: v5, parameters: {b: 1}}, {id: v6, parameters: {b: 1}}, {id: v7, parameters: {b: 2}}]}
                  - {id: b, videos: [v8]}
                """)
        let videos = folder.read().catalog.videos
        let identities = videos.map { ObjectIdentifier($0.settings) }
        #expect(Set([0, 1, 2, 3, 7].map { identities[$0] }).count == 1)
        #expect(identities[4] == identities[5])
        #expect(Set([identities[0], identities[4], identities[6]]).count == 3)
        #expect(videos[1].priority == 7 && videos[0].priority == 0)
    }

    @Test("anchors, aliases and merge keys work at every level")
    func merging() throws {
        let folder = try CatalogFolder(
            catalog: """
                defaults: &d {provider: p, parameters: &p {a: 1, b: 2}}
                courses:
                  - id: a
                    videos: &list
                      - &v {id: one, title: One, priority: high}
                      - {<<: *v, id: two}
                      - {id: three, parameters: {<<: *p, b: 3, c: 4}}
                  - id: b
                    chapters:
                      - {id: c, videos: *list}
                  - &c {id: c, title: Third, discover: true}
                  - {title: Fourth, <<: [*c, {id: lost}], id: d}
                """)
        let reading = folder.read()
        #expect(folder.report(reading) == "")
        #expect(reading.catalog.videos.map(\.id) == ["one", "two", "three", "one", "two", "three"])
        #expect(reading.catalog.videos[1].title == "One" && reading.catalog.videos[1].priority == 10)
        #expect(reading.catalog.videos[1].location.line == 7)
        #expect(reading.catalog.videos[2].settings.parametersJSON == #"{"a":1,"b":3,"c":4}"#)
        #expect(reading.catalog.courses[3].id == "d" && reading.catalog.courses[3].title == "Fourth")
        #expect(reading.catalog.courses[3].discover)
    }

    @Test("the courses of a provider inherit what their source says, and go behind what is written")
    func sources() throws {
        let folder = try CatalogFolder(
            catalog: """
                defaults: {quality: 720p, parameters: {endpoint: "https://h"}}
                courses_of:
                  - {provider: p, prefix: p-, include: "Lecture *", discover: {newest: 3}, parameters: {term: 1}}
                  - {provider: q, layout: plex}
                courses: [{id: p-c1, provider: p, videos: [v]}, {id: c9, provider: x, videos: [v]}]
                """)
        var catalog = folder.read().catalog
        #expect(catalog.courseSources.count == 2 && catalog.courses.count == 2)
        var listing = CourseListing()
        for (id, term) in [("c1", 1), ("c9", 2), ("c9", 3)] {
            var listed = CourseListing.Video(id: id)
            let place = catalog.courses[0].location
            listed.parameters = [.init(key: "term", keyLocation: place, value: YAMLNode(.int(term), at: place))]
            listing.videos.append(listed)
        }
        let first = catalog.add(listing, of: catalog.courseSources[0]) { _ in nil }
        #expect(first.taken == ["p-c9"] && catalog.courses.map(\.id) == ["p-c1", "c9", "p-c9"])
        let course = catalog.courses[2]
        #expect(
            course.writtenID == "c9" && course.discovery?.newest == 3 && course.settings.quality == [Quality("720p")])
        #expect(course.settings.parametersJSON == #"{"endpoint":"https://h","term":2}"#)
        let second = catalog.add(listing, of: catalog.courseSources[1]) { _ in nil }
        #expect(
            second.taken == ["c9", "c9"] && catalog.courses.last?.id == "c1" && catalog.courses.last?.layout != nil)
    }

    @Test("JSON is a catalog, too")
    func json() throws {
        let folder = try CatalogFolder([
            "catalog.yaml":
                #"{"version": 1, "defaults": {"provider": "p"}, "courses": [{"id": "a", "videos": ["x", {"id": "y"}]}]}"#
        ])
        let reading = folder.read()
        #expect(folder.report(reading) == "")
        #expect(reading.catalog.videos.map(\.id) == ["x", "y"])
    }
}
