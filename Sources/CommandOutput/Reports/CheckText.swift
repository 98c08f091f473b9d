package import DownloadRunner
import YAMLSource

/// What `check` prints beside the diagnostics.
package enum CheckText {
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
        return
            "\(Wording.count(report.videos, "video")) in \(Wording.count(report.courses, "course"))\(files), \(mistakes)"
    }
}
