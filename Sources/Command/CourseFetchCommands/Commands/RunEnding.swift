import CommandOutput
import FileSystem
import SystemPackage

/// The report that a run leaves at its end, and the user's command that follows. Failures are reported, and have no
/// other effect.
struct RunEnding: Sendable {
    /// The path of the report; nil for none.
    let report: String?
    /// The command; nil for none.
    let command: FinishCommand?

    init(report: String? = nil, command: FinishCommand? = nil) {
        self.report = report
        self.command = command
    }

    /// Writes the report; returns failures as warnings, without `warning: `.
    func write(_ facts: RunReport) -> [String] {
        var problems: [String] = []
        if let report {
            do throws(Errno) {
                try AtomicFileWriter.write(facts.json, to: report)
            } catch {
                problems.append("can't write the report to \(report): \(error)")
            }
        }
        return problems
    }

    /// Runs the command; returns its failure as a warning.
    func runCommand(_ facts: RunReport) async -> [String] {
        await command?.run(input: facts.json).map { [$0] } ?? []
    }
}
