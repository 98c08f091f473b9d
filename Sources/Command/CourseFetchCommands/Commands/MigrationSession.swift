import CommandOutput
import Foundation
import Migration
import SyncFacts
import Synchronization
import Terminal

/// Connects a migration with its readers and with signals.
struct MigrationSession {
    let options: MigrationOptions
    /// The command line, from `migrate` on.
    let command: [String]
    let isJSON: Bool
    let context: CommandContext

    /// Runs it to its end, and prints what became of it.
    func run() async throws -> ExitStatus {
        let progress = RedrawnLines(descriptor: STDERR_FILENO, environment: context.environment)
        let text = Mutex(
            MigrationText(
                source: options.source, command: command, isDryRun: options.isDryRun,
                style: context.style(of: STDOUT_FILENO)))
        let lines = Mutex<[String]>([])
        let meter = Mutex(MigrationProgressText())
        let (options, isJSON, context) = (options, isJSON, context)
        let work = Task {
            let run = MigrationRun(options) { event in
                let now = Date()
                switch event {
                case .waiting(let holder):
                    let until = now.addingTimeInterval(options.sync.wait / .seconds(1))
                    progress.clear()
                    context.complain(
                        MigrationText.waiting(
                            holder, until: until, now: now, zone: context.zone,
                            style: context.style(of: STDERR_FILENO)))
                case .record(let record):
                    let line = text.withLock { $0.line(record) }
                    if isJSON {
                        context.output.send(MigrationJSON.line(record, now: now), to: STDOUT_FILENO)
                    } else if let line, options.isDryRun {
                        context.say(line)
                    } else if let line {
                        // At the end, below the progress: there are few for each reason.
                        lines.withLock { $0.append(line) }
                    }
                case .progress(let state):
                    // A trial prints its lines at once, where the progress would be.
                    guard !options.isDryRun else { return }
                    progress.show { size in
                        [meter.withLock { $0.line(state, columns: size.columns, now: now) }]
                    }
                }
            }
            return await run.run()
        }
        let abort: @Sendable () -> Void = {
            progress.clear()
            _exit(ExitStatus.interruptedTwice.rawValue)
        }
        let signals = SignalWatch(stop: { work.cancel() }, abort: abort, pause: progress.pause)
        let summary = await work.value
        progress.clear()
        withExtendedLifetime(signals) {}
        let problem = summary.problem.map { [$0.condition] } ?? []
        let status = ExitStatus(summary.conditions.isEmpty ? Set(problem) : summary.conditions)
        if isJSON {
            context.output.send(MigrationJSON.summary(summary, exit: status, now: Date()), to: STDOUT_FILENO)
        } else {
            tell(summary, status: status, lines: lines.withLock(\.self), text: text.withLock(\.self))
        }
        try await context.finish()
        return status
    }

    private func tell(_ summary: MigrationSummary, status: ExitStatus, lines: [String], text: MigrationText) {
        lines.forEach(context.say)
        text.summary(summary).forEach(context.say)
        MigrationText.problem(summary).forEach(context.complain)
        guard summary.problem == nil else { return }
        let last = text.last(summary, exit: status)
        if status == .success { context.say(last) } else { context.complain(last) }
    }
}
