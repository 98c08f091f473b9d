import DownloadStore
package import Foundation
package import Operations
package import SyncFacts
package import Terminal

/// The text output of `status`.
package struct StatusTable: Sendable {
    /// Its style and width.
    package struct Form: Sendable {
        package var style: TerminalStyle
        /// The terminal's width; nil in a pipe, where nothing is cut or broken.
        package var width: Int?
        /// Whether progress bars are drawn.
        package var hasBars: Bool

        package init(style: TerminalStyle, width: Int?, hasBars: Bool = false) {
            self.style = style
            self.width = width
            self.hasBars = hasBars
        }
    }

    /// With more chapters than this, only chapters with a listed video are named.
    private static let mostChapters = 40

    let form: Form
    let zone: TimeZone

    package init(form: Form, zone: TimeZone) {
        self.form = form
        self.zone = zone
    }

    var style: TerminalStyle { form.style }

    /// The lines of a report with all its rows. Without a selection, finished and waiting downloads are counted, not
    /// listed.
    package func lines(_ report: StatusReport, selection: Selection?, now: Date) -> [String] {
        let rows = selection.map { selection in report.rows.filter(selection.contains) } ?? report.rows
        // Downloads that are gone have one common line, and are listed only on request.
        let listed = Dictionary(
            grouping: rows.filter { selection != nil || (!$0.gone && isNews($0)) },
            by: { DownloadKey(course: $0.reference.course, video: $0.reference.chapter ?? "") })
        var report = report
        report.groups =
            selection == nil ? report.groups ?? StatusGroup.all(of: rows) : StatusGroup.all(of: rows, countsGone: true)
        var lines: [String] = []
        write(report, isSelection: selection != nil, isEmpty: report.rows.isEmpty, now: now) { group, body in
            listed[DownloadKey(course: group.course, video: group.chapter ?? "")]?.forEach(body)
        } line: {
            lines.append($0)
        }
        return lines
    }

    /// Writes the lines of a state, as ``lines(_:selection:now:)`` does. Throws if a selector matches no video.
    package func write(
        _ reader: StatusReader, _ selection: Selection?, now: Date, line: @escaping (String) -> Void
    ) throws(Refusal) {
        guard let selection else {
            return lines(try reader.overview(), selection: nil, now: now).forEach(line)
        }
        let report = try reader.report(of: reader.settled(selection))
        try write(report, isSelection: true, isEmpty: reader.isEmpty, now: now, rows: reader.each(of:_:), line: line)
    }

    /// Writes the lines of a report with its groups.
    ///
    /// - Parameters:
    ///   - isSelection: whether the groups are those of a selection.
    ///   - isEmpty: whether there are no downloads at all.
    ///   - rows: calls its second argument with each row of a group that is to be listed.
    private func write<E: Error>(
        _ report: StatusReport, isSelection: Bool, isEmpty: Bool, now: Date,
        rows: (StatusGroup, (StatusRow) -> Void) throws(E) -> Void, line: @escaping (String) -> Void
    ) throws(E) {
        let groups = report.groups ?? []
        header(report, now: now).forEach(line)
        for course in courses(groups) {
            line("")
            heading(of: course, report, isSelection: isSelection).forEach(line)
            for group in course {
                var isNamed = false
                func name() {
                    guard !isNamed, let chapter = group.chapter else { return }
                    isNamed = true
                    let selector = Selector(course: group.course, chapter: chapter).description
                    heading(
                        selector, group.chapterTitle ?? chapter, group.totals, role: .plain, isSelection: isSelection,
                        indent: 2
                    ).forEach(line)
                }
                if groups.count <= Self.mostChapters { name() }
                try rows(group) { row in
                    name()
                    videoLines(row, now: now).forEach(line)
                }
            }
        }
        if report.hiddenRows > 0 {
            let more = "\(Wording.grouped(report.hiddenRows)) more: \(SuggestedCommand.text("status --all"))"
            line("")
            line("\(style.ellipsis) and \(style.text(more))")
        }
        if isEmpty, groups.isEmpty {
            line("")
            line(style.text("No videos yet. To begin: \(SuggestedCommand.text("sync CATALOG"))"))
        }
        line("")
        totals(groups, disk: isSelection ? nil : report.diskBytes.values.reduce(0, +)).forEach(line)
        if report.isLibraryMissing || report.isLibraryAnother {
            line(style.paint("recorded so; the files can't be reached", .bad))
        }
        notes(report, groups).forEach(line)
    }

    /// What somebody should know besides, each in a line with its command.
    private func notes(_ report: StatusReport, _ groups: [StatusGroup]) -> [String] {
        var lines: [String] = []
        if let gone = report.goneSums, gone.count > 0 {
            let files = gone.files > 0 ? " (\(Wording.count(gone.files, "file")), \(Wording.size(gone.bytes)))" : ""
            let catalog = report.onlyCatalog.map(ShellWord.quoted) ?? "CATALOG"
            let finished = groups.reduce(0) { $0 + $1.totals.finished }
            // More than --prune removes by itself.
            let isMany = gone.count > MaxDelete.standard.limit(finished: finished + gone.files)
            let limit = isMany ? " --max-delete \(gone.count)" : ""
            lines.append(
                style.text(
                    """
                    \(Wording.count(gone.count, "video")) \(gone.count == 1 ? "is" : "are") no longer in the \
                    catalogs\(files); to remove \(gone.count == 1 ? "it" : "them"): \
                    \(SuggestedCommand.text("sync \(catalog) --prune\(limit)"))
                    """))
        }
        if report.fromOtherSource > 0 {
            let files = Wording.count(report.fromOtherSource, "finished file")
            let verb = report.fromOtherSource == 1 ? "comes" : "come"
            lines.append("\(files) \(verb) from another source than the catalog names now; the files stay.")
        }
        return lines
            + groups.reduce(into: Set()) { $0.formUnion($1.loginsNeeded) }.sorted().map { provider in
                let login = style.text(Explainer.login(at: provider))
                return style.paint("Videos of \(style.text(provider)) wait for a login: \(login)", .notice)
            }
    }

    private func header(_ report: StatusReport, now: Date) -> [String] {
        var lines = ["user \(style.text(report.user))" + (report.library.map { ", library \(style.text($0))" } ?? "")]
        if let library = report.library, report.isLibraryMissing {
            lines.append(
                style.paint("the library \(style.text(library)) doesn't exist: no sync starts without it", .bad))
        }
        if let library = report.library, report.isLibraryAnother {
            lines.append(
                style.paint(
                    """
                    \(style.text(library)) isn't the library that the state knows: is its disk mounted? No sync starts \
                    without it
                    """, .bad))
        }
        lines += report.held.map { style.paint(style.text($0.message), .bad) }
        if !report.shards.isEmpty {
            let running = report.shards.filter { $0.running != nil }
            let leftOut = report.shardsLeftOut
            let missing = leftOut > 0 ? ", \(leftOut) left out" : ""
            let count = Wording.count(report.shards.count + leftOut, "shard")
            lines.append(
                style.paint("\(count), \(running.count) of them syncing\(missing)", running.isEmpty ? .dim : .good))
            for shard in running {
                guard let process = shard.running else { continue }
                let text = "  \(shard.name): \(Wording.running(process, now: now, zone: zone))"
                lines.append(style.paint(style.text(text), .good))
            }
        } else if let running = report.running {
            let isStopped = [.stopping, .waitingForLogin].contains(running.activity)
            lines.append(
                style.paint(style.text(Wording.running(running, now: now, zone: zone)), isStopped ? .notice : .good))
        } else {
            lines.append(style.paint("no sync is running", .dim))
        }
        for wait in Wording.waits(report.waits, now: now, zone: zone) {
            lines.append(style.paint(style.text(wait.text), .notice))
        }
        if report.isLoggedOut {
            let since = report.loggedOutSince.map { " since \(ClockFormat.local($0, now: now, zone: zone))" } ?? ""
            let login = style.text(SuggestedCommand.text("login"))
            let what = report.running?.activity == .waitingForLogin ? "nothing continues" : "no sync starts"
            lines.append(style.paint("logged out\(since), so \(what); to log in: \(login)", .notice))
        }
        return lines
    }

    /// The groups, split by course.
    private func courses(_ groups: [StatusGroup]) -> [[StatusGroup]] {
        var places: [String: Int] = [:]
        var courses: [[StatusGroup]] = []
        for group in groups {
            if let place = places[group.course] {
                courses[place].append(group)
            } else {
                places[group.course] = courses.count
                courses.append([group])
            }
        }
        return courses
    }

    private func heading(of groups: [StatusGroup], _ report: StatusReport, isSelection: Bool) -> [String] {
        guard let first = groups.first else { return [] }
        var totals = StatusTotals()
        for group in groups { totals.add(group.totals) }
        return heading(
            Selector(course: first.course).description, first.courseTitle, totals,
            disk: isSelection ? nil : report.diskBytes[first.course], role: .bold, isSelection: isSelection, indent: 0)
    }

    /// Whether it is listed without a selection.
    private func isNews(_ row: StatusRow) -> Bool {
        switch row.state {
        case .active, .failed, .paused, .suspended, .cancelled: true
        case .waiting: row.error != nil
        case .finished: row.sidecarsWanted + row.sidecarsFailed > 0
        }
    }

    private func heading(
        _ selector: String, _ title: String, _ totals: StatusTotals, disk: ByteCount? = nil, role: TerminalStyle.Role,
        isSelection: Bool, indent: Int
    ) -> [String] {
        // Of a selection the course may have many more.
        let all = isSelection ? Wording.grouped(totals.count) + " selected" : Wording.grouped(totals.count)
        let count = "\(Wording.grouped(totals.finished)) of \(all) finished"
        let amounts = amounts(totals, disk: disk)
        let label = style.text(selector.hasSuffix(title) ? selector : "\(selector)  \(title)")
        let color: TerminalStyle.Role = totals.finished == totals.count ? .good : .dim
        let bar = bar(totals)
        let facts = style.paint(([count] + amounts).joined(separator: ", "), color)
        let margin = String(repeating: " ", count: indent)
        guard let width = form.width else { return [margin + style.paint(label, role) + "  " + bar + facts] }
        // On its own line if it would leave no room for the title.
        let needed = DisplayWidth.of(label) + DisplayWidth.ofLine(bar + facts) + 2
        let isSplit = needed > width - indent && !amounts.isEmpty
        let right = bar + (isSplit ? style.paint(count, color) : facts)
        let room = max(16, width - indent - DisplayWidth.ofLine(right) - 2)
        let first = margin + style.paint(TerminalFormat.fit(label, to: room, mark: style.ellipsis), role) + "  " + right
        guard isSplit else { return [first] }
        return [first, style.paint(TerminalFormat.right(amounts.joined(separator: ", "), to: width), color)]
    }

    private func bar(_ totals: StatusTotals) -> String {
        guard form.hasBars, totals.count > 0 else { return "" }
        let known = Double(totals.knownBytes.value)
        let fraction =
            totals.unknownSizes == 0 && known > 0
            ? Double(totals.doneBytes.value) / known : Double(totals.finished) / Double(totals.count)
        return ProgressBar(style: style).filled(fraction, columns: 12, role: .good) + "  "
    }

    /// The remaining and the present amounts, each only if it is informative.
    private func amounts(_ totals: StatusTotals, disk: ByteCount?) -> [String] {
        var parts: [String] = []
        if totals.left > 0 {
            let (bytes, isWhole) = totals.bytesLeft
            var details: [String] = []
            if bytes.value > 0 { details.append((isWhole ? "" : "at least ") + Wording.size(bytes)) }
            if let rate = totals.bytesPerSecond, rate > 0 {
                let time = totals.secondsLeft.map { "\(Wording.duration($0)) at " } ?? ""
                details.append(time + Wording.rate(rate))
            }
            parts.append(
                "\(Wording.grouped(totals.left)) left"
                    + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"))
        }
        if let disk, disk > 0 {
            parts.append("\(Wording.size(disk)) on disk")
        } else if totals.doneBytes > 0, totals.left == 0 {
            parts.append(Wording.size(totals.doneBytes))
        }
        return parts
    }

    private func totals(_ groups: [StatusGroup], disk: ByteCount?) -> [String] {
        var totals = StatusTotals()
        for group in groups { totals.add(group.totals) }
        let states = DownloadState.allCases.sorted { $0.place < $1.place }
        let parts = states.compactMap { state -> String? in
            guard let count = totals.states[state], count > 0 else { return nil }
            return style.paint("\(Wording.grouped(count)) \(state.word)", role(state))
        }
        let counted =
            Wording.count(totals.count, "video") + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
            + (Self.sidecars(wanted: totals.sidecarsWanted, failed: totals.sidecarsFailed).map { "; \($0)" } ?? "")
        let amounts = amounts(totals, disk: disk)
        return amounts.isEmpty ? [counted] : [counted, amounts.joined(separator: ", ")]
    }

    /// The number of missing sidecars; nil if there are none.
    static func sidecars(wanted: Int, failed: Int) -> String? {
        let counts = [(wanted, "missing"), (failed, "failed")].filter { $0.0 > 0 }
        guard !counts.isEmpty else { return nil }
        let parts = counts.map { count, word in "\(Wording.sidecars(count)) \(word)" }
        return parts.joined(separator: ", ")
    }

    func role(_ state: DownloadState) -> TerminalStyle.Role {
        switch state {
        case .finished: .good
        case .active: .bar
        case .failed: .bad
        case .paused, .suspended: .notice
        case .waiting, .cancelled: .dim
        }
    }
}

extension DownloadState {
    var word: String { self == .suspended ? "stopped" : rawValue }

    /// Its position in a list of all states.
    fileprivate var place: Int {
        switch self {
        case .finished: 0
        case .active: 1
        case .waiting: 2
        case .suspended: 3
        case .paused: 4
        case .failed: 5
        case .cancelled: 6
        }
    }
}
