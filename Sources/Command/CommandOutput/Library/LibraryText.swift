package import Foundation
package import Operations
import Terminal

/// Messages of the commands that change what the state knows of files and catalogs.
package enum LibraryText {
    /// The result of `library move` or `library adopt`, as JSON.
    package static func json(_ change: LibraryChange, _ command: String, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("library_changed", at: now)
        line.field("command", command)
        line.field("library", change.library)
        line.field("previous", change.previous)
        line.field("finished", change.files)
        line.field("overruled_by", change.setting)
        if let (videos, leftOut) = change.rebuilt {
            line.field("rebuilt", videos)
            line.field("left_out", leftOut)
        }
        return line.finished()
    }

    /// The result of `forget`, as JSON.
    package static func json(_ catalog: ForgottenCatalog, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("catalog_forgotten", at: now)
        line.field("file", catalog.file)
        line.field("courses", catalog.courses)
        line.field("downloads", catalog.downloads)
        return line.finished()
    }

    package static func moved(_ change: LibraryChange) -> String {
        let before = change.previous.map { " (was \($0))" } ?? ""
        return TerminalFormat.printable(
            "the library is now at \(change.library)\(before), with \(Wording.count(change.files, "finished video"))")
    }

    /// The result of `reshard`, as JSON.
    package static func json(_ done: Resharding, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("library_resharded", at: now)
        line.field("library", done.library)
        line.field("shards_before", done.from)
        line.field("shards", done.to)
        if done.dividesVideos { line.field("shard_by", "video") }
        if !done.isUnchanged {
            line.field("courses", done.courses)
            line.field("videos", done.videos)
            line.field("partials", done.partials)
        }
        return line.finished()
    }

    package static func resharded(_ done: Resharding) -> String {
        let shards = Wording.count(done.to, "shard")
        guard !done.isUnchanged else { return TerminalFormat.printable("\(done.library) has \(shards) already") }
        let before = done.from.map { "\($0)" } ?? "one state without shards"
        let partials =
            done.partials == 0 ? "" : "; the bytes of \(Wording.count(done.partials, "incomplete video")) are kept"
        return TerminalFormat.printable(
            """
            \(done.library) now has \(shards) (was \(before)), with \(Wording.count(done.courses, "course")) and \
            \(Wording.count(done.videos, "video"))\(partials). Sync with \
            \(done.dividesVideos ? "--shard-by video, and " : "")--shard I/\(done.to) or --all-shards
            """)
    }

    /// The message if a setting overrides the new location in the next sync; nil if none does. `origin` is where that
    /// setting is.
    package static func overruled(_ change: LibraryChange, origin: String) -> String? {
        guard let setting = change.setting else { return nil }
        return TerminalFormat.printable(
            """
            warning: \(origin) sets the library to \(setting), and the next sync will use that; change it to \
            \(change.library), or remove it
            """)
    }

    package static func adopted(_ change: LibraryChange) -> String {
        let before = change.previous.map { "; it belonged to \($0)" } ?? ""
        var again = ""
        if let (videos, leftOut) = change.rebuilt {
            again = "; \(Wording.count(videos, "video")) \(videos == 1 ? "is" : "are") known again"
            if leftOut > 0 {
                again += ", \(Wording.count(leftOut, "line")) of its list \(leftOut == 1 ? "was" : "were") skipped"
            }
        }
        return TerminalFormat.printable(
            "\(change.library) is now the library, with \(Wording.count(change.files, "known video"))\(again)\(before)")
    }

    package static func forgotten(_ catalog: ForgottenCatalog) -> String {
        guard !catalog.courses.isEmpty else { return TerminalFormat.printable("no course came from \(catalog.file)") }
        let courses = Wording.count(catalog.courses.count, "course")
        return TerminalFormat.printable(
            """
            forgot \(catalog.file): \(courses) with \(Wording.count(catalog.downloads, "video")) \
            (\(Wording.list(catalog.courses)))\(catalog.files > 0 ? "; the files stay until a sync with --prune" : "")
            """)
    }
}
