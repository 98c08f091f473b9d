import CommandOutput
import FileSystem
import SystemPackage

/// What follows the end of a run: the report is written, then the person's command runs. What goes wrong in it is told,
/// and changes nothing else.
struct RunEnding: Sendable {
    /// Where the report goes; nil for nowhere.
    let report: String?
    /// What runs then; nil for nothing.
    let command: FinishCommand?

    /// Does both; returns what went wrong, as warnings without their `warning: `.
    func carryOut(_ facts: RunReport) async -> [String] {
        guard report != nil || command != nil else { return [] }
        let bytes = facts.json
        var problems: [String] = []
        if let report {
            do throws(Errno) {
                try WholeFile.write(bytes, to: report)
            } catch {
                problems.append("can't write the report to \(report): \(error)")
            }
        }
        if let command, let problem = await command.run(input: bytes) { problems.append(problem) }
        return problems
    }
}
