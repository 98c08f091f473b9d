import DownloadStore
package import Foundation
package import Operations
package import SyncFacts

/// What `status` prints for people.
package struct StatusTable: Sendable {
    private let style: TerminalStyle
    private let width: Int
    private let zone: TimeZone

    /// `width` is the terminal's, or what a file deserves.
    package init(style: TerminalStyle, width: Int, zone: TimeZone) {
        self.style = style
        self.width = width
        self.zone = zone
    }

    /// The lines. Without a selection, what is finished or merely waits is counted, not listed.
    package func lines(_ report: StatusReport, selection: Selection?, now: Date) -> [String] {
        let rows = selection.map { selection in report.rows.filter(selection.contains) } ?? report.rows
        var lines = header(report, now: now)
        let listsAll = selection != nil
        for course in grouped(rows, by: { $0.reference.course }) {
            lines +=
                [""]
                + courseLines(
                    course, disk: report.diskBytes, user: report.userOption, listsAll: listsAll, now: now)
        }
        if report.rows.isEmpty {
            let whose = style.text(Explainer.option(user: report.userOption))
            lines += ["", "Nothing yet. Begin with: coursefetch sync CATALOG\(whose)"]
        }
        lines += [""] + totals(rows, disk: selection == nil ? report.diskBytes.values.reduce(0, +) : nil)
        if report.fromOtherSource > 0 {
            let files = Wording.count(report.fromOtherSource, "finished file")
            lines.append("\(files) came from another source than the catalog names now; they are kept.")
        }
        return lines + logins(rows, user: report.userOption)
    }

    /// Which logins somebody has to renew before all of this can go on.
    private func logins(_ rows: [StatusRow], user: String?) -> [String] {
        let waiting = rows.filter { $0.state == .suspended && $0.reason == .auth }
        return Set(waiting.map(\.provider)).sorted().map { provider in
            let login = style.text(Explainer.login(at: provider, user: user))
            return style.paint("Videos of \(style.text(provider)) wait for a login: \(login)", .notice)
        }
    }

    private func header(_ report: StatusReport, now: Date) -> [String] {
        var lines = ["user \(style.text(report.user))" + (report.library.map { ", library \(style.text($0))" } ?? "")]
        if let library = report.library, report.isLibraryMissing {
            lines.append(
                style.paint("the library \(style.text(library)) doesn't exist: no sync starts without it", .bad))
        }
        lines += report.held.map { style.paint(style.text($0.message), .bad) }
        if let running = report.running {
            let isStopped = [.stopping, .waitingForLogin].contains(running.activity)
            lines.append(
                style.paint(style.text(Wording.running(running, now: now, zone: zone)), isStopped ? .notice : .good))
        } else {
            lines.append(style.paint("no sync is running", .dim))
        }
        if report.isLoggedOut {
            let since = report.loggedOutSince.map { " since \(ClockText.local($0, now: now, zone: zone))" } ?? ""
            let whose = Explainer.option(user: report.userOption)
            let what = report.running?.activity == .waitingForLogin ? "nothing goes on" : "no sync starts"
            lines.append(
                style.paint("logged out\(since): \(what) before coursefetch login\(style.text(whose))", .notice))
        }
        return lines
    }

    private func courseLines(
        _ rows: [StatusRow], disk: [String: ByteCount], user: String?, listsAll: Bool, now: Date
    ) -> [String] {
        guard let first = rows.first else { return [] }
        let name = Selector(course: first.reference.course).description
        var lines = heading(
            name, first.courseTitle, rows, disk: disk[first.reference.course], role: .bold, indent: 0)
        for chapter in grouped(rows, by: { $0.reference.chapter ?? "" }) {
            guard let first = chapter.first else { continue }
            if let id = first.reference.chapter {
                let selector = Selector(course: first.reference.course, chapter: id).description
                lines += heading(selector, first.chapterTitle ?? id, chapter, role: .plain, indent: 2)
            }
            for row in chapter where listsAll || isNews(row) { lines += videoLines(row, user: user, now: now) }
        }
        return lines
    }

    /// What is worth a line of its own without being asked for.
    private func isNews(_ row: StatusRow) -> Bool {
        switch row.state {
        case .active, .failed, .paused, .suspended, .cancelled: true
        case .waiting: row.error != nil
        case .finished: row.sidecarsWanted + row.sidecarsFailed > 0
        }
    }

    private func heading(
        _ selector: String, _ title: String, _ rows: [StatusRow], disk: ByteCount? = nil, role: TerminalStyle.Role,
        indent: Int
    ) -> [String] {
        let totals = StatusTotals(rows)
        let count = "\(Wording.grouped(totals.finished)) of \(Wording.grouped(totals.count)) finished"
        let amounts = amounts(totals, disk: disk)
        let label = style.text(selector.hasSuffix(title) ? selector : "\(selector)  \(title)")
        let color: TerminalStyle.Role = totals.finished == totals.count ? .good : .dim
        let all = ([count] + amounts).joined(separator: ", ")
        // On a line of their own where they would leave no room for the title.
        let isSplit = DisplayWidth.of(label) + DisplayWidth.of(all) + 2 > width - indent && amounts.count > 1
        let right = isSplit ? count : all
        let room = max(16, width - indent - DisplayWidth.of(right) - 2)
        let first =
            String(repeating: " ", count: indent)
            + style.paint(TerminalText.fit(label, to: room, mark: style.ellipsis), role)
            + "  " + style.paint(right, color)
        guard isSplit else { return [first] }
        return [first, style.paint(TerminalText.right(amounts.joined(separator: ", "), to: width), color)]
    }

    /// Bytes, speed and time left, each only where it says something.
    private func amounts(_ totals: StatusTotals, disk: ByteCount?) -> [String] {
        var parts: [String] = []
        // What is there may be all of which the size is known.
        if totals.doneBytes >= totals.knownBytes {
            if disk?.value ?? 0 == 0, totals.doneBytes > 0 { parts.append(Wording.size(totals.doneBytes)) }
        } else if totals.knownBytes > 0 {
            let whose = totals.unknownSizes > 0 ? " known of \(Wording.count(totals.knownSizes, "video"))" : ""
            parts.append("\(Wording.size(totals.doneBytes)) of \(Wording.size(totals.knownBytes))\(whose)")
        }
        if let rate = totals.bytesPerSecond, rate > 0 { parts.append(Wording.rate(rate)) }
        if let left = totals.secondsLeft { parts.append("\(Wording.duration(left)) left") }
        if let disk, disk > 0 { parts.append("\(Wording.size(disk)) on disk") }
        return parts
    }

    private func videoLines(_ row: StatusRow, user: String?, now: Date) -> [String] {
        let selector = ShellWord.quoted(Selector(row.reference).description)
        let facts = self.facts(row, now: now)
        let mark = style.paint(TerminalText.fit(row.state.rawValue, to: 9), role(row.state))
        // The selector is there to be pasted: it is never cut, the title is.
        let fixed = 4 + 9 + 2 + DisplayWidth.of(selector) + 2
        let room = max(0, width - fixed - (facts.isEmpty ? 0 : DisplayWidth.of(facts) + 2))
        let title = row.reference.title == row.reference.video ? "" : style.text(row.reference.title)
        var line = "    \(mark)  \(style.text(selector))"
        if room >= 6, !title.isEmpty { line += "  \(TerminalText.cut(title, to: room, mark: style.ellipsis))" }
        if !facts.isEmpty { line += "  " + style.paint(facts, .dim) }
        guard let error = row.error, row.state != .finished else { return [line] }
        let explainer = Explainer(catalogs: [], user: user)
        let explanation = explainer.failure(
            of: row.reference, error, retryAt: row.retryAt, file: row.file, provider: row.provider, now: now, zone: zone
        )
        let texts = [explainer.reason(error), row.state == .failed && !row.gone ? explanation.advice : nil]
        for text in texts.compactMap(\.self) {
            lines(of: text).forEach { line += "\n" + $0 }
        }
        return line.split(separator: "\n").map(String.init)
    }

    private func lines(of text: String) -> [String] {
        TerminalText.wrap(style.text(text), to: max(24, width - 16)).map { String(repeating: " ", count: 15) + $0 }
    }

    private func facts(_ row: StatusRow, now: Date) -> String {
        var facts: [String] = []
        switch row.state {
        case .finished: facts.append(Wording.size(row.size ?? row.bytes))
        case .active, .suspended, .paused, .waiting, .failed:
            if row.bytes > 0 {
                facts.append(Wording.size(row.bytes) + (row.size.map { " of \(Wording.size($0))" } ?? ""))
            }
            if row.state == .active, let rate = row.bytesPerSecond, rate > 0 {
                facts.append(Wording.rate(rate))
                if let size = row.size {
                    facts.append("\(Wording.duration(Double(max(0, size - row.bytes)) / Double(rate))) left")
                }
            }
        case .cancelled: break
        }
        if let sidecars = sidecars([row]) { facts.append(sidecars) }
        if let reason = row.reason { facts.append(reason.rawValue) }
        if let retryAt = row.retryAt, retryAt > now, row.state == .waiting {
            facts.append("again at \(ClockText.local(retryAt, now: now, zone: zone))")
        }
        if row.gone { facts.append("gone from its catalog") }
        return facts.joined(separator: ", ")
    }

    /// What isn't there beside videos; nil if all is.
    private func sidecars(_ rows: [StatusRow]) -> String? {
        let counts = [
            (rows.reduce(0) { $0 + $1.sidecarsWanted }, "wanted"),
            (rows.reduce(0) { $0 + $1.sidecarsFailed }, "failed"),
        ].filter { $0.0 > 0 }
        guard !counts.isEmpty else { return nil }
        return counts.map { "\(Wording.count($0.0, "sidecar")) \($0.1)" }.joined(separator: ", ")
    }

    private func totals(_ rows: [StatusRow], disk: ByteCount?) -> [String] {
        let counts = Dictionary(grouping: rows, by: \.state).mapValues(\.count)
        let states = DownloadState.allCases.sorted { $0.place < $1.place }
        let parts = states.compactMap { state -> String? in
            guard let count = counts[state] else { return nil }
            return style.paint("\(Wording.grouped(count)) \(state.rawValue)", role(state))
        }
        let counted =
            Wording.count(rows.count, "video") + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
            + (sidecars(rows).map { "; \($0)" } ?? "")
        let amounts = amounts(StatusTotals(rows), disk: disk)
        return amounts.isEmpty ? [counted] : [counted, amounts.joined(separator: ", ")]
    }

    private func role(_ state: DownloadState) -> TerminalStyle.Role {
        switch state {
        case .finished: .good
        case .active: .bar
        case .failed: .bad
        case .paused, .suspended: .notice
        case .waiting, .cancelled: .dim
        }
    }

    /// The rows in groups of equal keys, in the order in which the keys appear first.
    private func grouped(_ rows: [StatusRow], by key: (StatusRow) -> String) -> [[StatusRow]] {
        var places: [String: Int] = [:]
        var groups: [[StatusRow]] = []
        for row in rows {
            let key = key(row)
            if let place = places[key] {
                groups[place].append(row)
            } else {
                places[key] = groups.count
                groups.append([row])
            }
        }
        return groups
    }
}

extension DownloadState {
    /// Where it stands in a list of all states.
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
