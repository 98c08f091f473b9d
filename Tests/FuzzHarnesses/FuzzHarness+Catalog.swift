import CourseCatalog
import Foundation
import YAMLSource

extension FuzzHarness {
    /// Catalogs, as files: a verdict that agrees with the mistakes that are told, and a table that can be walked.
    static let catalog = FuzzHarness(
        name: "catalog",
        texts: [
            """
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
                      - {id: v1, size: 12, priority: high, sha256: \(String(repeating: "0f", count: 32))}
                      - {<<: {id: v2}, title: 'it''s', parameters: {<<: *p, c: null}}
                      - v3
                  - {id: c2, videos: [*v], subtitles: [en, de]}
              - {<<: *c, id: b, discover: true}
              - {id: é, videos: *v, audio: en}

            """,
            "version: 1\ndefaults: {provider: p}\ncourses:\n  - {id: a, videos: [x, {id: y, size: 9007199254740992}]}\n",
        ],
        words: [
            "\t", "[", "]", "{", "}", ": ", "- ", "&x ", "*x", "*v", "<<: *p", "!!int ", "\"", "'", "|\n", "\n", "\n  ",
            "\u{0}", "---\n", "%", "#", "\u{FEFF}", "? ", "version: 1", "courses:", "chapters:", "videos:", "id: ",
            "title: ", "provider: ", "parameters: ", "quality: ", "priority: ", "cover: ", "subtitles: ", "audio: ",
            "size: ", "sha256: ", "discover: ", "defaults: ", "9007199254740993", "-1", "\u{212A}", "e\u{301}", "é",
        ]
    ) { buffer in
        // What it includes is looked for nowhere.
        let bytes = Array(buffer)
        guard !bytes.contains("include".utf8) else { return false }
        let path = FileManager.default.temporaryDirectory.path() + "/coursefetch-\(UUID().uuidString).yaml"
        defer { unlink(path) }
        try Data(bytes).write(to: URL(filePath: path))
        let reading = CatalogReader.read([path])
        var ids = 0
        for course in reading.catalog.courses {
            for video in Array(course.videos) + course.chapters.flatMap({ Array($0.videos) }) {
                ids += video.id.utf8.count + video.title.utf8.count + video.settings.parameters.count
                guard reading.verdict == .valid else { continue }
                try promise(!video.id.isEmpty && !video.provider.name.isEmpty, "a video without id or provider")
                try promise((video.size ?? 0) >= 0, "a video of \(video.size ?? 0) bytes")
            }
        }
        try promise(
            (reading.verdict == .valid) == (reading.errorCount == 0), "\(reading.verdict), \(reading.errorCount) errors"
        )
        try promise(reading.report.isEmpty == reading.diagnostics.isEmpty, "a report of nothing")
        try check(reading.diagnostics, bytes)
        return reading.verdict == .valid
    }
}
