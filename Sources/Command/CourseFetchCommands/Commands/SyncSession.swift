import ArgumentParser
import CommandOutput
import CourseCatalog
import DownloadRunner
import DownloadStore
import Foundation
import Logging
import Operations
import RunAccess
import SyncDisplay
import SyncFacts
import Terminal

/// Connects a run with its readers and with signals.
struct SyncSession {
    let settings: SyncSettings
    let catalogs: [String]
    let context: CommandContext

    /// Runs the sync to its end.
    func run() async -> ExitStatus {
        var readers = self.readers
        let run = SyncRun(
            settings.options(catalogs: catalogs, onTerminal: Self.isOnTerminal), logger: logger(readers),
            wording: \.message)
        var notices = self.notices(readers)
        let messenger = notices.messenger
        var started = Date()
        var isNextPass = false
        let terminal = readers.terminal
        let command = settings.onFinish.value.map { FinishCommand($0) }
        let abort: @Sendable () -> Void = {
            command?.kill()
            terminal?.restore()
            DescriptorWriter.write(Array("aborted\n".utf8), to: STDERR_FILENO)
            _exit(ExitStatus.interruptedTwice.rawValue)
        }
        let stop: @Sendable () -> Void = {
            run.stop(.signal)
            messenger.hurry()
            command?.stop()
        }
        let signals = SignalWatch(stop: stop, abort: abort, pause: Self.pause(terminal))
        readers.start()
        notices.begin()
        // Before the run begins, so that readers get its first events.
        let events = run.events
        async let ending = run.run()
        for await event in events {
            readers.receive(event)
            notices.receive(event)
            switch event {
            case .resting(let summary, _):
                let facts = report(summary, started: started)
                let problems = runEnding(nil).write(facts) + notices.takeWarnings()
                for problem in problems { readers.warn(problem) }
                notices.end(facts)
                isNextPass = true
            case .started where isNextPass:
                started = Date()
                notices.begin()
            default: break
            }
        }
        let summary = await ending
        await readers.finish(summary)
        await conclude(runEnding(command), report(summary, started: started), &notices)
        withExtendedLifetime(signals) {}
        return ExitStatus(summary.conditions)
    }

    /// Writes the files of a run's end and tells of it; then runs the user's command, once the lock is released and the
    /// terminal restored.
    func conclude(_ ending: RunEnding, _ facts: RunReport, _ notices: inout RunNotices) async {
        warn(ending.write(facts))
        notices.end(facts)
        warn(await notices.finish())
        warn(await ending.runCommand(facts))
        await context.output.flush()
    }

    /// The error to throw for a sync that can't begin with these settings; those who want to know of failures are told.
    func refuse(_ message: String) async -> ExitCode {
        let code = await context.refuse(.usage, message)
        if !settings.dryRun.value {
            var notices = self.notices(readers)
            notices.end(report(SyncSummary(.input(message)), started: Date()), isRefused: true)
            warn(await notices.finish())
            await context.output.flush()
        }
        return code
    }

    func report(_ summary: SyncSummary, started: Date) -> RunReport {
        RunReport(
            user: settings.shardLocation.userName, catalogs: SyncOptions(catalogs: catalogs).shownCatalogs,
            started: started, ended: Date(), summary: summary)
    }

    func runEnding(_ command: FinishCommand?) -> RunEnding {
        RunEnding(
            report: settings.report.value, metrics: settings.metricsFile.value, command: command,
            shard: settings.chosenShard?.text)
    }

    func notices(_ readers: RunReaders) -> RunNotices {
        let logger = logger(readers)
        let messenger = RunMessenger(settings.hooks, caFile: settings.caFile.value) { line in
            logger.info("hook: \(line)")
        }
        return RunNotices(
            settings.hooks, shard: settings.chosenShard?.text, zone: context.zone, messenger: messenger)
    }

    private func warn(_ problems: [String]) {
        for problem in problems { context.complain("warning: " + TerminalFormat.printable(problem)) }
    }

    /// Whether a user can see the result.
    static var isOnTerminal: Bool { isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 }

    /// Reports what a sync would do.
    func dryRun() async -> ExitStatus {
        let options = settings.options(catalogs: catalogs, onTerminal: Self.isOnTerminal)
        let plan = await DryRun(options, logger: logger(readers)).plan()
        return await tell([(nil, plan)], plan.summary)
    }

    /// Reports plans, each of a shard unless there is only one, and the summary of all.
    func tell(_ plans: [(shard: String?, plan: DryRunPlan)], _ summary: SyncSummary) async -> ExitStatus {
        let isJSON = settings.json.value
        let now = Date()
        // Warnings are reported as in a sync.
        var readers = RunReaders(
            RunReaders.Choice(
                progress: false, quiet: settings.quiet.value, json: isJSON, outputIsTerminal: false,
                errorIsTerminal: false, canMoveCursor: false), context: context)
        var whole = DryRunPlan()
        whole.summary = summary
        for (shard, plan) in plans {
            whole.items += plan.items
            whole.unasked += plan.unasked
            for warning in plan.warnings where !whole.warnings.contains(warning) {
                whole.warnings.append(warning)
                readers.receive(.warning(warning, nil))
            }
            for item in plan.items {
                if isJSON {
                    let line = DryRunText.json(item, now: now, zone: context.zone, shard: shard)
                    context.output.send(line, to: STDOUT_FILENO)
                } else {
                    context.say(DryRunText.line(item, now: now, zone: context.zone))
                }
            }
            if let pruning = plan.pruning { readers.receive(.warning(.prune(pruning), nil)) }
        }
        if isJSON {
            context.output.send(JSONEvents.line(.finished(summary), now: now), to: STDOUT_FILENO)
        } else {
            for text in SummaryText.errors(summary.errors) { context.complain(text) }
            if summary.errors.isEmpty, !settings.quiet.value {
                context.say(DryRunText.summary(whole))
                if let unknown = DryRunText.unknown(whole) { context.say(unknown) }
            }
            let advice = settings.quiet.value ? SummaryText.remedies(summary) : SummaryText.advice(summary)
            for text in advice { context.complain(text) }
        }
        await context.output.flush()
        return ExitStatus(summary.conditions)
    }

    /// The handler of Ctrl-Z if there is a live view to remove first.
    static func pause(_ terminal: TerminalScreen?) -> (@Sendable () -> Void)? {
        guard let terminal else { return nil }
        return { terminal.step { kill(getpid(), SIGSTOP) } }
    }

    private var readers: RunReaders { readers(ofShard: nil) }

    func readers(ofShard shard: String?) -> RunReaders {
        RunReaders(
            RunReaders.Choice(
                progress: settings.progress.value, quiet: settings.quiet.value, json: settings.json.value,
                outputIsTerminal: isatty(STDOUT_FILENO) == 1, errorIsTerminal: isatty(STDERR_FILENO) == 1,
                canMoveCursor: TerminalStyle.canMoveCursor(environment: context.environment)),
            context: context, shard: shard)
    }

    func logger(_ readers: RunReaders) -> Logger {
        let level = settings.logLevel
        let sink = readers.logSink
        return Logger(label: "coursefetch") { _ in LineLogHandler(level: level, sink: sink) }
    }
}
