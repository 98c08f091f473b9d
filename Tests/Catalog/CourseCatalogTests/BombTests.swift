import CourseCatalog
import Testing
import YAMLSource

@Suite("Catalogs beyond the bounds") struct BombTests {
    /// Lists of ten, each of ten times the one before.
    private func bomb(levels: Int, indent: String) -> String {
        (0...levels).map { level in
            let item = level == 0 ? "x" : "*v\(level - 1)"
            return "\(indent)v\(level): &v\(level) [\([String](repeating: item, count: 10).joined(separator: ", "))]\n"
        }.joined()
    }

    @Test("an id of a kibibyte is accepted, a longer one isn't")
    func identifiers() throws {
        let most = String(repeating: "x", count: 1024)
        let folder = try CatalogFolder(
            catalog: "courses:\n- {id: \(most), provider: p, videos: [\(most), \(most)y]}")
        #expect(folder.messages(folder.read()) == ["3:2082: this id has 1025 bytes; the limit is 1 KiB"])
    }

    @Test("videos multiplied by aliases stop at the bound, reported at the last alias")
    func aliases() throws {
        let text = "courses:\n- id: a\n  provider: p\n  parameters:\n" + bomb(levels: 6, indent: "    ")
        var limits = YAMLLimits.catalog
        limits.nodes = 50_000
        limits.tooMany = "too many"
        let folder = try CatalogFolder(catalog: text)
        #expect(folder.messages(folder.read(limits: limits)) == ["10:29: too many"])
    }

    @Test("ten million values are refused before they use memory")
    func tenMillion() throws {
        let folder = try CatalogFolder(
            catalog: "courses:\n- id: a\n  provider: p\n  parameters:\n" + bomb(levels: 12, indent: "    "))
        #expect(
            folder.messages(folder.read()) == [
                "12:49: more than 10000000 values once aliases are expanded; use fewer aliases"
            ])
    }

    @Test("skipped values count as well")
    func skipped() throws {
        var limits = YAMLLimits.catalog
        limits.nodes = 100_000
        limits.tooMany = "too many"
        let folder = try CatalogFolder(catalog: "x:\n" + bomb(levels: 8, indent: "  "))
        let messages = folder.messages(folder.read(limits: limits))
        #expect(messages.count == 2)
        #expect(messages.first?.hasPrefix("2:1: a catalog has no key 'x'") == true)
        #expect(messages.last?.hasSuffix(": too many") == true)
    }

    @Test(
        "a catalog that needs too much memory is refused at that place, whatever it contains",
        arguments: [
            "videos: [\([String](repeating: "v", count: 600).enumerated().map { "v\($0.offset)" }.joined(separator: ", "))]",
            "videos: [\((0..<200).map { "{id: v\($0), parameters: {a: x}}" }.joined(separator: ", "))]",
            "videos: [\((0..<200).map { "{id: v\($0), audio: [en]}" }.joined(separator: ", "))]",
            "videos: [{id: v, title: \(String(repeating: "t", count: 50_000))}]",
            "videos: [{id: v, attachments: [\([String](repeating: "{title: S, url: \"http://h/\"}", count: 900).joined(separator: ", "))]}]",
            "chapters: [\((0..<100).map { "{id: c\($0)}" }.joined(separator: ", "))]",
            "parameters: {a: [\([String](repeating: "x", count: 600).joined(separator: ", "))]}",
            "parameters: {\((0..<300).map { "k\($0): x" }.joined(separator: ", "))}",
            "quality: [\([String](repeating: "best", count: 2000).joined(separator: ", "))]",
            "audio: [\([String](repeating: "en", count: 2000).joined(separator: ", "))]",
            "nonsense: [\([String](repeating: "&a x", count: 300).joined(separator: ", "))]",
        ])
    func memory(course: String) throws {
        var limits = YAMLLimits.catalog
        limits.memory = 40_000
        limits.tooLarge = "too much memory"
        let folder = try CatalogFolder(catalog: "courses:\n- id: a\n  provider: p\n  \(course)\n")
        let messages = folder.messages(folder.read(limits: limits))
        #expect(
            messages.last?.hasPrefix("5:") == true && messages.last?.hasSuffix(": too much memory") == true,
            "\(messages)")
    }

    @Test("the files of a run share one memory bound")
    func memoryOfFiles() throws {
        var limits = YAMLLimits.catalog
        limits.memory = 3000
        limits.tooLarge = "too much memory"
        let folder = try CatalogFolder(
            catalog: "include: [b.yaml, c.yaml]\ncourses: [{id: a, provider: p, videos: [v]}]")
        for name in ["b", "c"] {
            try folder.write("version: 1\ncourses: [{id: \(name), provider: p, videos: [v]}]\n", to: "\(name).yaml")
        }
        let reading = folder.read(limits: limits)
        #expect(reading.diagnostics.map(\.message) == ["too much memory"])
        #expect(reading.diagnostics.first?.file.hasSuffix("c.yaml") == true)
    }

    @Test("a hundred thousand merge keys in one list don't take quadratic time", .timeLimit(.minutes(1)))
    func manyMerges() throws {
        let list = [String](repeating: "{<<: *z}", count: 100_000).joined(separator: ", ")
        let folder = try CatalogFolder(
            catalog: "courses: [{id: a, provider: p, parameters: {z: &z {q: 1}, m: {<<: [\(list)]}}, videos: [v]}]")
        let reading = folder.read()
        #expect(reading.catalog.videos.first?.settings.parametersJSON == #"{"m":{"q":1},"z":{"q":1}}"#)
    }

    @Test("merge keys of merge keys stop at the bound as well")
    func merges() throws {
        var text = "courses:\n- id: a\n  provider: p\n  parameters:\n    m0: &m0 {k0: 1}\n"
        for level in 1...30 {
            text += "    m\(level): &m\(level) {<<: [*m\(level - 1), *m\(level - 1)], k\(level): 1}\n"
        }
        var limits = YAMLLimits.catalog
        limits.nodes = 100_000
        limits.tooMany = "too many"
        let folder = try CatalogFolder(catalog: text)
        let messages = folder.messages(folder.read(limits: limits))
        #expect(messages.count == 1 && messages[0].hasSuffix(": too many"), "\(messages)")
    }

    @Test("brackets by the hundred thousand end at the sixty-fourth level", arguments: ["[", "{a: ", "- "])
    func nesting(opening: String) throws {
        let folder = try CatalogFolder(catalog: "courses:\n  " + String(repeating: opening, count: 100_000))
        #expect(folder.messages(folder.read()).last?.hasSuffix("values are nested deeper than 64 levels") == true)
    }
}
