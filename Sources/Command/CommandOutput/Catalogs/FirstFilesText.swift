package import Foundation
package import Operations
import Terminal

/// The first catalog and settings written by `init`, and its messages.
package enum FirstFilesText {
    package static func catalog(_ first: FirstCatalog) -> String {
        if let found = first.found {
            return """
                # What to download: a course for each address. To add another: coursefetch add ADDRESS
                version: 1
                courses:
                \(found.text)
                """
        }
        var lines = [
            "# What to download: courses, chapters, videos. Look for mistakes with: coursefetch check",
            "version: 1",
            "courses:",
            "  - id: \(first.course)",
            "    title: \(quoted(first.title))",
            "    provider: \(first.provider)",
        ]
        if let address = first.address {
            lines += [
                "    parameters:",
                "      # {id} is replaced by each video's id.",
                "      url: \(quoted(address))",
            ]
        } else {
            lines.append("    # What the provider needs stands under parameters: see its manual.")
        }
        lines += [
            "    videos:",
            "      - id: \(quoted(first.video))",
            "      # One line for each further video; the title becomes its file's name.",
            "      # - {id: lecture2, title: Acceleration}",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The settings, which name the catalog; the library only if it isn't the default one.
    package static func settings(catalog: String, library: String?) -> String {
        let place =
            library.map { "library: \(quoted($0))" }
            ?? "# Where the videos go, if not to ~/coursefetch/NAME:\n# library: /media/videos"
        return """
            # Each long option of sync can stand here under its own name. See the settings in effect with: coursefetch \
            doctor
            catalogs: [\(quoted(catalog))]
            \(place)
            # jobs: 3
            # bwlimit: 10M

            """
    }

    /// The created files, and the next steps.
    package static func made(_ first: FirstCatalog, catalog: String, settings: String) -> [String] {
        let isComplete = first.address != nil || first.found != nil
        let videos = first.found.map { Wording.count($0.videos, "video") } ?? "one video so far"
        return [
            "made \(catalog): \(first.title), with \(videos)",
            "made \(settings): it names this catalog, so that sync, check and resolve need no argument",
            isComplete
                ? "next: coursefetch sync --dry-run, then coursefetch sync"
                : "next: write the videos into the catalog, then: coursefetch check",
        ].map { TerminalFormat.printable($0) }
    }

    /// What was made, as JSON.
    package static func json(_ first: FirstCatalog, catalog: String, settings: String, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("files_made", at: now)
        line.field("catalog", catalog)
        line.field("settings", settings)
        line.field("course", first.course)
        line.field("provider", first.provider)
        return line.finished()
    }

    /// The questions, in their order.
    package static func question(_ question: Question, standard: String) -> String {
        switch question {
        case .title: "Title of the course [\(standard)]: "
        case .source: "Address of a folder, feed, playlist or video (http://… or https://…), or a provider's name: "
        case .library: "Folder for the videos [\(standard)]: "
        }
    }

    package enum Question: Sendable {
        case title, source, library
    }

    /// A double-quoted string of YAML, which is also one of JSON.
    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
