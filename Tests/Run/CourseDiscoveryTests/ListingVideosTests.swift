import CourseCatalog
import Testing
import YAMLSource

@Suite("The videos of a listing in memory")
struct ListingVideosTests {
    private func video(_ id: String) -> CourseListing.Video {
        var video = CourseListing.Video(id: id, chapter: 2)
        video.title = "Title of \(id)"
        video.summary = String(repeating: "ü", count: 300)
        video.publishedAt = 1.5
        video.date = "1970-01-01"
        video.duration = 0
        video.cover = "https://h/\(id).jpg"
        let place = SourceLocation(file: "c.yaml", line: 1, column: 1)
        video.parameters = [.init(key: "k", keyLocation: place, value: YAMLNode(.string(id), at: place))]
        video.size = 0
        video.sha256 = Array(0..<32)
        video.subtitleFiles = [SubtitleFile(language: "en", url: "https://h/\(id).vtt")]
        video.attachments = [Attachment(title: "A", url: "https://h/\(id).pdf")]
        video.episode = 0
        return video
    }

    @Test("each comes out as it went in: everything, and nothing where there was nothing")
    func same() throws {
        let ids = ["e\u{301}", ""] + (0..<2000).map { "v\($0)" }
        let videos = ListingVideos(ids.flatMap { [video($0), CourseListing.Video(id: $0 + " bare")] })
        #expect(videos.count == 2 * ids.count)
        for (index, id) in ids.enumerated() {
            let (full, bare) = (videos[2 * index], videos[2 * index + 1])
            let expected = video(id)
            #expect(full.id == expected.id && full.writtenID.utf8.elementsEqual(id.utf8))
            #expect(full.title == expected.title && full.summary == expected.summary && full.date == expected.date)
            #expect(full.chapter == 2 && full.publishedAt == 1.5 && full.duration == 0 && full.size == 0)
            #expect(full.cover == expected.cover && full.sha256 == expected.sha256 && full.episode == 0)
            #expect(full.subtitleFiles == expected.subtitleFiles && full.attachments == expected.attachments)
            #expect(full.parameters.map(\.key) == ["k"] && full.parameters[0].value.value == .string(id))
            #expect(bare.id == CourseListing.Video(id: id + " bare").id && bare.chapter == nil && bare.title == nil)
            #expect(bare.summary == nil && bare.publishedAt == nil && bare.date == nil && bare.duration == nil)
            #expect(bare.cover == nil && bare.sha256 == nil && bare.size == nil && bare.episode == nil)
            #expect(bare.parameters.isEmpty && bare.subtitleFiles.isEmpty && bare.attachments.isEmpty)
            #expect(videos.id(2 * index) == full.id && videos.shownTitle(2 * index) == full.title)
            #expect(videos.shownTitle(2 * index + 1) == bare.id && videos.publishedAt(2 * index + 1) == nil)
            #expect(videos.publishedAt(2 * index) == 1.5 && videos.chapter(2 * index) == 2)
        }
    }

    @Test("one of them can be replaced by another one")
    func replaced() {
        var videos = ListingVideos(["a", "b", "c"].map { CourseListing.Video(id: $0) })
        videos[1] = video("x")
        videos[2].title = "Third"
        #expect(videos.map(\.id) == ["a", "x", "c"] && videos.map(\.shownTitle) == ["a", "Title of x", "Third"])
    }

    @Test("of ids that are there already, each is known, however it was added")
    func ids() {
        let videos = ListingVideos((0..<1000).map { CourseListing.Video(id: "v\($0)") })
        let some = ListingIDs(Array(stride(from: 0, to: 1000, by: 2)), of: videos)
        #expect((0..<1000).allSatisfy { some.contains("v\($0)", in: videos) == ($0 % 2 == 0) })
        var growing = ListingIDs()
        var grown = ListingVideos()
        for id in ["a", "b", "a", "c", "b"] where growing.insert(id, at: grown.count, of: grown) {
            grown.append(CourseListing.Video(id: id))
        }
        #expect(grown.map(\.id) == ["a", "b", "c"])
    }
}
