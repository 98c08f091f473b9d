import CommandOutput
package import Foundation
package import SyncFacts
package import Terminal

/// A sync as plain lines, for cron and files: one line for each download that finished or failed, and a summary.
package struct PlainLog: Sendable {
    /// The destination of a line.
    package enum Stream: Sendable, Equatable {
        case output, diagnostics
    }

    /// A line and its destination.
    package struct Line: Sendable, Equatable {
        /// Its destination.
        package var stream: Stream
        /// Without its line break.
        package var text: String

        package init(_ stream: Stream, _ text: String) {
            self.stream = stream
            self.text = text
        }
    }

    /// With `--quiet`: only failures.
    private let isQuiet: Bool
    /// Whether the live view reports failures instead.
    private let hidesDiagnostics: Bool
    private let zone: TimeZone
    private let style: TerminalStyle
    private var explainer: Explainer
    private var groups = FailureGroups()
    /// Lines about failures in this run.
    private var failures = 0
    /// More of them aren't written: a host that has lost its files would fill a night's mail.
    private static let mostFailures = 100
    private var waits: Set<String> = []

    /// `user` is the given name, if any: commands to paste contain it. `style` is for diagnostics.
    package init(
        isQuiet: Bool, hidesDiagnostics: Bool = false, zone: TimeZone,
        style: TerminalStyle = TerminalStyle(hasColor: false, hasUnicode: true)
    ) {
        self.style = style
        explainer = Explainer(catalogs: [])
        self.isQuiet = isQuiet
        self.hidesDiagnostics = hidesDiagnostics
        self.zone = zone
    }

    /// The lines for an event. ``SummaryText`` writes the summary.
    package mutating func lines(for event: SyncEvent, now: Date) -> [Line] {
        let isOver =
            switch event {
            case .finished, .resting: true
            default: false
            }
        let news = news(event, now)
        var held: [Line] = []
        for group in groups.due(at: now, isOver: isOver) {
            held += failed(
                explainer.failure(
                    of: group.reference, group.error, retryAt: group.retryAt, count: group.count, now: now, zone: zone))
        }
        return held + news
    }

    private mutating func news(_ event: SyncEvent, _ now: Date) -> [Line] {
        switch event {
        case .lockWaiting(let holder, let until):
            guard !isQuiet else { return [] }
            return diagnostic("waiting", Wording.lockWaiting(holder, until: until, now: now, zone: zone), .notice)
        case .started(let start):
            explainer.catalogs = start.catalogs
            failures = 0
            return []
        case .courseListed(let listed): return Wording.listed(listed).map(output) ?? []
        case .coursesListed(let listed): return output(Wording.listed(listed))
        case .downloadFinished(_, let file):
            return output("finished  \(file.path) (\(Wording.size(file.bytes)) in \(Wording.duration(file.seconds)))")
        case .downloadFailed(let reference, let error, let retryAt):
            if groups.take(reference, error, retryAt: retryAt, at: now) { return [] }
            return failed(explainer.failure(of: reference, error, retryAt: retryAt, now: now, zone: zone))
        case .downloadMoved(_, let from, let path): return output("moved     \(from) -> \(path)")
        case .downloadJoined(_, let file): return output("joined    \(file.path) (\(Wording.size(file.bytes)))")
        case .downloadRemoved(let reference): return output("removed   \(Explainer.name(reference))")
        case .downloadGone(let reference, let path):
            return output("gone      \(Explainer.name(reference)): \(Wording.gone(path: path))")
        case .warning(.doubtful(let diagnostic), _):
            guard !isQuiet, !hidesDiagnostics else { return [] }
            return TerminalFormat.printableLines(SyncWarning.doubtful(diagnostic).message).map {
                Line(.diagnostics, $0)
            }
        case .warning(let warning, let reference):
            guard !isQuiet || warning.isFailure || warning.isNews else { return [] }
            let name = reference.map { "\(Explainer.name($0)): " } ?? ""
            guard isQuiet, warning.isFailure else { return diagnostic("warning:", name + warning.message, .notice) }
            return diagnostic("failed", name + warning.message, .bad)
        case .providerWaiting(let name, let until, let kind, let server),
            .hostWaiting(let name, let until, let kind, let server):
            return waiting(Wording.server(name, server), until: until, kind: kind, now: now)
        case .resumeWaiting(let until):
            // Also with --quiet: nothing else says why the run doesn't end.
            return diagnostic(
                "waiting", Wording.resumeWaiting(until: until, now: now, zone: zone), .notice)
        // It is among the errors of the summary.
        case .courseHeld: return []
        case .downloadsAdded, .resolved, .downloadStarted, .progress, .downloadRetrying, .downloadSuspended,
            .downloadPaused,
            .downloadCancelled, .downloadWaiting, .resting, .finished:
            return []
        }
    }

    /// Once for each of them: only the first wait for a host is reported.
    private mutating func waiting(_ name: String, until: Date, kind: String, now: Date) -> [Line] {
        guard !isQuiet, waits.insert(name).inserted else { return [] }
        return diagnostic("waiting", Wording.waiting(name, kind, until: until, now: now, zone: zone), .notice)
    }

    private mutating func failed(_ explanation: Explanation) -> [Line] {
        failures += 1
        guard failures <= Self.mostFailures else {
            guard failures == Self.mostFailures + 1 else { return [] }
            let all = SuggestedCommand.text("status --failed")
            return diagnostic("failed", "more videos, which aren't listed here; for all of them: \(all)", .bad)
        }
        return diagnostic("failed", explanation.problem + (explanation.advice.map { "; \($0)" } ?? ""), .bad)
    }

    private func output(_ text: String) -> [Line] {
        isQuiet ? [] : [Line(.output, TerminalFormat.printable(text))]
    }

    private func diagnostic(_ label: String, _ text: String, _ role: TerminalStyle.Role) -> [Line] {
        guard !hidesDiagnostics else { return [] }
        let label = label.hasSuffix(":") ? label : TerminalFormat.fit(label, to: 8) + " "
        return [Line(.diagnostics, "\(style.paint(label, role)) \(TerminalFormat.printable(text))")]
    }
}
