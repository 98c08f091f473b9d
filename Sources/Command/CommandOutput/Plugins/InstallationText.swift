package import Operations
import ProviderConformance
import Terminal

/// What `plugins install` and `plugins remove` have done.
package enum InstallationText {
    /// The installed plugin, and the result of its checks.
    package static func lines(_ installed: PluginInstallation.Installed) -> [String] {
        var line = "installed \(installed.name)\(installed.version.map { " \($0)" } ?? "") in \(installed.folder)"
        if installed.isReplacement { line += ", in the place of \(installed.replaced ?? "another one")" }
        guard let report = installed.report else { return [TerminalFormat.printable(line + "; it wasn't checked")] }
        let (passed, _, skipped) = report.counts
        return [TerminalFormat.printable("\(line); \(passed) checks ok, \(skipped) skipped")]
    }

    package static func removed(_ folder: String) -> String { TerminalFormat.printable("removed \(folder)") }
}
