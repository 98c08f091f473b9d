import CourseCatalog
import Foundation
import Testing
import YAMLSource

/// The schema and the decoder judge the same documents in the same way, key by key.
@Suite("The JSON Schema of the format") struct SchemaTests {
    /// For each key, values that are right and values that are wrong.
    static let samples: [String: (right: [String], wrong: [String])] = [
        "version": (["1"], ["2", "'1'", "[1]", "~"]),
        "name": (["Physics", "12", "true"], ["~", "''", "[x]", "{a: b}"]),
        "include": (["[]"], ["{a: b}", "~", "''", "['']", "[[x]]", "https://h/x.yaml", "[HTTP://h/x.yaml]"]),
        "defaults": (["{}", "{priority: 1}"], ["[]", "x", "~", "{id: x}"]),
        "courses": (["[]", "[{id: k, provider: p, videos: [v]}]"], ["{}", "x", "~", "[x]", "[{title: x}]"]),
        "id": (
            ["x", "7", "1.5", "true", "'~'", "''''"], ["~", "''", "[x]", "{}", String(repeating: "x", count: 1025)]
        ),
        "title": (["x", "7", "true", "'~'"], ["~", "''", "[x]", "{}"]),
        "description": (["x", "7", "true", "'~'"], ["~", "''", "[x]", "{}"]),
        "layout": (
            ["plain", "plex", "'{course}/{title}.{ext}'"],
            ["plane", "'{course}/{title}'", "'/{course}/{title}.{ext}'", "~", "''", "[x]", "{a: b}", "7"]
        ),
        "date": (["2026-10-05", "'2024-02-29'"], ["2026-13-01", "5.10.2026", "~", "7", "[x]", "''"]),
        "chapters": (["[]", "[{id: k}]", "[{id: k, videos: [v]}]"], ["{}", "x", "~", "[x]", "[{title: x}]"]),
        "videos": (["[]", "[a, 1, true, {id: b}]"], ["{}", "x", "~", "[~]", "[[x]]", "[{title: x}]", "['']"]),
        "courses_of": (["{provider: p}", "[{provider: p, prefix: a-}]", "[]"], ["x", "~", "[x]", "[{id: a}]"]),
        "prefix": (["a-", "7"], ["''", "~", "[x]", "{}", String(repeating: "x", count: 65)]),
        "discover": (["true", "False"], ["yes", "1", "~", "'true'"]),
        "hand_over": (["p", "[p, x.y_z]", "[]"], ["-p", "[a/b]", "~", "{}", "[~]", "[[p]]"]),
        "provider": (["p", "secure-link", "x.y_z", "7"], ["-p", "a/b", "../x", "''", "~", "[p]", "é"]),
        "priority": (
            ["low", "normal", "high", "0", "-5", "1000000"], ["urgent", "1.5", "1000001", "~", "[1]", "'5'", "true"]
        ),
        "quality": (
            ["best", "worst", "audio", "720p", "2500k", "[1080p, best]", "'1p'"],
            ["720", "0p", "720P", "medium", "[]", "[[best]]", "~", "{}", "12345678p"]
        ),
        "audio": (
            ["en", "[en, pt-BR]", "[]", "all"], ["[all]", "none", "e", "pt_BR", "[~]", "~", "7", "{}", "[en-]"]
        ),
        "subtitles": (["all", "none", "en", "[en, zh-Hant-TW]", "[]"], ["ALL!", "[all]", "~", "7", "{}", "[1]"]),
        "parameters": (["{}", "{a: [1, {b: ~}], '1': x}"], ["[]", "x", "~"]),
        "cover": (
            ["x.jpg", "a/b..c.jpg", "https://h/x.jpg", "HTTP://h"],
            [
                "/x.jpg", "../x.jpg", "a/../x", "a/..", "ftp://h/x", "'https://'", "'https:///x'", "'http://h/a b'",
                "~", "''", "[x]",
            ]
        ),
        "sha256": (
            ["'\(String(repeating: "0aF", count: 21))1'"],
            ["abc", "'\(String(repeating: "g", count: 64))'", "'\(String(repeating: "0", count: 65))'", "~", "[x]"]
        ),
        "checksums": (
            [
                "{crc32: 'cbf43926'}",
                "{md5: '\(String(repeating: "aF", count: 16))', sha1: '\(String(repeating: "0", count: 40))'}",
            ],
            ["{crc32: 'cbf4392'}", "{sha256: 'cbf43926'}", "~", "[x]", "x"]
        ),
        "md5": (
            ["'\(String(repeating: "aF", count: 16))'"], ["abc", "'\(String(repeating: "g", count: 32))'", "~", "[x]"]
        ),
        "sha1": (
            ["'\(String(repeating: "aF", count: 20))'"], ["abc", "'\(String(repeating: "g", count: 40))'", "~", "[x]"]
        ),
        "crc32": (["'cbF43926'"], ["abc", "'cbF4392g'", "~", "[x]"]),
        "streams": (["all", "presenter", "[presenter, \"screen 2\"]", "7"], ["[]", "~", "{}", "[~]", "''"]),
        "live": (["wait", "record", "'record'"], ["~", "Record", "yes", "true", "[record]", "{}", "''"]),
        "strip_numbers": (["true", "false"], ["yes", "'true'", "1", "~", "[true]"]),
        "max_size": (["1", "1048576", "9007199254740992"], ["0", "-1", "1.5", "'7'", "~", "big", "[1]"]),
        "episode": (["0", "31", "0x1F", "99999999"], ["-1", "1.5", "'7'", "~", "one", "[1]", "100000000"]),
        "season": (["0", "2"], ["-1", "1.5", "'7'", "~", "one", "[1]", "100000000"]),
        "size": (["0", "1048576", "9007199254740992"], ["-1", "1.5", "'7'", "~", "big", "[1]"]),
        "subtitle_files": (
            ["[]", "[{lang: en, url: 'https://h/x.vtt'}]"],
            ["x", "~", "[x]", "[{lang: en}]", "[{lang: en, url: x}]", "[{lang: '', url: 'https://h/x'}]"]
        ),
        "attachments": (
            ["[]", "[{title: T, url: 'https://h/x'}]"],
            [
                "x", "~", "[x]", "[{url: 'https://h/x'}]", "[{title: '', url: 'https://h/x'}]",
                "[{title: T, url: 'x', lang: en}]",
            ]
        ),
        "lang": (["en", "pt-BR"], ["all", "e", "pt_BR", "[en]", "~"]),
        "url": (
            ["https://h", "http://h:8/x?y#z"],
            ["h", "https://", "https:///x", "~", "[x]", "'https://h/ x'", "https://?x"]
        ),
    ]

    /// Where a mapping of each level stands in a document, and what it needs beside the key at hand.
    static let levels: [(name: String, document: @Sendable (String) -> String, needs: [String: String])] = [
        ("catalog", { $0 }, ["version": "1"]),
        ("defaults", { "{version: 1, defaults: \($0)}" }, [:]),
        ("course", { "{version: 1, courses: [\($0)]}" }, ["id": "k", "provider": "p"]),
        ("chapter", { "{version: 1, courses: [{id: k, provider: p, chapters: [\($0)]}]}" }, ["id": "k"]),
        ("video", { "{version: 1, courses: [{id: k, provider: p, videos: [\($0)]}]}" }, ["id": "k"]),
        (
            "subtitleFile",
            { "{version: 1, courses: [{id: k, provider: p, videos: [{id: v, subtitle_files: [\($0)]}]}]}" },
            ["lang": "en", "url": "https://h"]
        ),
        (
            "attachment", { "{version: 1, courses: [{id: k, provider: p, videos: [{id: v, attachments: [\($0)]}]}]}" },
            ["title": "T", "url": "https://h"]
        ),
        ("checksums", { "{version: 1, courses: [{id: k, provider: p, videos: [{id: v, checksums: \($0)}]}]}" }, [:]),
    ]

    private let validator: SchemaValidator
    private let folder: CatalogFolder

    init() throws {
        validator = try SchemaValidator(json: CatalogSchema.json)
        folder = try CatalogFolder([:])
    }

    private func expect(_ text: String, isValid: Bool) throws {
        try folder.write(text, to: "catalog.yaml")
        let reading = folder.read()
        #expect((reading.verdict == .valid) == isValid, "the decoder on \(text): \(reading.report)")
        let node = try YAMLNode.parse(text: text, file: "t")
        #expect(try validator.accepts(node) == isValid, "the schema on \(text)")
    }

    @Test("decoder and schema accept the same values for every key of every level", arguments: levels.indices)
    func keys(index: Int) throws {
        let level = Self.levels[index]
        let schema =
            level.name == "catalog"
            ? validator.schema("properties") : validator.schema("$defs", level.name, "properties")
        let keys = try #require(schema?.mapping).map(\.key)
        #expect(!keys.isEmpty)
        for key in keys {
            let samples = try #require(Self.samples[key], "no samples for \(key)")
            var needs = level.needs
            needs[key] = nil
            let rest = needs.sorted { $0.key < $1.key }.map { ", \($0.key): \($0.value)" }.joined()
            for value in samples.right { try expect(level.document("{\(key): \(value)\(rest)}"), isValid: true) }
            for value in samples.wrong { try expect(level.document("{\(key): \(value)\(rest)}"), isValid: false) }
        }
    }

    @Test("a key that a level lacks is refused there by both", arguments: levels.indices)
    func strangers(index: Int) throws {
        let level = Self.levels[index]
        let schema =
            level.name == "catalog"
            ? validator.schema("properties") : validator.schema("$defs", level.name, "properties")
        let own = Set(try #require(schema?.mapping).map(\.key))
        let rest = level.needs.sorted { $0.key < $1.key }.map { ", \($0.key): \($0.value)" }.joined()
        for key in Self.samples.keys.sorted() + ["nonsense"] where !own.contains(key) {
            let value = Self.samples[key]?.right.first ?? "x"
            try expect(level.document("{\(key): \(value)\(rest)}"), isValid: false)
        }
        for key in level.needs.keys where key != "provider" {
            let others = level.needs.filter { $0.key != key }.sorted { $0.key < $1.key }.map {
                "\($0.key): \($0.value)"
            }
            try expect(level.document("{\(others.joined(separator: ", "))}"), isValid: false)
        }
    }

    @Test("the schema accepts the examples")
    func examples() throws {
        for name in ExampleTests.names + ["term/optics.yaml"] {
            let text = try String(contentsOf: ExampleTests.folder.appending(path: name), encoding: .utf8)
            #expect(try validator.accepts(YAMLNode.parse(text: text, file: name)), "\(name)")
        }
    }

    @Test("the schema is JSON and names its version")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(CatalogSchema.json.utf8)) as? [String: Any]
        #expect(object?["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(CatalogSchema.json.hasSuffix("}\n"))
    }
}
