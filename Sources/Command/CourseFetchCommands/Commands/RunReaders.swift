import CommandOutput
import Foundation
import Logging
import SyncDisplay
import SyncFacts
import Terminal

/// All requested readers of a run's events: the live view, the plain log and the JSON stream. None of them ever blocks
/// the run.
struct RunReaders: Sendable {
    /// The readers that exist.
    struct Choice: Sendable, Equatable {
        var isLive: Bool
        var isJSON: Bool
        /// Plain lines of results, on standard output.
        var hasResults: Bool
        var isQuiet: Bool

        /// Chooses by the options and the kind of output.
        init(
            progress: Bool?, quiet: Bool, json: Bool, outputIsTerminal: Bool, errorIsTerminal: Bool, canMoveCursor: Bool
        ) {
            isLive = errorIsTerminal && canMoveCursor && (progress ?? !(quiet || json))
            isJSON = json
            isQuiet = quiet
            // The live view already says all of it on the same terminal.
            hasResults = !json && !(isLive && outputIsTerminal)
        }
    }

    private let choice: Choice
    private let output: OutputChannel
    private let zone: TimeZone
    private let screen: TerminalScreen?
    private var log: PlainLog
    /// In a sync of all shards the one that they read of, as `2/4`.
    private let shard: String?

    init(_ choice: Choice, context: CommandContext, shard: String? = nil) {
        self.choice = choice
        self.shard = shard
        output = context.output
        zone = context.zone
        log = PlainLog(
            isQuiet: choice.isQuiet, hidesDiagnostics: choice.isLive, zone: context.zone,
            style: context.style(of: STDERR_FILENO))
        guard choice.isLive else {
            screen = nil
            return
        }
        let view = LiveView(style: context.style(of: STDERR_FILENO), zone: context.zone)
        screen = TerminalScreen(view: view, descriptor: STDERR_FILENO, environment: context.environment)
    }

    /// The terminal, to restore when the process is killed or stopped.
    var terminal: TerminalScreen? { screen }

    /// Begins to draw.
    func start() { screen?.start() }

    mutating func receive(_ event: SyncEvent) {
        let now = Date()
        screen?.receive(event)
        if choice.isJSON {
            let isProgress = if case .progress = event { true } else { false }
            output.send(JSONEvents.line(event, now: now, shard: shard), to: STDOUT_FILENO, isDroppable: isProgress)
        }
        if case .resting(let summary, let until) = event { rest(summary, until: until) }
        guard choice.hasResults || choice.isJSON else { return }
        for line in log.lines(for: event, now: now) {
            switch line.stream {
            case .output: if choice.hasResults { output.line(line.text, to: STDOUT_FILENO) }
            case .diagnostics: output.line(line.text, to: STDERR_FILENO)
            }
        }
    }

    /// The last line of a sync of all shards as JSON.
    func tellEnd(_ summary: SyncSummary) {
        guard choice.isJSON else { return }
        output.send(JSONEvents.line(.finished(summary), now: Date()), to: STDOUT_FILENO)
    }

    /// The sink for a line of the program's own log, above the live view if there is one.
    var logSink: @Sendable (String) -> Void {
        if let screen { return { screen.note($0) } }
        let output = self.output
        return { output.line($0, to: STDERR_FILENO) }
    }

    /// Reports how a pass of a watching run ended, and the time of the next one.
    private func rest(_ summary: SyncSummary, until next: Date) {
        let status = ExitStatus(summary.conditions)
        guard !choice.isJSON, !(choice.isQuiet && (status == .success || SummaryText.endsAsPlanned(summary))) else {
            return
        }
        let time = ClockFormat.local(next, now: Date(), zone: zone)
        let problems = SummaryText.problems(summary)
        let errors = SummaryText.errors(summary, hasLiveView: screen != nil)
        for text in errors + [SummaryText.line(summary)] + problems {
            say(text, isResult: false)
        }
        if !choice.isQuiet { say("watching; next check at \(time), or when a catalog changes", isResult: false) }
    }

    /// Reports how a shard ended, of a sync of all of them; nil if its end is that of the sync.
    func finishShard(_ summary: SyncSummary?) async {
        await screen?.close()
        guard let shard, let summary, !choice.isJSON else { return await output.flush() }
        for text in SummaryText.errors(summary, hasLiveView: screen != nil) { write(text, to: STDERR_FILENO) }
        if !choice.isQuiet, summary.seconds > 0 {
            write(SummaryText.line(summary, of: shard), to: choice.hasResults ? STDOUT_FILENO : STDERR_FILENO)
        }
        await output.flush()
    }

    /// Reports how the run ended, and waits until everything is written.
    ///
    /// - Parameter areErrorsTold: whether its errors were told of shards.
    func finish(_ summary: SyncSummary, areErrorsTold: Bool = false) async {
        await screen?.close()
        let status = ExitStatus(summary.conditions)
        // A night that used up all of its time is no problem, and --quiet was requested.
        guard !(choice.isQuiet && !choice.isJSON && SummaryText.endsAsPlanned(summary)) else {
            return await output.flush()
        }
        if !choice.isJSON, !areErrorsTold {
            for text in SummaryText.errors(summary, hasLiveView: screen != nil) { write(text, to: STDERR_FILENO) }
        }
        let isWorthALine = !choice.isJSON && !(choice.isQuiet && status == .success)
        // A run that never began has no summary.
        if isWorthALine, summary.errors.isEmpty || summary.seconds > 0 {
            let line = SummaryText.line(summary)
            let isResult = choice.hasResults && !choice.isQuiet
            write(line, to: isResult ? STDOUT_FILENO : STDERR_FILENO)
        }
        if !choice.isJSON {
            // An expired login or an old failure needs the user: cron's mail must have it.
            let lines =
                choice.isQuiet
                ? SummaryText.remedies(summary) : SummaryText.advice(summary)
            for line in lines { write(line, to: STDERR_FILENO) }
        }
        await output.flush()
    }

    /// A text of the summary, below the live view in the terminal's lines.
    private func write(_ text: String, to descriptor: Int32) {
        let isBelow = screen != nil && descriptor == STDERR_FILENO
        let lines = isBelow ? SummaryText.wrapped(text, to: TerminalSize.of(descriptor: descriptor).columns) : [text]
        for line in lines { output.line(line, to: descriptor) }
    }

    /// A warning while the run goes on, beside those of its events.
    func warn(_ problem: String) { logSink("warning: " + TerminalFormat.printable(problem)) }

    /// A line while the run goes on, above the live view where there is one.
    private func say(_ text: String, isResult: Bool) {
        if let screen { return screen.note(text) }
        output.line(text, to: isResult && choice.hasResults ? STDOUT_FILENO : STDERR_FILENO)
    }
}
