package import Foundation
package import Operations
import SyncFacts
import Terminal

/// The output of `add`.
package enum AdditionText {
    /// What was found, what became of it, and the next step.
    ///
    /// - Parameter isNamed: whether the settings name the catalog, so that a sync needs no argument.
    package static func lines(_ added: AddedCourse, isTrial: Bool, isNamed: Bool) -> [String] {
        let course = Selector(course: added.course)
        let count = Wording.count(added.videos, "video")
        var lines = ["found by \(added.provider): \(added.title), \(count)"]
        if added.isThere {
            lines.append("\(added.file) has it already: \(course)")
        } else if isTrial {
            lines += ["would add to \(added.file):"] + added.text.split(separator: "\n").map(String.init)
        } else {
            lines.append("added to \(added.file): \(course)")
        }
        let catalog = isNamed ? "" : " \(ShellWord.quoted(added.file))"
        let only = ShellWord.quoted(course.description)
        if !isTrial { lines.append("next: \(SuggestedCommand.text("sync\(catalog) --only \(only)"))") }
        return lines.map(TerminalFormat.printable)
    }

    /// The same, as JSON.
    package static func json(_ added: AddedCourse, isTrial: Bool, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("course_added", at: now)
        line.field("catalog", added.file)
        line.field("course", added.course)
        line.field("title", added.title)
        line.field("provider", added.provider)
        line.field("videos", added.videos)
        line.field("result", added.isThere ? "same" : isTrial ? "would_add" : "added")
        return line.finished()
    }
}
