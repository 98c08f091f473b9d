import CommandOutput
import Foundation
import SyncFacts
import Terminal

/// The columns of live lines at a given width, and how a line is composed of them.
struct LiveLayout {
    let view: LiveView
    let now: Date
    /// Usable columns: the terminal's last one stays free, so that nothing ever wraps.
    private let room: Int
    private let title: Int
    private let bar: Int
    private let sizes: Sizes
    private let hasSpeed: Bool
    private let hasTime: Bool

    /// The form of a size that fits.
    private enum Sizes {
        case none
        /// `200 MiB`.
        case whole
        /// `11.8/200 MiB`.
        case both

        var columns: Int {
            switch self {
            case .none: 0
            case .whole: 8
            case .both: 17
            }
        }
    }

    private static let narrowest = 14
    private static let percentColumns = 4
    private static let speedColumns = 10
    private static let timeColumns = 7
    /// Downloads that take less time than this never get a line: hundreds per second would only flicker.
    private static let calm: TimeInterval = 0.2
    /// How long a download waiting for its next attempt keeps its line.
    private static let brief: TimeInterval = 5

    init(view: LiveView, width: Int, now: Date) {
        self.view = view
        self.now = now
        room = max(width - 1, 1)
        sizes = room >= 104 ? .both : room >= 72 ? .whole : .none
        hasTime = room >= 46
        hasSpeed = room >= 58 || (30..<46).contains(room)
        var fixed = 2 + Self.percentColumns
        if sizes != .none { fixed += 2 + sizes.columns }
        if hasSpeed { fixed += 2 + Self.speedColumns }
        if hasTime { fixed += 2 + Self.timeColumns }
        let flexible = max(room - fixed - 1, 4)
        if room < 46 {
            title = flexible
            bar = 0
        } else {
            title = min(64, max(18, flexible * 11 / 20))
            bar = flexible - title - 2
        }
    }

    /// All lines: downloads, waits, and the overall line last, so that it never moves.
    func lines(height: Int) -> [String] {
        // Too narrow for columns: only the run's overall progress.
        guard room >= Self.narrowest else {
            return [TerminalFormat.cut(Wording.percent(view.tally.fraction(of: view.downloads)), to: room, mark: "")]
        }
        let limit = max(1, height - 1)
        let notices = self.notices()
        let shownNotices = Array(notices.prefix(max(0, min(limit - 2, 3))))
        return rows(atMost: limit - 1 - shownNotices.count) + shownNotices + [overall()]
    }

    private var style: TerminalStyle { view.style }

    private func rows(atMost limit: Int) -> [String] {
        let visible = view.downloads.filter { download in
            if case .retrying(let until, _) = download.phase {
                return until > now && now.timeIntervalSince(download.phaseSince) < Self.brief
            }
            return now.timeIntervalSince(download.since) >= Self.calm
        }
        // Titles alone say little when several courses run.
        let hasHeadings = Set(visible.map(\.reference.course)).count > 1
        let headings = hasHeadings ? Set(visible.map(\.reference.course)).count : 0
        guard visible.count + headings > limit else { return listed(visible, hasHeadings) }
        guard limit > 0 else { return [] }
        return cut(visible, to: limit)
    }

    /// The rows, each course under its heading.
    private func listed(_ downloads: [LiveDownload], _ hasHeadings: Bool) -> [String] {
        guard hasHeadings else { return downloads.map(row) }
        var lines: [String] = []
        var course: String?
        for download in downloads {
            if download.reference.course != course {
                course = download.reference.course
                lines.append(heading(download.reference.course))
            }
            lines.append(row(download))
        }
        return lines
    }

    private func heading(_ course: String) -> String {
        let title = style.text(view.courses[course] ?? course)
        return " " + style.paint(TerminalFormat.cut(title, to: room - 1, mark: style.ellipsis), .bold)
    }

    private func cut(_ visible: [LiveDownload], to limit: Int) -> [String] {
        let rest = visible.dropFirst(limit - 1)
        let speed = rest.reduce(Int64(0)) { $0 + $1.progress.bytesPerSecond }
        let label = "\(style.ellipsis) and \(Wording.count(rest.count, "more", "more"))"
        return visible.prefix(limit - 1).map(row)
            + [compose(title: label, role: .dim, bar: nil, percent: "", amounts: "", speed: speed, seconds: nil)]
    }

    private func row(_ download: LiveDownload) -> String {
        let mark = download.renewals > 0 ? "\(style.hasUnicode ? "↻" : "x")\(download.renewals) " : ""
        let name = mark + style.text(download.reference.title)
        let progress = download.progress
        switch download.phase {
        case .connecting:
            return said(
                name, "connecting" + (progress.bytes > 0 ? ", goes on at \(Wording.size(progress.bytes))" : ""), .dim)
        case .finishing:
            let text = ProgressBar(style: style).filled(1, columns: bar, role: .finishing)
            return compose(
                title: name, bar: text, percent: "100%", amounts: amounts(progress.bytes, progress.size),
                note: "finishing")
        case .retrying(let until, let why):
            let delay = Wording.duration(max(0, until.timeIntervalSince(now)))
            return said(name, "again in \(delay): \(style.text(why))", .notice)
        case .downloading:
            let bars = ProgressBar(style: style)
            let text =
                download.fraction.map { bars.filled($0, columns: bar) }
                ?? bars.wandering(at: now.timeIntervalSince(download.since), columns: bar)
            let note = download.silence(at: now).map { "no data for \(Wording.duration($0))" }
            return compose(
                title: name, bar: text, percent: download.fraction.map(Wording.percent) ?? "",
                amounts: amounts(progress.bytes, progress.size), speed: progress.bytesPerSecond,
                seconds: download.secondsLeft, note: note, noteRole: .notice)
        }
    }

    private func notices() -> [String] {
        var lines = view.waits.filter { $0.until > now }.map { wait in
            notice(Wording.waiting(wait.name, wait.kind, until: wait.until, now: now, zone: view.zone))
        }
        if let until = view.resumeUntil, until > now {
            lines.append(
                notice("waiting \(Wording.resumeWaiting(until: until, now: now, zone: view.zone))"))
        }
        let later = view.downloads.compactMap { download -> Date? in
            guard case .retrying(let until, _) = download.phase, until > now,
                now.timeIntervalSince(download.phaseSince) >= Self.brief
            else { return nil }
            return until
        }
        if let first = later.min() {
            let delay = Wording.duration(first.timeIntervalSince(now))
            lines.append(notice("\(Wording.count(later.count, "download")) to try again, the next in \(delay)"))
        }
        return lines
    }

    private func notice(_ text: String) -> String {
        " " + style.paint(TerminalFormat.cut(style.text(text), to: room - 1, mark: style.ellipsis), .notice)
    }

    private func overall() -> String {
        let tally = view.tally
        let active = view.downloads
        let failed = tally.failed > 0 ? ", \(Wording.grouped(tally.failed)) failed" : ""
        var label = "\(Wording.grouped(tally.finished)) of \(Wording.grouped(tally.total)) done\(failed)"
        if label.count > title { label = "\(tally.finished)/\(tally.total)\(failed)" }
        let fraction = tally.fraction(of: active)
        return compose(
            title: label, role: .bold, bar: ProgressBar(style: style).filled(fraction, columns: bar, role: .good),
            percent: Wording.percent(fraction), amounts: amounts(max(0, tally.presentBytes), tally.wantedBytes),
            speed: tally.meter.bytesPerSecond(at: now), seconds: tally.secondsLeft(of: active, at: now))
    }

    /// A line with words in place of the bar.
    private func said(_ name: String, _ text: String, _ role: TerminalStyle.Role) -> String {
        let rest = room - 1 - title - 2
        return " " + column(name, .plain) + "  "
            + style.paint(TerminalFormat.cut(text, to: rest, mark: style.ellipsis), role)
    }

    private func compose(
        title name: String, role: TerminalStyle.Role = .plain, bar text: String?, percent: String, amounts: String,
        speed: Int64 = 0, seconds: Double? = nil, note: String? = nil, noteRole: TerminalStyle.Role = .dim
    ) -> String {
        var line = " " + column(name, role)
        if bar > 0 { line += "  " + (text ?? String(repeating: " ", count: bar)) }
        line += "  " + TerminalFormat.right(percent, to: Self.percentColumns)
        if sizes != .none { line += "  " + style.paint(TerminalFormat.right(amounts, to: sizes.columns), .dim) }
        if let note {
            let columns = (hasSpeed ? Self.speedColumns : 0) + (hasTime ? Self.timeColumns + (hasSpeed ? 2 : 0) : 0)
            guard columns > 0 else { return line }
            return line + "  "
                + style.paint(TerminalFormat.cut(TerminalFormat.right(note, to: columns), to: columns), noteRole)
        }
        if hasSpeed { line += "  " + TerminalFormat.right(speed > 0 ? Wording.rate(speed) : "", to: Self.speedColumns) }
        if hasTime {
            let time = seconds.map(Wording.duration) ?? ""
            line += "  " + style.paint(TerminalFormat.right(time, to: Self.timeColumns), .dim)
        }
        return line
    }

    /// The title, followed by a cursor move to the end of its column if it isn't plain ASCII: terminals disagree on the
    /// width of some emoji, and the next column must be aligned all the same.
    private func column(_ name: String, _ role: TerminalStyle.Role) -> String {
        let text = style.paint(TerminalFormat.fit(name, to: title, mark: style.ellipsis), role)
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : text + "\u{1B}[\(title + 2)G"
    }

    private func amounts(_ bytes: Int64, _ size: Int64?) -> String {
        guard let size else { return sizes == .whole ? "" : Wording.size(bytes) }
        if sizes == .whole { return Wording.size(size) }
        let (have, want) = (Wording.size(bytes), Wording.size(size))
        // A common unit is written once.
        let parts = have.split(separator: " ")
        if parts.count == 2, want.hasSuffix(" \(parts[1])") { return "\(parts[0])/\(want)" }
        return "\(have)/\(want)"
    }
}
