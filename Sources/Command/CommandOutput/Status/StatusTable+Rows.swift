import DownloadStore
import Foundation
import Operations
import SyncFacts
import Terminal

/// The lines of single videos.
extension StatusTable {
    /// The state of a video, and a remedy. A selector or a command is never cut or broken.
    func videoLines(_ row: StatusRow, now: Date) -> [String] {
        let selector = style.text(ShellWord.quoted(Selector(row.reference).description))
        let facts = self.facts(row, now: now)
        let mark = style.paint(TerminalFormat.fit(row.state.word, to: 9), role(row.state))
        let bar = bar(row)
        let fixed = 4 + 9 + 2 + DisplayWidth.ofLine(bar) + DisplayWidth.of(selector) + 2
        var title = row.reference.title == row.reference.video ? "" : style.text(row.reference.title)
        if let width = form.width {
            let room = max(0, width - fixed - (facts.isEmpty ? 0 : DisplayWidth.of(facts) + 2))
            title = room >= 6 ? TerminalFormat.cut(title, to: room, mark: style.ellipsis) : ""
        }
        var line = "    \(mark)  \(bar)\(selector)"
        if !title.isEmpty { line += "  \(title)" }
        if !facts.isEmpty { line += "  " + style.paint(facts, .dim) }
        let views = row.views.flatMap { role, file in indented("with \(role), \(Wording.size(file.size))") }
        let beside = views + row.sidecars.filter { $0.error != nil }.flatMap { indented(words($0, now: now)) }
        guard let error = row.error, row.state != .finished else { return [line] + beside }
        let explainer = Explainer(catalogs: [])
        var lines = [line] + indented(explainer.reason(error))
        if row.state == .failed, !row.gone {
            let explanation = explainer.failure(
                of: row.reference, error, retryAt: row.retryAt, file: row.file, provider: row.provider, now: now,
                zone: zone)
            lines += advice(explanation)
        }
        return lines + beside
    }

    /// `subtitle en: not found (404) at media.example.org/a.vtt; next try after 23:40`.
    private func words(_ sidecar: MissingSidecar, now: Date) -> String {
        let name = sidecar.name.name
        let title: String =
            switch sidecar.name.kind {
            case .unasked: "subtitles and attachments"
            default: name.isEmpty ? sidecar.name.kind.rawValue : "\(sidecar.name.kind.rawValue) \(name)"
            }
        let error = sidecar.error.map { ": \($0.message)" } ?? ""
        guard let retryAt = sidecar.retryAt else {
            return title + error + (sidecar.state == .failed ? "; given up" : "; the next sync tries it")
        }
        guard retryAt > now else { return title + error + "; the next sync tries it" }
        return title + error + "; next try after \(ClockFormat.local(retryAt, now: now, zone: zone))"
    }

    private static let margin = String(repeating: " ", count: 15)

    private func indented(_ text: String) -> [String] {
        guard let width = form.width else { return [Self.margin + style.text(text)] }
        return TerminalFormat.wrap(style.text(text), to: max(24, width - 16)).map { Self.margin + $0 }
    }

    private func advice(_ explanation: Explanation) -> [String] {
        guard let advice = explanation.advice else { return [] }
        guard let width = form.width, let command = explanation.command.map(style.text),
            DisplayWidth.of(style.text(advice)) > width - 16
        else { return indented(advice) }
        return indented("\(explanation.remedy ?? "try"):") + ["\(Self.margin)\(command)"]
    }

    private func bar(_ row: StatusRow) -> String {
        guard form.hasBars, row.state == .active, let size = row.size, size > 0 else { return "" }
        let fraction = min(1, Double(row.bytes) / Double(size))
        let percent = TerminalFormat.right(Wording.percent(fraction), to: 4)
        return "\(ProgressBar(style: style).filled(fraction, columns: 12))\(percent)  "
    }

    private func facts(_ row: StatusRow, now: Date) -> String {
        var facts: [String] = []
        switch row.state {
        case .finished: facts.append(Wording.size(row.wholeSize ?? row.bytes))
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
        if let sidecars = Self.sidecars(wanted: row.sidecarsWanted, failed: row.sidecarsFailed) {
            facts.append(sidecars)
        }
        if let reason = row.reason { facts.append(words(reason, row, now: now)) }
        if let retryAt = row.retryAt, retryAt > now, row.state == .waiting {
            facts.append("next try after \(ClockFormat.local(retryAt, now: now, zone: zone))")
        }
        if row.gone { facts.append("no longer listed") }
        return facts.joined(separator: ", ")
    }

    /// The reason of a wait or stop.
    private func words(_ reason: SuspendReason, _ row: StatusRow, now: Date) -> String {
        switch reason {
        case .auth: "waits for a login at \(style.text(row.provider))"
        case .window: "stopped at \(ClockFormat.local(row.updatedAt, now: now, zone: zone))"
        case .signal: "stopped by Ctrl-C or a signal"
        case .logout: "stopped by a logout"
        case .quota: "stopped when --max-transfer was used up"
        case .disk: "stopped because of too little free disk space"
        case .descriptors: "stopped because this computer is out of processes or files"
        case .interrupted: "interrupted by a crash or a kill"
        case .lost: "its file is missing"
        }
    }
}
