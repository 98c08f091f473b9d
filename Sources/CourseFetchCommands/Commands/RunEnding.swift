import Foundation
import Subprocess
import SystemPackage

/// What follows the end of a run: the report is written, then the person's command runs. What goes wrong in it is told,
/// and changes nothing else.
struct RunEnding: Sendable {
    /// How long the command may take.
    static let patience = Duration.seconds(300)

    /// Where the report goes; nil for nowhere.
    let report: String?
    /// What to run with `/bin/sh -c`; nil for nothing.
    let command: String?
    /// How long it may take.
    var patience = RunEnding.patience

    /// Does both; returns what went wrong, as warnings without their `warning: `.
    func carryOut(_ facts: RunReport) async -> [String] {
        guard report != nil || command != nil else { return [] }
        let bytes = facts.json
        var problems: [String] = []
        if let report {
            do throws(Errno) {
                try WholeFile.write(bytes, to: report)
            } catch {
                problems.append("the report can't be written to \(report): \(error)")
            }
        }
        if let command, let problem = await run(command, input: bytes) { problems.append(problem) }
        return problems
    }

    /// Its standard output goes where its standard error goes, to ours: standard output is for results and events.
    private func run(_ command: String, input: [UInt8]) async -> String? {
        var options = PlatformOptions()
        // A group of its own, so that its time limit ends all that it has started.
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))
        ]
        let configuration = Configuration(
            executable: .path("/bin/sh"), arguments: ["-c", command], platformOptions: options)
        let process = Task {
            try await Subprocess.run(
                configuration, input: .inputWriter,
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in
                // It need not read any of it.
                _ = try? await execution.standardInputWriter.write(input)
                try? await execution.standardInputWriter.finish()
            }.terminationStatus
        }
        let patience = patience
        let limit = Task {
            try await Task.sleep(for: patience)
            process.cancel()
        }
        let ending = await process.result
        limit.cancel()
        guard !process.isCancelled else { return "the command of --on-finish took too long, and was ended" }
        switch ending {
        case .success(.exited(0)): return nil
        case .success(.exited(let code)): return "the command of --on-finish ended with exit code \(code)"
        case .success(.signaled(let signal)): return "the command of --on-finish was ended by signal \(signal)"
        case .failure(let error): return "the command of --on-finish couldn't be run: \(error)"
        }
    }
}
