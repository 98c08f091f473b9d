import CourseCatalog
import Foundation
import Testing
import YAMLSource

@Suite("Damaged catalogs") struct FuzzTests {
    /// A generator that gives the same numbers for the same seed (SplitMix64).
    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static let seed = """
        version: 1
        name: "Fuzz \\u00e9"
        defaults: &d {provider: p, quality: [1080p, best], parameters: &p {a: 1, b: [x, ~, .5]}}
        courses:
          - &c
            id: a
            title: >-
              folded
              text
            cover: https://h/x.jpg
            chapters:
              - id: c1
                videos: &v
                  - {id: v1, size: 12, priority: high}
                  - {<<: {id: v2}, title: 'it''s', parameters: {<<: *p, c: null}}
                  - v3
              - {id: c2, videos: [*v], subtitles: [en, de]}
          - {<<: *c, id: b, discover: true}
          - {id: é, videos: *v, audio: en}

        """

    @Test("whatever is cut out of, put into or changed in a catalog, reading ends with an answer", arguments: 0..<20)
    func mutations(round: UInt64) throws {
        var random = SeededGenerator(state: round)
        let folder = try CatalogFolder([:])
        let original = Array(Self.seed.utf8)
        let pieces = [
            "\t", "[", "]", "{", "}", ": ", "- ", "&x ", "*x", "*v", "<<: *p", "!!int ", "\"", "'", "|", "\n", "\u{0}",
            "---\n", "%", "#", "\u{FEFF}", "? ",
        ]
        for _ in 0..<100 {
            var text = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<max(1, text.count), using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: text.removeSubrange(place..<min(text.count, place + Int.random(in: 1...20, using: &random)))
                case 1: text.insert(contentsOf: Array(pieces.randomElement(using: &random)?.utf8 ?? "".utf8), at: place)
                case 2: if place < text.count { text[place] = UInt8.random(in: 0...255, using: &random) }
                case 3: text.removeSubrange(place...)
                default:
                    let end = min(text.count, place + Int.random(in: 1...60, using: &random))
                    text.insert(
                        contentsOf: Array(text[place..<end]), at: Int.random(in: 0...text.count, using: &random))
                }
                if text.isEmpty { text = [0x20] }
            }
            try Data(text).write(to: URL(filePath: folder.path + "/catalog.yaml"))
            let reading = folder.read()
            // Walking it all reads every place of the table.
            var walked = 0
            for video in reading.catalog.videos {
                walked += video.id.utf8.count + video.title.utf8.count + video.settings.parameters.count
            }
            #expect((reading.verdict == .valid) == (reading.errorCount == 0))
            #expect(reading.report.isEmpty == reading.diagnostics.isEmpty)
            if reading.verdict == .valid {
                for video in reading.catalog.videos { #expect(!video.provider.name.isEmpty) }
            }
        }
    }

    @Test("every beginning of a catalog is read without harm")
    func truncations() throws {
        let folder = try CatalogFolder([:])
        let original = Array(Self.seed.utf8)
        for length in 0...original.count {
            try Data(original[..<length]).write(to: URL(filePath: folder.path + "/catalog.yaml"))
            _ = folder.report(folder.read())
        }
        #expect(folder.read().catalog.courses.map(\.id) == ["a", "b", "é"])
    }
}
