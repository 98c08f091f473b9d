import CommandOutput
import FileSystem
import SystemPackage

/// The steps after the end of a run: the report is written, then the user's command runs. Failures are reported, and
/// have no other effect.
struct RunEnding: Sendable {
    /// The path of the report; nil for none.
    let report: String?
    /// The command; nil for none.
    let command: FinishCommand?

    /// Does both; returns failures as warnings, without `warning: `.
    func carryOut(_ facts: RunReport) async -> [String] {
        guard report != nil || command != nil else { return [] }
        let bytes = facts.json
        var problems: [String] = []
        if let report {
            do throws(Errno) {
                try AtomicFileWriter.write(bytes, to: report)
            } catch {
                problems.append("can't write the report to \(report): \(error)")
            }
        }
        if let command, let problem = await command.run(input: bytes) { problems.append(problem) }
        return problems
    }
}
