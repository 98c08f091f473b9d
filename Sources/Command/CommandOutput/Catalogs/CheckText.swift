package import Foundation
package import RunAccess
package import YAMLSource

/// The output of `check`, apart from diagnostics.
package enum CheckText {
    package static func json(_ diagnostic: Diagnostic, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("mistake", at: now)
        line.field("severity", diagnostic.severity == .error ? "error" : "warning")
        line.field("file", diagnostic.file)
        line.field("line", diagnostic.line > 0 ? diagnostic.line : nil)
        line.field("column", diagnostic.line > 0 ? diagnostic.column : nil)
        line.field("message", diagnostic.summary)
        return line.finished()
    }

    /// The last line, as JSON.
    package static func json(_ report: CheckReport, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("check_finished", at: now)
        line.field("exit", Int(ExitStatus(report.conditions).rawValue))
        line.field("errors", report.diagnostics.count { $0.severity == .error } + report.omitted)
        line.field("warnings", report.diagnostics.count { $0.severity == .warning })
        line.field("files", report.files)
        line.field("courses", report.courses)
        line.field("videos", report.videos)
        return line.finished()
    }

    /// The last line: `14 videos in 2 courses, no mistakes`.
    package static func summary(_ report: CheckReport) -> String {
        let errors = report.diagnostics.count { $0.severity == .error } + report.omitted
        let warnings = report.diagnostics.count { $0.severity == .warning }
        var found: [String] = []
        if errors > 0 { found.append(Wording.count(errors, "error")) }
        if warnings > 0 { found.append(Wording.count(warnings, "warning")) }
        let mistakes = found.isEmpty ? "no mistakes" : Wording.list(found)
        let hidden = report.omitted > 0 ? " (\(Wording.grouped(report.omitted)) not shown)" : ""
        guard errors == 0 else { return mistakes + hidden }
        let files = report.files > 1 ? " in \(Wording.count(report.files, "file"))" : ""
        let sources = report.sources.isEmpty ? "" : ", and the courses of \(Wording.list(report.sources))"
        return
            """
            \(Wording.count(report.videos, "video")) in \(Wording.count(report.courses, "course"))\(sources)\(files), \
            \(mistakes)
            """
    }
}
