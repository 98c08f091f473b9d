import CourseCatalog
import Foundation
import Testing
import YAMLSource

@Suite("Mistakes in a catalog") struct MistakeTests {
    static let videoCases: [(String, String)] = [
        ("{id: [x]}", "4:10: an id is text, not a list"),
        ("{id: {x: y}}", "4:10: an id is text, not a mapping"),
        ("{id: ~}", "4:10: the id is null ('~' without quotes); to use it as text, quote it"),
        ("{id: }", "4:10: the id is null (nothing without quotes); to use it as text, quote it"),
        ("null", "4:5: the id is null ('null' without quotes); to use it as text, quote it"),
        ("''", "4:5: an id can't be empty"),
        (#""a\0b""#, "4:5: an id can't contain the character NUL"),
        ("[x]", "4:5: a video is an id, or a mapping with an 'id', but this is a list"),
        ("{title: x}", "4:5: a video needs an 'id'"),
        ("{id: x, id: y}", "4:13: the key 'id' is used twice in this mapping, first on line 4; keep one of them"),
        ("{id: x, titel: y}", "4:13: a video has no key 'titel'; did you mean 'title'?"),
        (
            "{id: x, foo: y}",
            "4:13: a video has no key 'foo'; it takes id, title, description, date, episode, provider, priority, quality, "
                + "audio, subtitles, streams, live, parameters, cover, max_size, strip_numbers, sha256, checksums, size, subtitle_files, attachments"
        ),
        ("{id: x, [a]: y}", "4:13: a key must be text"),
        ("{id: x, title: [y]}", "4:20: 'title' takes text, but this is a list"),
        ("{id: x, title: ''}", "4:20: 'title' can't be empty; leave the key out"),
        ("{id: x, title: ~}", "4:20: 'title' is null; to use it as text, quote it, or leave the key out"),
        ("{id: x, size: -1}", "4:19: 'size' is a number of bytes and can't be negative"),
        ("{id: x, size: 1.5}", "4:19: 'size' takes a whole number of bytes, such as 104857600, but this is '1.5'"),
        ("{id: x, size: 100M}", "4:19: 'size' takes a whole number of bytes, such as 104857600, but this is '100M'"),
        ("{id: x, size: '1'}", "4:19: 'size' takes a whole number of bytes, such as 104857600, but this is '1'"),
        ("{id: x, size: 9007199254740993}", "4:19: 'size' is larger than 2^53 bytes"),
        ("{id: x, sha256: abc}", "4:21: 'sha256' takes 64 hexadecimal digits, not 3 characters"),
        (
            "{id: x, sha256: \(String(repeating: "g", count: 64))}",
            "4:21: 'sha256' takes hexadecimal digits only (0–9, a–f)"
        ),
        ("{id: x, sha256: []}", "4:21: 'sha256' takes 64 hexadecimal digits, but this is a list"),
        (
            "{id: x, cover: ftp://h/x}",
            "4:20: 'cover' takes an http or https URL, or a path relative to the catalog"
        ),
        (
            "{id: x, cover: 'https:///x'}",
            "4:20: 'cover' takes an http or https URL or a path relative to the catalog; this URL has no host"
        ),
        (
            "{id: x, cover: 'https://h/a b'}",
            "4:20: 'cover' takes an http or https URL or a path relative to the catalog; "
                + "this URL contains a space or a control character; percent-encode it"
        ),
        (
            "{id: x, cover: /etc/x.jpg}",
            "4:20: a cover must be in the catalog's folder or below; its path can't begin with / or contain .."
        ),
        (
            "{id: x, cover: a/../../b}",
            "4:20: a cover must be in the catalog's folder or below; its path can't begin with / or contain .."
        ),
        (
            "{id: x, priority: hihg}",
            "4:23: 'priority' takes low, normal, high or an integer between ±1,000,000, but this is 'hihg'; "
                + "did you mean 'high'?"
        ),
        (
            "{id: x, priority: 1000001}",
            "4:23: 'priority' takes low, normal, high or an integer between ±1,000,000, but this is '1000001'"
        ),
        (
            "{id: x, priority: }",
            "4:23: 'priority' takes low, normal, high or an integer between ±1,000,000, but there is nothing"
        ),
        (
            "{id: x, quality: 720}",
            "4:22: '720' isn't a quality; use best, worst, audio, a height such as 720p or a bitrate such as 2500k; "
                + "did you mean '720p'?"
        ),
        (
            "{id: x, quality: [bset, [y]]}",
            "4:23: 'bset' isn't a quality; use best, worst, audio, a height such as 720p or a bitrate such as 2500k; "
                + "did you mean 'best'?|4:29: a quality is one word, such as 720p, but this is a list"
        ),
        ("{id: x, quality: []}", "4:22: 'quality' is an empty list; remove it to get the best quality"),
        (
            "{id: x, quality: {a: b}}",
            "4:22: 'quality' takes best, worst, audio, a height such as 720p, a bitrate such as 2500k, or a list of "
                + "these, but this is a mapping"
        ),
        ("{id: x, audio: none}", "4:20: 'none' isn't a language; 'audio' takes all or languages, such as [en, de]"),
        ("{id: x, audio: {a: b}}", "4:20: 'audio' takes all or languages, such as [en, de], but this is a mapping"),
        ("{id: x, streams: []}", "4:22: 'streams' is an empty list; remove it to get the provider's main one"),
        (
            "{id: x, streams: {a: b}}",
            "4:22: 'streams' takes all, or roles such as [presenter, presentation], but this is a mapping"
        ),
        (
            "{id: x, subtitles: [pt_BR]}",
            "4:25: 'pt_BR' isn't a language; 'subtitles' takes all, none or languages, such as [en, de]; "
                + "did you mean 'pt-BR'?"
        ),
        ("{id: x, subtitles: [[en]]}", "4:25: a language is one word, such as en, but this is a list"),
        (
            "{id: x, provider: ../x}",
            "4:23: '../x' isn't a provider's name; use letters, digits, '.', '_' and '-' only"
        ),
        ("{id: x, provider: [y]}", "4:23: 'provider' takes text, but this is a list"),
        ("{id: x, parameters: y}", "4:25: 'parameters' takes a mapping of keys and values, but this is 'y'"),
        (
            "{id: x, parameters: {a: .nan}}",
            "4:29: .nan is a number that JSON can't express; quote it to keep it as text"
        ),
        (
            "{id: x, parameters: {a: [9007199254740993]}}",
            "4:30: 9007199254740993 is an integer beyond ±2^53, which JSON readers round; quote it to keep it as text"
        ),
        (
            "{id: x, parameters: {a: 1, a: 2}}",
            "4:32: the key 'a' is used twice in this mapping, first on line 4; keep one of them"
        ),
        ("{id: x, subtitle_files: y}", "4:29: 'subtitle_files' takes a list of {lang, url}, but this is 'y'"),
        ("{id: x, subtitle_files: [y]}", "4:30: a subtitle file is a mapping {lang, url}, but this is 'y'"),
        ("{id: x, subtitle_files: [{lang: en}]}", "4:30: a subtitle file needs a 'url'"),
        (
            "{id: x, subtitle_files: [{lang: [en], url: 'x'}]}",
            "4:37: 'lang' takes one language, such as en, but this is a list"
                + "|4:48: 'url' takes an http or https URL; this begins neither with http:// nor with https://"
        ),
        (
            "{id: x, attachments: [{title: T, urll: 'http://h'}]}",
            "4:27: an attachment needs a 'url'|4:38: an attachment has no key 'urll'; did you mean 'url'?"
        ),
        ("*nothing", "4:5: there is no &nothing before this alias"),
        ("!video {id: x}", "4:5: the tag !video has no meaning here; if the ! is part of the value, quote it"),
    ]

    @Test("each mistake in a video has its own message", arguments: videoCases)
    func videos(video: String, expected: String) throws {
        let folder = try CatalogFolder(catalog: "courses: [{id: a, provider: p, videos: [ok,\n\n    \(video)]}]")
        let reading = folder.read()
        #expect(folder.messages(reading) == expected.split(separator: "|").map(String.init))
        #expect(reading.verdict == .invalid)
    }

    static let catalogCases: [(String, String)] = [
        ("", "1:1: the file is empty; a catalog begins with 'version: 1'"),
        ("# nothing\n", "1:1: the file is empty; a catalog begins with 'version: 1'"),
        ("- a\n", "1:1: a catalog is a mapping that begins with 'version: 1', not a list"),
        ("hello", "1:1: a catalog is a mapping that begins with 'version: 1', not 'hello'"),
        ("courses: []", "1:1: a catalog needs a 'version: 1'"),
        ("version: 2", "1:10: 'version' takes the number 1, but this is '2'"),
        ("version: '1'", "1:10: 'version' takes the number 1, but this is '1'"),
        (
            "version: 1\nversion: 1",
            "2:1: the key 'version' is used twice in this mapping, first on line 1; keep one of them"
        ),
        ("version: 1\n---\nversion: 1", "2:1: a second document begins here; a catalog is a single document"),
        ("version: 1\ncuorses: []", "2:1: a catalog has no key 'cuorses'; did you mean 'courses'?"),
        ("version: 1\nname: [x]", "2:7: 'name' takes text, but this is a list"),
        ("version: 1\ncourses: {a: b}", "2:10: 'courses' takes a list of courses, but this is a mapping"),
        ("version: 1\ncourses:\n", "2:9: 'courses' takes a list of courses, but there is nothing"),
        ("version: 1\ncourses: [a]", "2:11: a course is a mapping with an 'id', but this is 'a'"),
        ("version: 1\ncourses: [{title: a}]", "2:11: a course needs an 'id'"),
        ("version: 1\ndefaults: [a]", "2:11: 'defaults' takes a mapping, but this is a list"),
        (
            "version: 1\ndefaults: {id: a}",
            "2:12: 'defaults' has no key 'id'; it takes provider, priority, quality, audio, subtitles, streams, live, parameters, cover, max_size, strip_numbers"
        ),
        ("version: 1\ninclude: {a: b}", "2:10: 'include' takes a list of file names, but this is a mapping"),
        ("version: 1\ninclude: [[a]]", "2:11: an include is a file name, but this is a list"),
        ("version: 1\ninclude: https://x.example/c.yaml", "2:10: an include is a file, not a web address"),
        ("version: 1\ninclude: ''", "2:10: an include can't be empty; leave the key out"),
        (
            "version: 1\ncourses:\n  - id: a\n    discover: yes",
            "4:15: 'discover' takes true or false, but this is 'yes'; did you mean 'true'?"
        ),
        (
            "version: 1\ncourses:\n  - id: a\n    discover: true",
            "3:9: no 'provider' is set for this course; set one here, on its course or in 'defaults'"
        ),
        (
            "version: 1\ncourses_of: {parameters: {a: 1}}",
            "2:13: no 'provider' is set for these courses; set one here or in 'defaults'"
        ),
        (
            "version: 1\ncourses_of: [{provider: p, every: 5}]",
            "2:35: 'every' takes a time such as 30m, 6h or 7d, but this is '5'; did you mean '5h'?"
        ),
        (
            "version: 1\ncourses:\n  - id: a\n    videos: [x, y, {id: z, provider: p}]",
            "4:14: no 'provider' is set for this video (nor 1 more of this course); set one here, on its course or in 'defaults'"
        ),
        (
            "version: 1\ncourses:\n  - id: a\n    chapters: [x]",
            "4:16: a chapter is a mapping with an 'id', but this is 'x'"
        ),
        (
            "version: 1\ncourses:\n  - id: a\n    chapters: x",
            "4:15: 'chapters' takes a list of chapters, but this is 'x'"
        ),
        ("version: 1\ncourses:\n  - id: a\n    videos: x", "4:13: 'videos' takes a list of videos, but this is 'x'"),
        (
            "version: 1\ncourses:\n  - id: a\n    provider: p\n    videos: [x]\n    chapters:\n      - {id: c, videos: [y]}\n      - {id: c, videos: [x]}",
            "8:14: the chapter id 'c' is used twice in this course, first on line 7; ids must differ"
                + "|8:26: the video id 'x' is used twice in this course, first on line 5; ids must differ"
        ),
        (
            "version: 1\ncourses:\n  - {id: a, provider: p, videos: [e\u{301}, é]}",
            "3:39: the video id 'é' is used twice in this course, first on line 3; ids must differ"
        ),
        (
            "version: 1\ncourses:\n  - {id: a, provider: p, videos: [K, \u{212A}]}",
            "3:38: the video id 'K' is used twice in this course, first on line 3; ids must differ"
        ),
        (
            "version: 1\ncourses:\n  - {id: a, provider: p, videos: [&x y, *x]}",
            "3:41: the video id 'y' is used twice in this course, first on line 3; ids must differ"
        ),
        (
            "version: 1\ncourses:\n  - {id: a, discover: true, provider: p}\n  - {id: a, discover: true, provider: p}",
            "4:10: the course id 'a' is already used at FOLDER/catalog.yaml:3:10; ids of courses must differ in a run"
        ),
        // Not errors.
        ("version: 1", "0:0: warning: the catalog has no courses"),
        ("version: 1\ncourses: [{id: a}]", "2:16: warning: the course has no videos; add some, or 'discover: true'"),
        (
            "version: 1\ncourses:\n  - {id: a, provider: p, chapters: [{id: c}, {id: d, videos: [x]}]}",
            "3:42: warning: the chapter has no videos"
        ),
        // One mistake isn't told twice.
        (
            "version: 1\ndefaults: {provder: p}\ncourses: [{id: a, videos: [x]}]",
            "2:12: 'defaults' has no key 'provder'; did you mean 'provider'?"
        ),
        (
            "version: 1\ndefaults: {provider: [p]}\ncourses: [{id: a, videos: [x]}]",
            "2:22: 'provider' takes text, but this is a list"
        ),
        (
            "version: 1\ncourses:\n  - id: a\n    videos: [x\n",
            "5:1: a ',' or ']' was expected here (in the […] that begins on line 4)"
        ),
    ]

    @Test("each mistake in a catalog has its own message", arguments: catalogCases)
    func catalogs(text: String, expected: String) throws {
        let folder = try CatalogFolder(["catalog.yaml": text])
        #expect(folder.messages(folder.read()) == expected.split(separator: "|").map(String.init))
    }

    @Test("a catalog with ten different mistakes has ten errors, each with its line and a caret")
    func tenMistakes() throws {
        let folder = try CatalogFolder([
            "catalog.yaml": """
            version: 1
            nmae: Ten
            include: [nothing-*.yaml]
            defaults: {provider: direct, quality: 720}
            courses:
              - id: a
                discover: yes
                videos:
                  - {id: v1, size: -5}
                  - {id: v1}
                  - {id: v2, sha256: abc}
                  - {title: No id}
                  - {id: v3, parameters: {x: .inf}}
                  - {id: v4, titel: T}
            """
        ])
        let reading = folder.read()
        #expect(reading.verdict == .invalid)
        #expect(reading.errorCount == 10)
        #expect(
            folder.report(reading).replacingOccurrences(of: folder.path, with: "FOLDER") == """
                catalog.yaml:2:1: error: a catalog has no key 'nmae'; did you mean 'name'?
                    nmae: Ten
                    ^
                catalog.yaml:3:11: error: no file matches 'nothing-*.yaml' in FOLDER
                    include: [nothing-*.yaml]
                              ^
                catalog.yaml:4:39: error: '720' isn't a quality; use best, worst, audio, a height such as 720p or a \
                bitrate such as 2500k; did you mean '720p'?
                    defaults: {provider: direct, quality: 720}
                                                          ^
                catalog.yaml:7:15: error: 'discover' takes true or false, but this is 'yes'; did you mean 'true'?
                        discover: yes
                                  ^
                catalog.yaml:9:24: error: 'size' is a number of bytes and can't be negative
                          - {id: v1, size: -5}
                                           ^
                catalog.yaml:10:14: error: the video id 'v1' is used twice in this course, first on line 9; ids must \
                differ
                          - {id: v1}
                                 ^
                catalog.yaml:11:26: error: 'sha256' takes 64 hexadecimal digits, not 3 characters
                          - {id: v2, sha256: abc}
                                             ^
                catalog.yaml:12:9: error: a video needs an 'id'
                          - {title: No id}
                            ^
                catalog.yaml:13:34: error: .inf is a number that JSON can't express; quote it to keep it as text
                          - {id: v3, parameters: {x: .inf}}
                                                     ^
                catalog.yaml:14:18: error: a video has no key 'titel'; did you mean 'title'?
                          - {id: v4, titel: T}
                                     ^

                """)
    }

    @Test("a hundred errors of a file are shown, then a count, and the other file's follow")
    func manyErrors() throws {
        let wrong = (0..<150).map { "    - {id: v\($0), size: -1}\n" }.joined()
        let folder = try CatalogFolder([
            "a.yaml": "version: 1\ncourses:\n- id: a\n  provider: p\n  videos:\n\(wrong)",
            "b.yaml": "version: 3\n",
        ])
        let reading = folder.read("a.yaml", "b.yaml")
        #expect(reading.errorCount == 151)
        let lines = folder.report(reading).split(separator: "\n")
        #expect(lines.count == 100 * 3 + 1 + 3)
        #expect(lines[300] == "a.yaml: 50 more like these")
        #expect(lines[301].hasPrefix("b.yaml:1:10: error: "))
    }
}
