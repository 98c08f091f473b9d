import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("looking at what a provider lists")
struct ListingCommandTests {
    @Test("list shows what is new, renamed, left out by which pattern, and gone, and changes nothing")
    func list() async throws {
        let world = try await ListingStage()
        try world.catalog(
            """
              - id: c
                discover: {include: ["Lecture *", "Extra *"], exclude: ["* (rehearsal)", "*draft*"], newest: 4}
                videos: [{id: 99, title: Written}]
              - {id: d, videos: [9]}
            """)
        try world.list([
            "c": ListingStage.page([
                Self.video("1", "Lecture 1"), Self.video("2", "Lecture 2"), Self.video("3", "Extra 3"),
            ])
        ])
        #expect(try await world.stage.sync().exit == 0)
        try world.list([
            "c": ListingStage.page([
                Self.video("0", "Lecture 0", day: 1), Self.video("1", "Lecture One", day: 2),
                Self.video("2", "Lecture 2", day: 3), Self.video("4", "extra Four", day: 4),
                Self.video("5", "Lecture 5 (rehearsal)", day: 5), Self.video("6", "Lecture 6 draft", day: 6),
                Self.video("7", "Notes", day: 7), Self.video("8", "Extra 8", day: 8),
                Self.video("8", "Extra 8", day: 8),
            ])
        ])
        _ = try world.requests()
        func state() throws -> [[String: String]] {
            try ["downloads", "listings", "listed_videos", "courses"].flatMap {
                try world.stage.stateCopy().rows("SELECT * FROM \($0)")
            }
        }
        let before = try state()

        let json = try await world.command(["list", "CATALOG", "c", "--json"])
        #expect(json.exit == 0, "\(json.report)")
        let lines = try json.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let told = lines.map { line in
            ["video", "fate", "state", "was", "pattern"].compactMap { line[$0] as? String }.joined(separator: " ")
        }
        #expect(
            told == [
                "99 known finished", "1 renamed finished Lecture 1", "2 known finished", "4 new", "8 new", "0 older",
                "5 excluded * (rehearsal)", "6 excluded *draft*", "7 not_included", "3 gone finished",
            ])
        #expect(lines.map { $0["in_catalog"] as? Bool } == [true] + Array(repeating: false, count: 9))
        #expect(lines[1]["published_at"] as? String == "2026-10-02T08:00:00Z")
        #expect(lines[1]["duration"] as? Double == 90 && lines[1]["title"] as? String == "Lecture One")

        let text = try await world.command(["list", "CATALOG", "c"])
        #expect(text.exit == 0, "\(text.report)")
        for part in [
            "finished  c/*/99  Written (in the catalog)",
            "renamed   c/*/1  Lecture One (2 Oct 2026, 1m30s, was Lecture 1)",
            "finished  c/*/2  Lecture 2", "new       c/*/4  extra Four", "left out  c/*/0  Lecture 0",
            "older than the newest 4)", "excluded by * (rehearsal))", "excluded by *draft*)",
            "left out  c/*/7  Notes (7 Oct 2026, 1m30s, no pattern of include matches)",
            "gone      c/*/3  Extra 3 (no longer listed)", "1 video listed twice; the first one counts",
            "5 videos: 2 new, 1 renamed, 4 left out, 1 gone",
        ] { #expect(text.output.contains(part), "\(part) in\n\(text.output)") }
        #expect(try world.requests() == ["list c None 1", "list c None 1"], "no video is resolved")
        #expect(try state() == before)

        // The sync does what was shown.
        let sync = try await world.stage.sync()
        #expect(Set(sync.events("download_finished").map(\.video)) == ["4", "8"], "\(sync.report)")
        #expect(sync.events("download_gone").map(\.video) == ["3"])
        await world.host.stop()
    }

    @Test("list says if the next sync would doubt the listing, and ends with the code for the provider's error")
    func trouble() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}\n  - {id: d, videos: [9]}")
        try world.list(["c": ListingStage.page(["1", "2", "3", "4"])])
        #expect(try await world.stage.sync().exit == 0)
        try world.list(["c": ListingStage.page(["1"])])
        let doubted = try await world.command(["list", "CATALOG", "c"])
        #expect(doubted.exit == 0 && doubted.output.contains("it lacks 3 of 4 videos"), "\(doubted.output)")
        for (kind, exit) in [("unavailable", Int32(75)), ("auth_required", 77), ("forbidden", 1), ("odd", 69)] {
            try world.list(["c": ["error": kind]])
            let failed = try await world.command(["list", "CATALOG", "c"])
            #expect(
                failed.exit == exit && failed.output.isEmpty && failed.error.contains("no listing"), "\(failed.report)")
        }
        for (course, words) in [("d", "add 'discover: true'"), ("e", "there is no course e")] {
            let refused = try await world.command(["list", "CATALOG", course])
            #expect(refused.exit == 64 && refused.error.contains(words), "\(refused.report)")
        }
        await world.host.stop()
    }

    @Test("catalog from prints a course that lists itself; check accepts it, and a sync downloads its videos")
    func discovering() async throws {
        let world = try await ListingStage()
        try world.list([
            "course": ListingStage.page(["1", "2"], title: "Waves: \"sound\" & light"), "waves": ["error": "odd"],
        ])
        let printed = try await world.stage.run(
            ["catalog", "from", "lister", "base=https://h/a b?c=d#e", "note=- x: {y}", "yes=no"])
        #expect(printed.exit == 0, "\(printed.report)")
        #expect(printed.output.contains("    discover: true\n") && !printed.output.contains("videos:"))
        let made = try await world.stage.run(
            ["catalog", "from", "lister", "base=https://h/a b?c=d#e", "note=- x: {y}", "yes=no", "--json"])
        let event = try #require(
            try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any], "\(made.report)")
        #expect(made.exit == 0 && event["event"] as? String == "catalog_made" && event["videos"] as? Int == 2)
        #expect(event["text"] as? String == printed.output, "\(made.report)")
        try world.stage.folder.write(printed.output, to: "catalog.yaml")
        #expect(try await world.check() == 0, "\(printed.output)")
        let id = try #require(printed.output.firstMatch(of: /- id: (.*)/)?.1)
        try world.list([String(id): ListingStage.page(["1", "2"])])
        let run = try await world.stage.sync()
        #expect(run.exit == 0 && run.events("download_finished").count == 2, "\(run.report)\(printed.output)")
        let parameters = try #require(try world.videos()["1"]?["parameters"] as? [String: String])
        #expect(parameters == ["base": "https://h/a b?c=d#e", "note": "- x: {y}", "yes": "no"])
        await world.host.stop()
    }

    @Test("what catalog from --expand prints is accepted, and asks for each video as it was listed")
    func expanded() async throws {
        let world = try await ListingStage()
        let texts = [
            "a: b", "- x", "yes", "007", "~", "null", "\u{2028}sep\u{2029}\u{85}", "\u{FEFF}x", "#1", "{x}", "%41 {id}",
            "line\nbreak\ttab", "trailing ", "\\ \" '", "😀", "a\u{301}", "1e3", "*a", "&a", "!x", "<<", "@", "`",
        ]
        let videos = texts.enumerated().map { number, text in
            [
                "id": "v\(number)", "title": "T\(number) \(text)", "description": text,
                "parameters": [
                    "path": "7", "text": text, text: [text, number, 1.5, true, ["k \(text)": text]] as [Any],
                ],
            ] as [String: Any]
        }
        try world.list([
            "c": [
                "pages": [
                    [
                        "videos": Array(videos[..<3]),
                        "chapters": [
                            ["id": "- k: 1", "title": "K: \"1\"", "videos": Array(videos[3...])], ["id": "empty"],
                        ] as [Any],
                    ] as [String: Any]
                ]
            ]
        ])
        let printed = try await world.stage.run(["catalog", "from", "lister", "--id", "c", "--expand"])
        #expect(printed.exit == 0, "\(printed.report)")
        try world.stage.folder.write(printed.output, to: "catalog.yaml")
        #expect(try await world.check() == 0, "\(printed.output)")
        let run = try await world.stage.sync()
        #expect(run.exit == 0 && run.events("download_finished").count == texts.count, "\(run.report)")
        let asked = try world.videos()
        for (number, text) in texts.enumerated() {
            let video = try #require(asked["v\(number)"])
            #expect(
                Array((video["title"] as? String ?? "").unicodeScalars) == Array("T\(number) \(text)".unicodeScalars))
            let parameters = try #require(video["parameters"] as? [String: Any])
            #expect(parameters["text"] as? String == text, "\(number)")
            #expect((parameters[text] as? [Any])?.first as? String == text, "\(number): \(parameters)")
            #expect(((parameters[text] as? [Any])?.last as? [String: String]) == ["k \(text)": text], "\(number)")
        }
        await world.host.stop()
    }

    @Test("catalog from --expand prints all that is listed of a video")
    func everything() async throws {
        let world = try await ListingStage()
        let digest = String(repeating: "0a", count: 32)
        let video: [String: Any] = [
            "id": "1", "title": "One", "description": "first: of two", "published_at": "2026-10-05T08:00:00Z",
            "cover": "https://h/1.jpg", "size": 3000, "sha256": digest,
            "subtitle_files": [["lang": "en", "url": "https://h/1.vtt"], ["lang": "de", "url": "https://h/2.vtt"]],
            "attachments": [["title": "Slides: all", "url": "https://h/1.pdf"]],
        ]
        let chapter: [String: Any] = ["id": "k", "title": "K", "cover": "https://h/k.jpg", "videos": [video]]
        try world.list([
            "c": ["pages": [["title": "C", "cover": "https://h/c.jpg", "chapters": [chapter]] as [String: Any]]]
        ])
        let printed = try await world.stage.run(["catalog", "from", "lister", "--id", "c", "--expand"])
        #expect(
            printed.output == """
                version: 1
                courses:
                  - id: c
                    title: C
                    provider: lister
                    cover: "https://h/c.jpg"
                    chapters:
                      - id: k
                        title: K
                        cover: "https://h/k.jpg"
                        videos:
                          - id: "1"
                            title: One
                            date: "2026-10-05"
                            description: "first: of two"
                            cover: "https://h/1.jpg"
                            size: 3000
                            sha256: "\(digest)"
                            subtitle_files: [{lang: "en", url: "https://h/1.vtt"}, {lang: "de", url: "https://h/2.vtt"}]
                            attachments: [{title: "Slides: all", url: "https://h/1.pdf"}]

                """, "\(printed.report)")
        try world.stage.folder.write(printed.output, to: "catalog.yaml")
        #expect(try await world.check() == 0)
        await world.host.stop()
    }

    @Test("catalog from of a course without videos is accepted")
    func empty() async throws {
        let world = try await ListingStage()
        for listing in [ListingStage.page([]), ["pages": [["chapters": [["id": "k"]]]]]] {
            try world.list(["c": listing])
            for options in [[], ["--expand"]] {
                let printed = try await world.stage.run(["catalog", "from", "lister", "--id", "c"] + options)
                try world.stage.folder.write(printed.output, to: "catalog.yaml")
                #expect(printed.exit == 0)
                #expect(try await world.check() == 0, "\(printed.output)")
            }
        }
        await world.host.stop()
    }

    private static func video(_ id: String, _ title: String, day: Int = 1) -> [String: Any] {
        ["id": id, "title": title, "published_at": "2026-10-0\(day)T08:00:00Z", "duration": 90]
    }
}

extension ListingStage {
    /// Runs a command; `CATALOG` is the catalog.
    fileprivate func command(_ words: [String]) async throws -> Outcome {
        try await stage.run(words.map { $0 == "CATALOG" ? stage.folder.at("catalog.yaml").string : $0 })
    }

    /// The code of `check` for the catalog.
    fileprivate func check() async throws -> Int32 {
        let arguments = [
            "check", stage.folder.at("catalog.yaml").string, "--plugins", stage.folder.at("plugins").string,
        ]
        return try await Program.coursefetch(arguments, in: stage.folder).exit
    }
}
