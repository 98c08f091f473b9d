package import Foundation
package import Operations
package import SyncFacts

/// The output of `path` and `open`.
package enum FilesText {
    /// The line of a file as JSON, its line break included.
    ///
    /// - Parameter showsStream: whether the line says which view it is.
    package static func json(_ item: FinishedFiles.Item, showsStream: Bool = false) -> [UInt8] {
        var line = JSONLine()
        JSONEvents.whole(&line, item.reference)
        line.field("path", item.path)
        line.field("bytes", item.size)
        line.field("sha256", item.sha256)
        if showsStream { line.field("stream", item.stream) }
        return line.finished()
    }

    /// What `open` has opened, as JSON.
    package static func opened(_ target: FinishedFiles.Target, program: String, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("file_opened", at: now)
        switch target {
        case .file(let item): JSONEvents.whole(&line, item.reference)
        case .page(let course, _):
            line.field("course", course)
            line.field("chapter", String?.none)
            line.field("video", String?.none)
            line.field("title", String?.none)
            line.field("selector", Selector(course: course).description)
        }
        line.field("path", target.path)
        line.field("program", program)
        return line.finished()
    }

    /// The path and its terminator: a line break, or NUL.
    package static func path(_ item: FinishedFiles.Item, endsWithNUL: Bool) -> [UInt8] {
        Array(item.path.utf8) + [endsWithNUL ? 0 : UInt8(ascii: "\n")]
    }

    /// The reason why there is nothing to print or open; nil if there is something.
    package static func nothing(_ files: FinishedFiles, _ selectors: [Selector]) -> String? {
        guard files.count == 0 else { return nil }
        if let missing = missing(files) { return missing }
        let names = selectors.map { ShellWord.quoted($0.description) }.joined(separator: " ")
        let see = "see: " + SuggestedCommand.text("status" + (names.isEmpty ? "" : " \(names)"))
        switch files.unfinished {
        case 0: return "there are no videos yet; fetch some with: \(SuggestedCommand.text("sync CATALOG"))"
        case 1 where selectors.count == 1: return "\(selectors[0]) isn't finished; \(see)"
        default: return "none of \(files.unfinished) videos is finished; \(see)"
        }
    }

    /// The message about missing files; nil if all exist.
    package static func missing(_ files: FinishedFiles) -> String? {
        guard let first = files.firstMissing else { return nil }
        let what = files.missing == 1 ? "a file is missing:" : "\(files.missing) files are missing, such as"
        return "\(what) \(first.path); to see what a sync would do: \(SuggestedCommand.text("sync --dry-run"))"
    }

    /// The message when several files match and none can be chosen.
    package static func ambiguous(_ files: FinishedFiles) -> String {
        let example = files.first.map { Selector($0.reference).description } ?? ""
        return
            """
            \(files.count) finished videos are selected; name one, such as: \
            \(SuggestedCommand.text("open \(ShellWord.quoted(example))")). A course has a page to open after: \
            \(SuggestedCommand.text("sync --write-index"))
            """
    }
}
