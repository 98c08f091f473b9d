import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import RunAccess
import SyncFacts
import Terminal

/// A command that changes downloads: selects them, asks the holder of the lock, and reports each result.
struct SteeringSession {
    let picks: SelectionOptions
    let place: ShardLocationOptions
    let all: AllShardsOption
    let json: Bool

    /// Pauses, resumes, cancels, retries or removes; `confirm` can refuse before anything changes.
    ///
    /// - Parameter startsSync: whether a sync is started afterwards if none is running.
    @discardableResult
    func steer(
        _ transition: StateTransition, startsSync: Bool = false,
        confirm: (SteeringChoice, CommandContext) async throws -> Bool = { _, _ in true }
    ) async throws -> SteeringReport {
        let context = CommandContext()
        let choice = try await choose(transition.rawValue, context, countsSidecars: transition == .retry)
        guard try await confirm(choice, context) else { throw await context.exit(.failures) }
        let report = try await context.orRefuse { () throws(Refusal) in try await choice.steer(transition) }
        try await tell(
            SteeringText.lines(report, transition, startsSync: startsSync),
            failures: SteeringText.failures(report, transition),
            of: report, command: transition.rawValue, in: context, startsSync: startsSync)
        return report
    }

    /// Gives another priority.
    func prioritize(_ newPriority: PriorityChange) async throws {
        let context = CommandContext()
        let choice = try await choose("prioritize", context)
        let report = try await context.orRefuse { () throws(Refusal) in try await choice.prioritize(newPriority) }
        try await tell(
            SteeringText.lines(report, newPriority), failures: SteeringText.failures(report, nil), of: report,
            command: "prioritize", in: context)
    }

    private func choose(
        _ command: String, _ context: CommandContext, countsSidecars: Bool = false
    ) async throws -> SteeringChoice {
        let settings = try await context.settings(place.texts)
        let location = try settings.location(of: all)
        guard let selection = picks.selection else {
            throw await context.refuse(
                .usage, "select videos: \(SelectorSyntax.forms), or --all, --failed, --paused …")
        }
        return try await context.orRefuse { () throws(Refusal) in
            try await SteeringChoice.choose(
                selection, at: location, countsSidecars: countsSidecars,
                takesGone: ["cancel", "remove"].contains(command))
        }
    }

    private func tell(
        _ lines: [SteeringText.Line], failures: [SteeringReport.Item], of report: SteeringReport, command: String,
        in context: CommandContext, startsSync: Bool = false
    ) async throws {
        if json {
            let now = Date()
            let status = status(of: report, failures)
            for item in report.items {
                let line = SteeringText.json(
                    item, command, StateTransition(rawValue: command), isLive: report.isLive, now: now)
                context.output.send(line, to: STDOUT_FILENO)
            }
            context.output.send(SteeringText.json(report, command, exit: status, now: now), to: STDOUT_FILENO)
        }
        let isIdle = startsSync && report.items.isEmpty
        for line in lines where !json && !isIdle {
            if line.isComplaint { context.complain(line.text) } else { context.say(line.text) }
        }
        for refusal in report.refusals { context.complain(refusal.message) }
        try await context.finish()
        let status = status(of: report, failures)
        if status != .success { throw await context.exit(status) }
    }

    private func status(of report: SteeringReport, _ failures: [SteeringReport.Item]) -> ExitStatus {
        ExitStatus(Set(report.refusals.map(\.condition)).union(failures.isEmpty ? [] : [.downloadsFailed]))
    }
}

extension CommandContext {
    /// Asks on the terminal; anything but yes means no.
    func confirm(_ question: String) -> Bool {
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// The answer to a question, without surrounding blanks; nil at the end of the input.
    func ask(_ question: String) -> String? {
        FileHandle.standardError.write(Data(question.utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }
}
