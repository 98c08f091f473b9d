import Testing
import YAMLSource

@testable import CourseCatalog

@Suite("The table of a file's videos") struct VideoTableTests {
    @Test("every record and text comes back from its block, and an id that is used twice is found across blocks")
    func blocks() throws {
        let title = String(repeating: "t", count: 60)
        let count = 40_000
        var lines = (0..<count).map { "- {id: v\($0), title: \(title)\($0)}" }
        lines.append("- v7")
        let folder = try CatalogFolder(
            catalog: "courses:\n- id: a\n  provider: p\n  videos:\n  \(lines.joined(separator: "\n  "))\n")
        let reading = folder.read()
        #expect(
            folder.messages(reading) == [
                "\(count + 6):5: the video id 'v7' is used twice in this course, first on line 13; ids must differ"
            ])
        let videos = try #require(reading.catalog.courses.first?.videos)
        #expect(videos.count == count + 1)
        #expect(zip(0..., videos).allSatisfy { $0 == count || ($1.id == "v\($0)" && $1.title == "\(title)\($0)") })
    }

    @Test("a text longer than a block, and the ones around it")
    func longTexts() {
        var text = TextBlocks()
        let texts = [
            "a", String(repeating: "b", count: (1 << 20) + 5), "", "c", String(repeating: "d", count: 1 << 20),
        ]
        let places = texts.map { text.keep($0) }
        #expect(places.map { text.string($0) } == texts)
        #expect(text.cost == 2 + 2 * (texts[1].utf8.count + texts[4].utf8.count))
    }

    @Test("a million videos with titles fit in the memory of a run's catalogs")
    func million() throws {
        // A hundredth of both.
        var limits = YAMLLimits.catalog
        limits.memory /= 100
        let lines = (100_000..<110_000).map { "- {id: lecture-\($0), title: Position and velocity \($0)}" }
        let folder = try CatalogFolder(
            catalog: "courses:\n- id: a\n  provider: p\n  videos:\n  \(lines.joined(separator: "\n  "))\n")
        #expect(folder.messages(folder.read(limits: limits)) == [])
    }

    @Test("a record has the size that is counted for it")
    func record() { #expect(MemoryLayout<VideoRecord>.stride == 64) }
}
