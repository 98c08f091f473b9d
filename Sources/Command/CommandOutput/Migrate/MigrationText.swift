import DownloadStore
package import FileSystem
package import Foundation
package import Migration
import SyncFacts
package import Terminal

/// The text output of `migrate`: lines for records that aren't simply in, and a summary.
package struct MigrationText {
    /// How many records with the same reason have a line of their own.
    static let mostLines = 20
    /// The source, the words of the command line after the program's name, and the style.
    let source: String
    let command: [String]
    let style: TerminalStyle
    let isDryRun: Bool
    private(set) var tally = MigrationTally()

    /// - Parameters:
    ///   - command: what was given, from `migrate` on.
    package init(
        source: String, command: [String], isDryRun: Bool = false, style: TerminalStyle
    ) {
        self.source = source
        self.command = command
        self.isDryRun = isDryRun
        self.style = style
    }

    /// Counts a record, and returns its line; nil for one that is simply in, and for one with the reason of many
    /// others.
    package mutating func line(_ record: MigratedRecord) -> String? {
        let count = tally.add(record)
        if isDryRun { return planned(record) }
        guard let problem = record.problem, !(record.code.isIn && record.isEarlier), count <= Self.mostLines else {
            return nil
        }
        return line(
            record.code.rawValue, role: record.code.isIn ? .notice : .bad, of: record,
            rest: ": \(problem)\(remedy(record))\(queued(record))")
    }

    /// What a real run would do.
    private func planned(_ record: MigratedRecord) -> String {
        let size = record.bytes > 0 ? ", \(Wording.size(record.bytes))" : ""
        let place = record.path.map { " -> \($0)" } ?? ""
        let problem = record.problem.map { ": \($0)\(remedy(record))\(queued(record))" } ?? ""
        let word =
            switch record.code {
            case .added where record.isEarlier: "in"
            case .added where record.isQueued: "would queue"
            case .added: "would add"
            default: record.code.rawValue
            }
        return line(word, role: record.code.isIn ? .good : .notice, of: record, rest: "\(size)\(place)\(problem)")
    }

    /// That a video whose file couldn't be taken over is downloaded.
    private func queued(_ record: MigratedRecord) -> String {
        if case .partial = record.reason { return "" }
        return record.code.isIn && record.isQueued ? "; it is queued for the next sync" : ""
    }

    /// Only what is about this very record: the rest comes once, in the summary.
    private func remedy(_ record: MigratedRecord) -> String {
        if case .retry? = record.remedy, let remedy = record.remedy { "; \(remedy.sentence)" } else { "" }
    }

    private func line(_ word: String, role: TerminalStyle.Role, of record: MigratedRecord, rest: String) -> String {
        let video = record.reference.map { " (\(Selector($0)))" } ?? ""
        return style.paint(TerminalFormat.fit(word, to: Self.wordWidth), role) + "  "
            + shown(Self.name(record.name) + video + rest)
    }

    private static let wordWidth = 14

    /// A record's name, which may be an address, or long.
    static func name(_ name: String) -> String { TerminalFormat.cutMiddle(MigrationJSON.name(name), to: 100) }

    private func shown(_ text: String) -> String {
        style.text(TerminalFormat.printableLines(text).joined(separator: " "))
    }

    /// The lines after the last record, on standard output.
    package func summary(_ summary: MigrationSummary) -> [String] {
        guard summary.problem == nil || tally.records > 0 else { return [] }
        return unshown() + taken() + left() + catalog(summary) + notes(summary) + removal(summary)
    }

    /// How many records have no line because many others have the same reason.
    private func unshown() -> [String] {
        guard !isDryRun else { return [] }
        return tally.groups.compactMap { group in
            guard group.isListed, group.count > Self.mostLines else { return nil }
            let word = TerminalFormat.fit(style.ellipsis, to: Self.wordWidth)
            return shown("\(word)  and \(Wording.grouped(group.count - Self.mostLines)) more: \(group.heading)")
        }
    }

    private func taken() -> [String] {
        let verb = isDryRun ? "would be " : ""
        var parts: [String] = []
        if tally.added > 0 {
            let size = tally.bytes > 0 ? " (\(Wording.size(tally.bytes)))" : ""
            parts.append("\(Wording.count(tally.added, "file")) \(verb)taken over\(size)")
        }
        if tally.queued > 0 {
            parts.append("\(Wording.count(tally.queued, "video")) \(verb)queued for the next sync")
        }
        if tally.seen > 0 {
            parts.append("\(Wording.count(tally.seen, "video")) \(verb)left out as seen")
        }
        if tally.duplicates > 0 { parts.append("\(Wording.grouped(tally.duplicates)) in the library already") }
        if tally.earlier > 0, !parts.isEmpty || tally.left > 0 {
            parts.append("\(Wording.grouped(tally.earlier)) in since an earlier run")
        }
        return parts.isEmpty ? [] : [parts.joined(separator: ", ")]
    }

    /// What remains, by reason, each with its next step.
    private func left() -> [String] {
        let groups = tally.groups.filter { !$0.code.isIn }
        guard !groups.isEmpty else { return [] }
        let all = Wording.count(tally.records, "record")
        let verb = isDryRun ? "would be left" : "left"
        var lines = [style.paint("\(Wording.grouped(tally.left)) of \(all) \(verb):", .bold)]
        let width = groups.map { Wording.grouped($0.count).count }.max() ?? 1
        for group in groups {
            let count = TerminalFormat.right(Wording.grouped(group.count), to: width)
            let step = group.remedy.map { "; \($0.step(count: group.count))" } ?? ""
            lines.append(shown("  \(count)  \(group.code.rawValue): \(group.heading)\(step)"))
            if let command = group.remedy.flatMap({ pasted($0, group.count) }) {
                lines.append(shown(String(repeating: " ", count: width + 6) + command))
            }
        }
        return lines
    }

    private func pasted(_ remedy: MigrationRemedy, _ count: Int) -> String? {
        if case .retry(let selector) = remedy, count == 1 {
            return SuggestedCommand.text("retry \(ShellWord.quoted(selector.description))")
        }
        return remedy.options.map { MigrationCommand(words: command).adding($0) }
    }

    private func catalog(_ summary: MigrationSummary) -> [String] {
        guard let catalog = summary.writtenCatalog else { return [] }
        let videos = Wording.count(catalog.videos, "video")
        let file = ShellWord.quoted(catalog.path)
        guard !isDryRun else { return [shown("the catalog \(file) would be written, with \(videos)")] }
        // With a mistake in it, or beside others, no sync would take it.
        guard summary.mistakes.isEmpty else { return [shown("the catalog \(file) was written, with \(videos)")] }
        return [
            shown("the catalog \(file) has \(videos); look through it, then: \(SuggestedCommand.text("sync \(file)"))")
        ]
    }

    private func notes(_ summary: MigrationSummary) -> [String] {
        var lines: [String] = []
        let unused = summary.unusedMapEntries
        if !unused.isEmpty {
            let names = unused.prefix(5).map { "'\(Self.name($0))'" }
            let more = unused.count > names.count ? ["\(Wording.grouped(unused.count - names.count)) more"] : []
            let entries = Wording.count(unused.count, "entry of the map fits", "entries of the map fit")
            lines.append(shown("\(entries) no record: \(Wording.list(names + more))"))
        }
        if summary.hasUnreadNames {
            lines.append("names in the source that aren't UTF-8, and folders beyond 32 levels, were left out")
        }
        return lines
    }

    private func removal(_ summary: MigrationSummary) -> [String] {
        switch summary.removal {
        case .notAsked: return []
        case .removed(let files, let left):
            let rest =
                left > 0
                ? "; \(Wording.count(left, "other file")) \(left == 1 ? "is" : "are") still there" : ""
            let verb = isDryRun ? "would be removed" : "removed"
            return [shown("\(Wording.count(files, "file")) of \(ShellWord.quoted(source)) \(verb)\(rest)")]
        case .kept(let reason): return [shown(kept(reason))]
        case .failed(let path, let code):
            let reason = String(cString: strerror(code))
            return [shown("'\(path)' can't be removed: \(reason); the rest stays")]
        }
    }

    private func kept(_ reason: MigrationSummary.KeptReason) -> String {
        let place = ShellWord.quoted(source)
        return switch reason {
        case .incomplete: "\(place) stays: it is removed only when all records are in"
        case .missing(let name):
            """
            \(place) stays: the library's file of '\(Self.name(name))' is missing or has changed; \
            \(SuggestedCommand.text("verify --repair")), sync, then run it again
            """
        case .differs(let name):
            """
            \(place) stays: the library has a different file of '\(Self.name(name))'; compare the two, and remove \
            the wrong one
            """
        case .librarys(let name): "\(place) stays: its file of '\(Self.name(name))' is in a library"
        case .changed(let path):
            """
            '\(Self.name(path))', or the library's file of it, just changed; nothing more was removed; run it again
            """
        }
    }

    /// The last line, on standard output for success, on standard error for all else.
    package func last(_ summary: MigrationSummary, exit: ExitStatus) -> String {
        guard exit != .success else { return success(summary) }
        let code = "exit code \(exit.rawValue)"
        if summary.isDiskFull {
            return "\(code): the disk of the library is full; make room, and run it again for the rest"
        }
        if summary.isStopped { return "\(code): stopped; run it again for the rest" }
        guard tally.left > 0 else {
            return
                """
                \(code): \
                \(summary.removal.isOpen ? "all records are in, but the source wasn't removed" : exit.meaning)
                """
        }
        let all = Wording.count(tally.records, "record")
        let verb = isDryRun ? "would be left; nothing was changed" : "left; do the above, then run it again"
        return "\(code): \(Wording.grouped(tally.left)) of \(all) \(verb)"
    }

    private func success(_ summary: MigrationSummary) -> String {
        if tally.records == 0 { return shown("\(ShellWord.quoted(source)) has no records; nothing was changed") }
        if isDryRun { return "nothing would be left; nothing was changed" }
        let all = tally.records == 1 ? "the only record is in" : "all \(Wording.grouped(tally.records)) records are in"
        let isUnchanged = tally.isUnchanged && !summary.removal.isChange
        return "nothing is left: \(all)\(isUnchanged ? "; nothing was changed" : "")"
    }

    /// Why there was no migration, on standard error.
    package static func problem(_ summary: MigrationSummary) -> [String] {
        let mistakes = SummaryText.errors(summary.mistakes)
        guard let problem = summary.problem else { return mistakes }
        // The mistakes say it better, each with its line.
        if case .refused(.catalog(.mistakes)) = problem, !mistakes.isEmpty { return mistakes }
        return mistakes + ["error: " + TerminalFormat.printableLines(problem.message).joined(separator: "\n")]
    }

    /// That another process is waited for, on standard error.
    package static func waiting(
        _ holder: LockHolder?, until: Date, now: Date, zone: TimeZone, style: TerminalStyle
    ) -> String {
        let text = Wording.lockWaiting(holder, until: until, now: now, zone: zone)
        return style.paint(TerminalFormat.fit("waiting", to: 8), .notice) + "  " + TerminalFormat.printable(text)
    }
}

extension MigrationSummary.Removal {
    fileprivate var isChange: Bool { if case .removed(let files, _) = self { files > 0 } else { false } }

    /// Whether it was asked for, and isn't done.
    fileprivate var isOpen: Bool {
        switch self {
        case .notAsked, .removed: false
        case .kept, .failed: true
        }
    }
}

/// The progress line of `migrate`.
package struct MigrationProgressText {
    /// The least time after which the rest is estimated.
    private static let patience: TimeInterval = 10
    private var meter = SpeedMeter()
    private var begin: (at: Date, records: Int)?

    package init() {}

    /// Records the progress and returns the line, at most `columns` wide.
    package mutating func line(_ progress: MigrationProgress, columns: Int, now: Date) -> String {
        meter.add(max(0, progress.bytes - meter.total), at: now)
        if begin == nil { begin = (now, progress.records) }
        let all = progress.allRecords
        var parts = [
            all > 0
                ? "\(Wording.grouped(progress.records)) of \(Wording.count(all, "record"))"
                : Wording.count(progress.records, "record")
        ]
        if progress.bytes > 0 {
            let all = progress.allBytes > 0 ? " of \(Wording.size(progress.allBytes))" : ""
            parts.append("\(Wording.size(progress.bytes))\(all) copied")
        }
        let rate = meter.bytesPerSecond(at: now)
        if rate > 0 { parts.append(Wording.rate(rate)) }
        if let left = left(progress, rate, now) { parts.append("\(Wording.duration(left)) left") }
        return TerminalFormat.cut(" " + parts.joined(separator: ", "), to: columns)
    }

    /// By the bytes that are to be copied; where nothing is copied, by the records.
    private func left(_ progress: MigrationProgress, _ rate: Int64, _ now: Date) -> Double? {
        if progress.allBytes > 0 {
            return rate > 0 ? Double(max(0, progress.allBytes - progress.bytes)) / Double(rate) : nil
        }
        guard let begin, progress.records > begin.records, progress.allRecords > progress.records else { return nil }
        let seconds = now.timeIntervalSince(begin.at)
        guard seconds >= Self.patience else { return nil }
        return seconds * Double(progress.allRecords - progress.records) / Double(progress.records - begin.records)
    }
}
