import DownloadStore
package import SyncFacts
import Terminal
import YAMLSource

/// The summary of a sync, the same on a terminal and in a log.
package enum SummaryText {
    /// What happened, in one line: `12 videos finished (1.20 GiB in 2m10s), 1 failed; now 3 waiting, 1 paused`, `8
    /// moved; all 8 videos are there`, and what ended it before its time: `stopped by a logout: 3.40 MiB received, no
    /// video finished yet; now 3 stopped`.
    package static func line(_ summary: SyncSummary) -> String {
        var now: [String] = []
        let stop = stop(summary)
        if summary.finishedNow > 0 {
            let size = summary.bytes > 0 ? "\(Wording.size(summary.bytes)) " : ""
            now.append(
                """
                \(Wording.count(summary.finishedNow, "video")) finished (\(size)in \
                \(Wording.duration(summary.seconds)))
                """
            )
        } else if summary.bytes > 0 {
            now.append("\(Wording.size(summary.bytes)) received")
        }
        if summary.failedNow > 0 { now.append("\(Wording.grouped(summary.failedNow)) failed") }
        let finished = summary.downloads[.finished] ?? 0
        let held = summary.errors.count { if case .held = $0 { true } else { false } }
        let isAllThere =
            held == 0 && finished > 0 && summary.downloads.allSatisfy { $0.key == .finished || $0.value == 0 }
        let changes = [(summary.movedNow, "moved"), (summary.removedNow, "removed")].filter { $0.0 > 0 }
            .map { "\(Wording.grouped($0.0)) \($0.1)" }
        if isAllThere, stop == nil, summary.finishedNow == 0, summary.bytes > 0 {
            now = ["\(Wording.size(summary.bytes)) received beside videos that were there already"]
            now += changes
        } else if summary.finishedNow == 0, summary.failedNow == 0, stop != nil || summary.bytes > 0 {
            now += changes
            now.append(finished > 0 ? "no video finished in this run" : "no video finished yet")
        } else if now.isEmpty, changes.isEmpty {
            let isNothingNew = finished > 0 && held == 0
            now.append(
                isNothingNew ? "nothing new: \(Wording.count(finished, "video")) finished" : "nothing done")
        } else {
            now += changes
        }
        let open = [DownloadState.waiting, .active, .suspended, .paused, .cancelled].compactMap { state in
            summary.downloads[state].flatMap { $0 > 0 ? "\(Wording.grouped($0)) \(state.word)" : nil }
        }
        let older = summary.downloads[.failed, default: 0] - summary.failedNow
        if isAllThere, stop == nil, !changes.isEmpty {
            let all = finished == 1 ? "the only video is there" : "all \(Wording.grouped(finished)) videos are there"
            return now.joined(separator: ", ") + "; " + all
        }
        return (stop.map { "\($0): " } ?? "") + now.joined(separator: ", ")
            + (open.isEmpty ? "" : "; now \(open.joined(separator: ", "))")
            + (held > 0 ? "; \(Wording.count(held, "course")) left unchanged" : "")
            + (older > 0 ? "; \(Wording.grouped(older)) failed earlier" : "")
    }

    /// The same for one shard, which it names.
    package static func line(_ summary: SyncSummary, of shard: String) -> String { "shard \(shard): \(line(summary))" }

    /// Whether it ended as planned, at the end of its window, duration or quota, and downloaded something: --quiet
    /// doesn't report that.
    package static func endsAsPlanned(_ summary: SyncSummary) -> Bool {
        guard summary.stopReason == .window || summary.stopReason == .quota else { return false }
        return (summary.bytes > 0 || summary.finishedNow > 0) && summary.conditions == [.workLeft]
            && summary.errors.isEmpty
    }

    /// The reason of an early end; nil if there is none, or nothing was left to do.
    private static func stop(_ summary: SyncSummary) -> String? {
        guard let reason = summary.stopReason, !summary.conditions.isDisjoint(with: [.workLeft, .stateUnusable]) else {
            return nil
        }
        return reason == .lost ? nil : ExitText.stop(summary)
    }

    /// Further notes and next steps for the user, by importance.
    package static func advice(_ summary: SyncSummary) -> [String] {
        var lines = problems(summary)
        if let exit = ExitText.line(summary) { lines.append(exit) }
        return lines
    }

    /// Further problems.
    package static func problems(_ summary: SyncSummary) -> [String] {
        var lines = remedies(summary)
        if summary.warnings > 0 { lines.append("\(Wording.count(summary.warnings, "warning")) above") }
        let notBegun = summary.shards.filter { $0.conditions == nil }.map(\.shard)
        if !notBegun.isEmpty, summary.seconds > 0 { lines.append("not begun: \(Wording.list(notBegun))") }
        if summary.sidecarsWanted > 0 {
            lines.append("\(Wording.sidecars(summary.sidecarsWanted)) of finished videos left for the next sync")
        }
        if summary.fromOtherSource > 0 {
            let files = Wording.count(summary.fromOtherSource, "finished file")
            let verb = summary.fromOtherSource == 1 ? "comes" : "come"
            lines.append("\(files) \(verb) from another source than the catalog names now; the files stay")
        }
        return lines
    }

    /// Necessary actions, reported even with --quiet: logins to renew, and where to look for old failures.
    package static func remedies(_ summary: SyncSummary) -> [String] {
        var lines = summary.providersToLogIn.sorted().map { provider in
            let needs = summary.loginsNeeded.filter { $0.provider == provider && $0.parameter != nil }
            // One command for each server.
            let login = (needs.isEmpty ? [RequiredLogin(provider: provider)] : needs).map {
                Explainer.login(at: provider, server: $0.server, as: $0.parameter)
            }.joined(separator: " and ")
            let courses = summary.coursesToLogIn[provider].map { Wording.count($0, "course") }
            guard let courses else { return "videos of provider \(provider) wait for a login: \(login)" }
            guard summary.providersOfCoursesOnly.contains(provider) else {
                return "videos of provider \(provider), and the listing of \(courses), wait for a login: \(login)"
            }
            return "\(courses) of provider \(provider) couldn't be listed without a login: \(login)"
        }
        if summary.stopReason == .logout { lines.append("to continue: \(SuggestedCommand.text("login"))") }
        lines += wayOut(summary)
        // Failures of this run have been reported already.
        if summary.downloads[.failed, default: 0] > summary.failedNow || summary.hasOlderFailures {
            lines.append("for details: \(SuggestedCommand.text("status --failed"))")
        }
        return lines.map(TerminalFormat.printable)
    }

    /// The remedies if several partials fill a small disk so that none can ever be finished.
    private static func wayOut(_ summary: SyncSummary) -> [String] {
        let partials = summary.partials
        guard partials.count > 1, let (first, _) = partials.first else { return [] }
        let parts = partials.prefix(3).map { "\(Selector($0)) \(Wording.size($1))" }
        let others = partials.count > parts.count ? ["\(Wording.grouped(partials.count - parts.count)) more"] : []
        let sum = partials.byteCount(\.1).value
        let selector = ShellWord.quoted(Selector(first).description)
        return [
            """
            \(Wording.count(partials.count, "unfinished video")) use \(Wording.size(sum)) of the disk: \
            \(Wording.list(parts + others)); make room, or cancel one: \
            \(SuggestedCommand.text("cancel \(selector)")); to finish them one after the other: --jobs 1
            """
        ]
    }

    /// The errors of a run after its failures: a provider mentioned by a failed video isn't repeated.
    ///
    /// - Parameter hasLiveView: whether a live view has told of each course that it was left unchanged, and why.
    package static func errors(_ summary: SyncSummary, hasLiveView: Bool = false) -> [String] {
        let told = summary.failures.map(\.1).filter { $0.kind == .providerFailed }
        return errors(
            summary.errors.filter { problem in
                switch problem {
                case .held: !hasLiveView
                case .refusal(.provider(.broken(_, let reason))): !told.contains { $0.message.hasSuffix(reason) }
                default: true
                }
            })
    }

    /// A text of the summary in lines of a terminal with so many columns. Each of the commands at its end is a line of
    /// its own, which is never broken; neither is an excerpt of a catalog.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        guard !text.contains("\n"), DisplayWidth.of(text) > columns else { return [text] }
        guard let command = text.firstRange(of: ": coursefetch ") else { return TerminalFormat.wrap(text, to: columns) }
        return TerminalFormat.wrap(String(text[..<command.lowerBound]) + ":", to: columns)
            + text[command.lowerBound...].dropFirst(2).split(separator: " and coursefetch ").enumerated().map {
                "    \($0 == 0 ? "" : "coursefetch ")\($1)"
            }
    }

    /// The errors in the format of compilers, with their source lines.
    package static func errors(_ problems: [SyncProblem]) -> [String] {
        let errors = problems.map(\.located)
        var diagnostics = errors.map { error in
            Diagnostic(
                .error, at: SourceLocation(file: error.file, line: error.line ?? 0, column: error.column ?? 0),
                error.message)
        }
        diagnostics.addExcerpts()
        return zip(errors, diagnostics).map { error, diagnostic in
            if error.file.isEmpty {
                return "error: " + TerminalFormat.printableLines(error.message).joined(separator: "\n")
            }
            return error.line == nil
                ? "\(TerminalFormat.printable(error.file)): error: \(diagnostic.summary)" : diagnostic.text
        }
    }
}
