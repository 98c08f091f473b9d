import Foundation
import Testing
import YAMLSource

@testable import CourseCatalog

@Suite("Shards of a catalog")
struct ShardTests {
    @Test("each course belongs to one shard, and all have about as many")
    func divided() throws {
        for count in [1, 2, 3, 7, 16] {
            let shards = try (1...count).map { try #require(Shard(index: $0, count: count)) }
            var sizes = [Int](repeating: 0, count: count)
            for number in 0..<4000 {
                let owners = shards.filter { $0.has(course: "course-\(number)") }
                try #require(owners.count == 1)
                try #require(Shard.owner(of: "course-\(number)", among: count) == owners[0])
                sizes[owners[0].index - 1] += 1
            }
            #expect(sizes.allSatisfy { abs(Double($0) - 4000 / Double(count)) < 120 }, "\(sizes)")
        }
    }

    @Test("each video of a course belongs to one shard, and all have about as many")
    func videos() throws {
        var sizes = [Int](repeating: 0, count: 7)
        for number in 0..<4000 {
            let owner = try #require(Shard.owner(of: "v\(number)", in: "phys101", among: 7))
            sizes[owner.index - 1] += 1
        }
        #expect(sizes.allSatisfy { abs($0 - 4000 / 7) < 100 }, "\(sizes)")
        // Every version divides in the same way.
        let owners = ["a", "b", "线性代数"].map { Shard.owner(of: $0, in: "phys101", among: 16)?.index }
        #expect(owners == [14, 16, 3])
    }

    @Test("with one shard more, courses move to it only, and as few as possible")
    func few() throws {
        let ids = (0..<4000).map { "course-\($0)" }
        func shard(of id: String, _ count: Int) -> Int {
            (1...count).first { Shard(index: $0, count: count)?.has(course: id) == true } ?? 0
        }
        let moved = ids.filter { shard(of: $0, 8) != shard(of: $0, 9) }
        #expect(moved.allSatisfy { shard(of: $0, 9) == 9 })
        #expect(abs(moved.count - 4000 / 9) < 80, "\(moved.count)")
    }

    @Test("every version divides in the same way")
    func stable() {
        func shards(_ id: String) -> [Int] {
            [2, 5, 16].map { count in (1...count).first { Shard(index: $0, count: count)?.has(course: id) == true } ?? 0
            }
        }
        #expect(shards("phys101") == [2, 5, 5])
        #expect(shards("") == [1, 1, 6])
        #expect(shards("线性代数") == [2, 2, 2])
    }

    @Test("the text of a shard, and the name of its folder")
    func texts() {
        #expect(Shard("2/8") == Shard(index: 2, count: 8))
        #expect(Shard("2/8")?.folderName == "2-of-8")
        #expect(Shard(folderName: "2-of-8") == Shard("2/8"))
        #expect(Shard("10000/10000")?.text == "10000/10000")
        for wrong in ["", "2", "/", "0/8", "9/8", "-1/8", "1/8/2", "1/10001", "1 /8", "+1/8", "٢/8", "1/"] {
            #expect(Shard(wrong) == nil, "\(wrong)")
        }
        for wrong in ["2/8", "02-of-8", "2-of-08", "2-of-8-of-9", "a"] {
            #expect(Shard(folderName: wrong) == nil, "\(wrong)")
        }
    }
}

@Suite("What a shard keeps of the catalogs")
struct CatalogPartTests {
    private static let count = 4
    private static var parts: [CatalogPart] {
        (1...count).compactMap { Shard(index: $0, count: count) }.map { CatalogPart($0) { $0.lowercased() } }
    }

    /// The reading of each shard.
    private func read(_ folder: CatalogFolder, limits: YAMLLimits? = nil) -> [CatalogReading] {
        Self.parts.map {
            CatalogReader.read([CatalogInput(file: folder.path + "/catalog.yaml")], limits: limits, part: $0)
        }
    }

    private func facts(_ course: Course) -> String {
        let videos = ([course.videos] + course.chapters.map(\.videos)).map { list in
            list.map { video in
                """
                \(video.id) \(video.title) \(video.settings.parametersJSON) \(video.sha256 ?? []) \
                \(video.location.position.line) \(video.description ?? "") \(video.provider.name)
                """
            }
        }
        return "\(course.id) \(course.title) \(course.chapters.map(\.title)) \(videos)"
    }

    @Test("all shards together have the courses, chapters and videos of the whole, each once")
    func divided() throws {
        var text = "courses:\n- &first {id: c0, provider: p, videos: [a, {id: b, parameters: &own {x: [1, 2]}}]}\n"
        for course in 1..<60 {
            text += "- title: Course \(course)\n  videos:\n  - {id: v, title: Directly, parameters: *own}\n"
            text += "  chapters:\n"
            for chapter in 0..<3 {
                text += "  - id: k\(chapter)\n    parameters: {k: \(chapter)}\n    videos:\n"
                for video in 0..<(course % 7 + 1) {
                    text += "    - id: v\(chapter).\(video)\n      sha256: \"\(String(repeating: "ab", count: 32))\"\n"
                    text += "      description: \(String(repeating: "d", count: course))\n"
                    if video % 2 == 1 { text += "      provider: q\n      title: T\(course)\n" }
                }
            }
            // After the videos, as some programs write them.
            text += "  id: c\(course)\n"
        }
        let folder = try CatalogFolder(catalog: text + "defaults: {provider: late, parameters: {d: 1}}\n")
        let whole = folder.read()
        #expect(whole.verdict == .valid && whole.catalog.courses.count == 60)
        let parts = read(folder)
        #expect(parts.allSatisfy { $0.verdict == .valid && !$0.catalog.courses.isEmpty })
        #expect(parts.flatMap { $0.catalog.courses.map(facts) }.sorted() == whole.catalog.courses.map(facts).sorted())
        #expect(parts.map(\.catalog.videoCount).reduce(0, +) == whole.catalog.videoCount)
        #expect(parts.allSatisfy { $0.catalog.courses.count + $0.catalog.otherCourseCount == 60 })
        // In the order of the file.
        let order = whole.catalog.courses.map(\.id)
        for part in parts {
            let kept = part.catalog.courses.map(\.id)
            #expect(kept == order.filter(kept.contains))
        }
    }

    @Test(
        "a mistake in a course is one for all shards",
        arguments: [
            "{id: c1, provider: p, videos: [a, a]}", "{id: c1, provider: p, videos: [{id: a, titel: A}]}",
            "{id: c1, provider: p, videos: [{id: a, sha256: abc}]}", "{id: c1, videos: [a, b]}",
            "{id: c1, discover: true}", "{provider: p, videos: [a]}", "{id: c0, provider: p, videos: [a]}",
            "{id: c1, provider: p, chapters: [{id: k}, {id: k}]}", "{videos: [{id: a, provider: p}, b], id: c1}",
            "{id: c1, provider: p, videos: [a]", "{id: c1, parameters: {a: .inf}, provider: p, videos: [a]}",
        ])
    func mistakes(course: String) throws {
        let folder = try CatalogFolder(catalog: "courses:\n- {id: c0, provider: p, videos: [a]}\n- \(course)\n")
        let whole = folder.read()
        let errors = whole.diagnostics.filter { $0.severity == .error }.map(\.text)
        #expect(!errors.isEmpty)
        for part in read(folder) {
            #expect(part.verdict == .invalid)
            #expect(part.diagnostics.filter { $0.severity == .error }.map(\.text) == errors)
        }
    }

    @Test("an id that two files use is found by all shards, and a provider of the including file is known to them")
    func files() throws {
        let text = "include: [b.yaml]\ndefaults: {provider: p}\ncourses: [{id: a, videos: [v]}, {id: b, videos: [v]}]"
        let folder = try CatalogFolder(catalog: text)
        try folder.write("version: 1\ncourses: [{id: c, videos: [v]}]\n", to: "b.yaml")
        for part in read(folder) { #expect(part.verdict == .valid) }
        try folder.write("version: 1\ncourses: [{id: a, videos: [v]}]\n", to: "b.yaml")
        for part in read(folder) {
            #expect(part.diagnostics.first?.message.hasPrefix("the course id 'a' is already used at ") == true)
        }
    }

    @Test("a course that has its name in common with one of another shard has its id in the name")
    func names() throws {
        let courses = (0..<40).map { "{id: c\($0), title: \($0 % 2 == 0 ? "Intro" : "intro \($0 % 20)"), videos: [v]}" }
        let folder = try CatalogFolder(
            catalog: "defaults: {provider: p}\ncourses: [\(courses.joined(separator: ", ")), {id: one, videos: [v]}]")
        let kept = read(folder).flatMap(\.catalog.courses)
        #expect(kept.count == 41)
        #expect(kept.allSatisfy { $0.hasIDInName == ($0.id != "one") })
    }

    @Test("the bound of memory counts what a shard keeps; one course by itself, whosever it is, must be within it")
    func memory() throws {
        func course(_ id: String, _ videos: Int, idLast: Bool = false) -> String {
            let videos = (0..<videos).map { "v\($0)" }.joined(separator: ", ")
            let (first, last) = idLast ? ("", ", id: \(id)") : ("id: \(id), ", "")
            return "- {\(first)provider: p, videos: [\(videos)]\(last)}\n"
        }
        var limits = YAMLLimits.catalog(parts: Self.count)
        limits.memory = 60_000
        limits.partMemory = 30_000
        let folder = try CatalogFolder(catalog: "courses:\n" + (0..<40).map { course("c\($0)", 30) }.joined())
        #expect(folder.read(limits: limits).verdict == .invalid)
        let parts = read(folder, limits: limits)
        #expect(parts.allSatisfy { $0.verdict == .valid })
        #expect(parts.map(\.catalog.videoCount).reduce(0, +) == 1200)
        // Its own shard could keep the first one.
        for text in [course("large", 400), course("larger", 2000), course("large", 400, idLast: true)] {
            try folder.write("version: 1\ncourses:\n" + text, to: "catalog.yaml")
            for part in read(folder, limits: limits) {
                #expect(part.diagnostics.map(\.message) == [limits.tooLarge])
            }
        }
        // What a shard keeps itself counts as a whole.
        let own = (0..<400).map { "c\($0)" }.filter { Self.parts[0].shard.has(course: $0) }
        try folder.write("version: 1\ncourses:\n" + own.map { course($0, 30) }.joined(), to: "catalog.yaml")
        #expect(read(folder, limits: limits).map(\.verdict) == [.invalid, .valid, .valid, .valid])
    }

    @Test("of other shards' videos a shard knows that they may be there, by id and checksum, and hardly more")
    func otherVideos() throws {
        let courses = (0..<40).map { course in
            let videos = (0..<200).map { video in
                let sha256 = String(repeating: String(format: "%08x", course * 200 + video), count: 8)
                return video % 2 == 0 ? "c\(course)v\(video)" : "{id: c\(course)v\(video), sha256: \"\(sha256)\"}"
            }
            return "- {id: c\(course), provider: p, videos: [\(videos.joined(separator: ", "))]}\n"
        }
        let folder = try CatalogFolder(catalog: "courses:\n" + courses.joined())
        let whole = folder.read().catalog
        #expect(!whole.otherVideos.mayHave(id: "c0v0"))
        for part in read(folder) {
            let own = Set(part.catalog.courses.map(\.id))
            var wrong = 0
            for course in whole.courses {
                for video in course.videos {
                    let found =
                        [part.catalog.otherVideos.mayHave(id: video.id)]
                        + (video.sha256.map { [part.catalog.otherVideos.mayHave(sha256: $0)] } ?? [])
                    if own.contains(course.id) {
                        wrong += found.count { $0 }
                    } else {
                        #expect(!found.contains(false))
                    }
                }
            }
            #expect(wrong < 10)
        }
    }

    @Test("what an alias repeats counts to the end, whosever course it is in")
    func anchors() throws {
        let videos = (0..<40).map { "v\($0)" }.joined(separator: ", ")
        let courses = (0..<60).map { "- {id: c\($0), provider: p, videos: &a\($0) [\(videos)]}\n" }
        let folder = try CatalogFolder(catalog: "courses:\n" + courses.joined())
        var limits = YAMLLimits.catalog(parts: Self.count)
        limits.memory = 200_000
        for part in read(folder, limits: limits) { #expect(part.diagnostics.map(\.message) == [limits.tooLarge]) }
    }

    @Test("the text of all shards' courses may be longer than that of one run, up to sixteen times")
    func length() {
        let one = YAMLLimits.catalog
        #expect(YAMLLimits.catalog(parts: 4).bytes == 4 * one.bytes)
        #expect(YAMLLimits.catalog(parts: 4).nodes == 4 * one.nodes)
        #expect(YAMLLimits.catalog(parts: 10_000).bytes == 16 * one.bytes)
        #expect(YAMLLimits.catalog(parts: 10_000).memory == one.memory)
        #expect(YAMLLimits.catalog(parts: 2).tooLong.hasSuffix("512 MiB in total"))
    }

    @Test("an empty course of another shard is warned of by its own shard only")
    func warnings() throws {
        let folder = try CatalogFolder(catalog: "courses: [{id: c0}, {id: c1}, {id: c2}, {id: c3}, {id: c4}, {id: c5}]")
        let warned = read(folder).map { $0.diagnostics.count }
        #expect(warned.reduce(0, +) == 6)
    }
}
