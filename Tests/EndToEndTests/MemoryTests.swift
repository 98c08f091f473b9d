import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// The program's peak of resident memory, as the system counts it, plugins and all.
@Suite("memory", .timeLimit(.minutes(25)))
struct MemoryTests {
    /// The limit on a process's memory, whatever strangers send. Some 60 MB of it are the pages of a debug build, of which
    /// a machine keeps more or fewer in memory.
    static let bound = 210_000_000

    /// Segments that are no media one can see, but that count as such by their beginning.
    private static func segment(_ count: Int) -> ScriptedAnswer {
        .bytes(Array("WEBVTT\n\n".utf8) + [UInt8](repeating: 0x0A, count: count), "video/mp2t")
    }

    private static func playlist(_ lines: some Sequence<String>) -> ScriptedAnswer {
        .text("#EXTM3U\n" + lines.joined(separator: "\n") + "\n#EXT-X-ENDLIST\n", "text/plain")
    }

    private static func peak(_ stage: Stage, _ arguments: [String]) async throws -> (bytes: Int, outcome: Outcome) {
        // A parent of few bytes: a child begins with what its parent has.
        let script = """
            import os, sys
            child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
            _, status, usage = os.wait4(child, 0)
            open(sys.argv[1], "w").write(str(usage.ru_maxrss))
            sys.exit(os.waitstatus_to_exitcode(status) & 255)
            """
        try await Tool(name: "python3", package: "python3").require()
        let outcome = try await Program.run(
            ["python3", "-S", "-c", script, stage.folder.at("peak").string, Built.executable("coursefetch").string]
                + arguments, in: stage.folder, limit: 900)
        let kilobytes = try #require(Int(stage.folder.read("peak") ?? ""), "\(outcome.report)")
        return (kilobytes * 1024, outcome)
    }

    private static func sync(_ stage: Stage, _ host: FaultHost, _ path: String) async throws -> (Int, Outcome) {
        try stage.catalog(
            CatalogText(
                videos: [CatalogText.stream("v", host.url(path), extra: ["subtitles: all"])]))
        let (bytes, outcome) = try await peak(
            stage,
            [
                "sync", stage.folder.at("catalog.yaml").string, "--json", "--ffmpeg", "none", "--retries", "1",
                "--library", stage.library.string, "--state", stage.state.string,
            ])
        return (bytes, outcome)
    }

    @Test(
        "segments larger than any before don't exhaust the memory, and arrive",
        arguments: [true, false])
    func segments(isChunked: Bool) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        var large = Self.segment(50 << 20)
        large.isChunked = isChunked
        for number in 0..<4 { host.script("/small\(number)", [Self.segment(10_000)]) }
        for number in 0..<6 { host.script("/large\(number)", [large]) }
        let names = (0..<4).map { "small\($0)" } + (0..<6).map { "large\($0)" }
        host.script("/index.m3u8", [Self.playlist(names.map { "#EXTINF:1,\n\($0)" })])
        let (bytes, outcome) = try await Self.sync(stage, host, "/index.m3u8")
        #expect(bytes < Self.bound, "\(bytes) bytes")
        #expect(outcome.exit == 0, "\(outcome.report)")
        let sizes = stage.folder.names().filter { $0.hasPrefix("library/") && !$0.contains("/.coursefetch") }.compactMap
        {
            let facts = try? FileManager.default.attributesOfItem(atPath: stage.folder.at($0).string)
            return facts?[.type] as? FileAttributeType == .typeRegular ? facts?[.size] as? Int : nil
        }
        #expect(sizes == [4 * 10_008 + 6 * ((50 << 20) + 8)])
        await host.stop()
    }

    @Test("a playlist of many keys, of long addresses, or of a key for each segment")
    func playlists() async throws {
        let host = try await FaultHost.start()
        let formats = (0..<31).map { "#EXT-X-KEY:METHOD=SAMPLE-AES,KEYFORMAT=\"f\($0)\",URI=\"u\($0)\"" }
        let changing = (0..<40_000).map { "#EXT-X-KEY:METHOD=AES-128,URI=\"k\($0)\"\n#EXTINF:1,\ns\($0)" }
        let long = String(repeating: "a", count: 120)
        host.script("/formats.m3u8", [Self.playlist(formats + changing)])
        host.script("/changing.m3u8", [Self.playlist(changing)])
        host.script("/long.m3u8", [Self.playlist((0..<40_000).map { "#EXTINF:1,\n\(long)\($0)" })])
        for name in ["formats", "changing", "long"] {
            let stage = try Stage()
            let (bytes, outcome) = try await Self.sync(stage, host, "/\(name).m3u8")
            #expect(bytes < Self.bound, "\(name): \(bytes) bytes")
            #expect(outcome.exit == 1 && outcome.events("download_failed").count == 1, "\(name): \(outcome.report)")
        }
        await host.stop()
    }

    @Test("subtitles of nothing but line ends, and of nothing but cues")
    func subtitles() async throws {
        let host = try await FaultHost.start()
        let cues = (0..<90_000).map {
            "00:\(10 + $0 / 60_000):\(10 + $0 / 1000 % 50).\(100 + $0 % 900) --> 59:59.000\nx\n"
        }
        host.script("/ends", [Self.segment((4 << 20) - 64)])
        host.script("/cues", [.text("WEBVTT\n\n" + cues.joined(separator: "\n"), "text/vtt")])
        host.script("/segment", [Self.segment(1000)])
        host.script("/video.m3u8", [Self.playlist(["#EXTINF:1,\nsegment"])])
        for name in ["ends", "cues"] {
            host.script("/\(name).m3u8", [Self.playlist((0..<9).map { "#EXTINF:1,\n\(name)?\($0)" })])
        }
        let master = ["ends", "cues"].map {
            "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"\($0)\",LANGUAGE=\"\($0 == "ends" ? "en" : "de")\",URI=\"\($0).m3u8\""
        }
        let text = (["#EXTM3U"] + master + ["#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES=\"s\"", "video.m3u8", ""])
        host.script("/index.m3u8", [.text(text.joined(separator: "\n"), "text/plain")])
        let stage = try Stage()
        let (bytes, outcome) = try await Self.sync(stage, host, "/index.m3u8")
        #expect(bytes < Self.bound, "\(bytes) bytes")
        #expect(outcome.exit == 0 && outcome.events("warning").count == 2, "\(outcome.report)")
        await host.stop()
    }

    @Test("a catalog whose pattern searches the whole disk, and one that expands without end")
    func catalogs() async throws {
        let stage = try Stage()
        let list = { (item: String, count: Int) in "[" + String(repeating: item + ", ", count: count) + "]" }
        for text in [
            "version: 1\ninclude: /usr/*/*/*/*\n", "version: 1\ninclude: /*/*/*/*/*/*/*/*\n",
            "version: 1\ncourses: [{id: c, provider: direct, videos: [v], parameters: {a: &a \(list("x", 1000)), "
                + "b: &b \(list("*a", 1000)), c: \(list("*b", 1000))}}]\n",
        ] {
            try stage.folder.write(text, to: "catalog.yaml")
            let (bytes, outcome) = try await Self.peak(stage, ["check", stage.folder.at("catalog.yaml").string])
            #expect(bytes < Self.bound, "\(bytes) bytes: \(text.prefix(60))")
            #expect(outcome.exit == 65, "\(outcome.report)")
        }
    }

    /// Catalogs that ask for more than may be had, by what is wrong first.
    private static let large: [(problem: String, text: @Sendable () -> String)] = [
        ("128 MiB", { course("videos: [\(many(1_700_000) { "a\($0)" })]") }),
        ("128 MiB", { course("videos: [\(many(600_000) { "&a\($0) a\($0)" })]") }),
        ("128 MiB", { course("videos: [\(many(600_000) { "{id: v\($0), parameters: {url: \"http://h/\($0)\"}}" })]") }),
        (
            "128 MiB",
            { course("videos: [\(many(130) { "{id: v\($0), title: \(String(repeating: "t", count: 1 << 20))}" })]") }
        ),
        ("128 MiB", { course("videos: [v]\n  parameters: {a: [\(many(2_000_000) { _ in "x" })]}") }),
        ("128 MiB", { course("videos: [v]\n  parameters: {\(many(500_000) { "k\($0): x" })}") }),
        ("128 MiB", { course("chapters: [\(many(250_000) { "{id: c\($0), videos: [v\($0)]}" })]") }),
        ("128 MiB", { "version: 1\ncourses: [\(many(200_000) { "{id: c\($0), provider: direct, videos: [v]}" })]\n" }),
        ("needs the parameter", { course("videos: [\(many(100_000) { "{id: v\($0), parameters: {u\($0): x}}" })]") }),
    ]

    private static func course(_ rest: String) -> String {
        "version: 1\ncourses:\n- id: c\n  provider: direct\n  \(rest)\n"
    }

    private static func many(_ count: Int, _ item: (Int) -> String) -> String {
        (0..<count).map(item).joined(separator: ", ")
    }

    @Test("a catalog that would take more memory is refused at that place", arguments: large.indices)
    func largeCatalogs(index: Int) async throws {
        let stage = try Stage()
        try stage.folder.write(Self.large[index].text(), to: "catalog.yaml")
        let (bytes, outcome) = try await Self.peak(stage, ["check", stage.folder.at("catalog.yaml").string])
        #expect(bytes < Self.bound, "\(bytes) bytes")
        #expect(
            outcome.exit == 65 && outcome.error.contains(Self.large[index].problem), "\(outcome.error.prefix(500))")
    }

    @Test("a catalog of a hundred thousand videos with all the usual fields is accepted")
    func usualCatalog() async throws {
        let stage = try Stage()
        let videos = (0..<100_000).map { number in
            """
              - id: 9c9de5e8-0a1e-484a-b099-\(100_000_000_000 + number)
                title: Position and velocity, and what becomes of them, number \(number)
                size: \(1_000_000 + number)
                parameters: {url: "https://videos.example.org/lectures/\(number).mp4"}
            """
        }
        try stage.folder.write(Self.course("videos:\n" + videos.joined(separator: "\n")), to: "catalog.yaml")
        let (bytes, outcome) = try await Self.peak(stage, ["check", stage.folder.at("catalog.yaml").string])
        #expect(bytes < Self.bound, "\(bytes) bytes")
        #expect(outcome.exit == 0, "\(outcome.error.prefix(500))")
    }

    @Test("a plugin that answers endless lines, and one that floods its standard error")
    func plugins() async throws {
        for script in [
            "#!/bin/sh\nread -r line\nexec tr '\\0' 'x' < /dev/zero\n",
            "#!/bin/sh\nread -r line\nexec tr '\\0' 'x' < /dev/zero >&2\n",
            """
            #!/bin/sh
            exec jq -nc --unbuffered 'inputs as $r | {id: $r.id, result: {url: "http://127.0.0.1:1/",
              headers: ([range(60) | {key: "X-\\(.)", value: ("a" * 16000)}] | from_entries)}}'

            """,
            "#!/bin/sh\nwhile read -r line; do printf '{\"id\":%s,\"result\":{\"url\":\"http://127.0.0.1:1/%01000000d\"}}\\n' 1 1; done\n",
        ] {
            let stage = try Stage()
            try stage.plugin("bad", timeout: 5, script: script)
            try stage.catalog(CatalogText(provider: "bad", videos: (0..<20).map { .init(id: "v\($0)") }))
            let (bytes, outcome) = try await Self.peak(
                stage,
                [
                    "sync", stage.folder.at("catalog.yaml").string, "--json", "--retries", "1", "--library",
                    stage.library.string, "--state", stage.state.string, "--plugins", stage.folder.at("plugins").string,
                ])
            #expect(bytes < Self.bound, "\(bytes) bytes")
            #expect(outcome.exit != 0 && outcome.exit < 128, "\(outcome.report)")
        }
    }

    /// A plugin that lists courses of so many pages, each nearly as large as an answer may be: of usual videos, or of
    /// as many as fit, which have an id alone.
    private static func bulkPlugin(_ stage: Stage, pages: Int, isBare: Bool) throws {
        try stage.plugin(
            "bulk", concurrency: 8, manifest: ["methods: [resolve, list]"],
            script: #"""
                #!/usr/bin/env python3
                import json, sys
                for line in sys.stdin:
                    request = json.loads(line)
                    page = int(request["params"]["cursor"] or 0)
                    videos = ["%x" % n for n in range(page * 110000, (page + 1) * 110000)] if BARE else [
                        {"id": "%05d-%05d-of-a-listing" % (page, n), "title": "Position and velocity, number %d" % n,
                         "description": "What changes, and how fast. " * 6} for n in range(3000)]
                    result = {"videos": videos}
                    if page < PAGES - 1: result["next"] = str(page + 1)
                    print(json.dumps({"id": request["id"], "result": result}), flush=True)
                """#.replacing("PAGES", with: "\(pages)").replacing("BARE", with: isBare ? "True" : "False"))
    }

    /// Many courses whose listings are large, asked for at once; one with the largest listing that is accepted; and
    /// many with pages of as many videos as fit.
    private static let sizes: [(courses: Int, pages: Int, isBare: Bool)] = [
        (10, 13, false), (1, 59, false), (10, 1, true),
    ]

    @Test("large listings of many courses, asked for at once, and the largest of one", arguments: sizes.indices)
    func listings(index: Int) async throws {
        let stage = try Stage()
        try Self.bulkPlugin(stage, pages: Self.sizes[index].pages, isBare: Self.sizes[index].isBare)
        let courses = (1...Self.sizes[index].courses).map { "  - {id: c\($0), discover: {include: none}}\n" }
        try stage.folder.write(
            "version: 1\ndefaults: {provider: bulk}\ncourses:\n\(courses.joined())", to: "catalog.yaml")
        // The first time, and when nothing has changed: in a second sync for the largest, else in a dry run.
        for extra in [[], courses.count == 1 ? [] : ["--dry-run", "--list"]] {
            let (bytes, outcome) = try await Self.peak(
                stage,
                [
                    "sync", stage.folder.at("catalog.yaml").string, "--json", "--library", stage.library.string,
                    "--state", stage.state.string, "--plugins", stage.folder.at("plugins").string,
                ] + extra)
            #expect(bytes < Self.bound, "\(extra): \(bytes) bytes")
            #expect(outcome.exit == 0, "\(outcome.report)")
        }
    }
}
