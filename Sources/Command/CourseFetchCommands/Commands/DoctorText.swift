import CommandOutput
import Foundation
import Operations
import SyncFacts

/// The text output of `doctor`: a line for each finding under its topic, with its remedy.
struct DoctorText {
    let style: TerminalStyle
    let zone: TimeZone
    let now: Date

    private static let markWidth = 7

    /// All lines. `file` is the path of the settings file, and whether it exists.
    func lines(_ diagnosis: Diagnosis, settings: [SettingsListing.Row], file: (path: String, exists: Bool)?) -> [String]
    {
        var lines: [String] = []
        for topic in Diagnosis.Topic.allCases {
            let facts = diagnosis.facts.filter { $0.topic == topic }
            guard !facts.isEmpty else { continue }
            lines += [style.paint(title(topic), .bold)] + facts.flatMap(self.lines) + [""]
        }
        lines.append(style.paint("Settings", .bold))
        if let file { lines.append("  file: \(style.text(file.path))\(file.exists ? "" : " (there is none)")") }
        let width = settings.map(\.name.count).max() ?? 0
        for row in settings {
            let line = "  \(TerminalText.fit(row.name, to: width))  \(row.value)"
            lines.append(style.text(line) + style.paint("  \(style.text(row.origin.description))", .dim))
        }
        return lines + ["", summary(diagnosis)]
    }

    private func lines(_ fact: DiagnosisFact) -> [String] {
        let advice = DoctorWording.advice(fact)
        let text = DoctorWording.text(fact, now: now, zone: zone)
        let indent = String(repeating: " ", count: Self.markWidth + 4)
        let mark = style.paint(TerminalText.fit(mark(fact.severity), to: Self.markWidth), role(fact.severity))
        let all = TerminalText.printableLines(text) + advice.flatMap { TerminalText.printableLines($0) }
        return all.enumerated().map { index, line in
            (index == 0 ? "  \(mark)  " : indent) + style.text(line)
        }
    }

    private func summary(_ diagnosis: Diagnosis) -> String {
        let problems = diagnosis.count(.problem)
        let warnings = diagnosis.count(.warning)
        if problems + warnings == 0 { return style.paint("no problems found", .good) }
        let parts = [
            problems > 0 ? style.paint(Wording.count(problems, "problem"), .bad) : nil,
            warnings > 0 ? style.paint(Wording.count(warnings, "warning"), .notice) : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func title(_ topic: Diagnosis.Topic) -> String {
        switch topic {
        case .state: "State"
        case .library: "Library"
        case .plugins: "Plugins"
        case .network: "Network"
        case .versions: "Versions"
        }
    }

    private func mark(_ severity: Diagnosis.Severity) -> String {
        severity == .note ? style.separator : severity.rawValue
    }

    private func role(_ severity: Diagnosis.Severity) -> TerminalStyle.Role {
        switch severity {
        case .ok: .good
        case .note: .dim
        case .warning: .notice
        case .problem: .bad
        }
    }
}

/// The output of `doctor --json`: one object for each finding and each setting, and a last one with the sums.
enum DoctorJSON {
    static func line(_ fact: DiagnosisFact, now: Date, zone: TimeZone) -> [UInt8] {
        var line = JSONLine()
        line.event("finding", at: now)
        line.field("topic", fact.topic.rawValue)
        line.field("check", DoctorWording.name(fact))
        line.field("severity", fact.severity.rawValue)
        line.field("message", DoctorWording.text(fact, now: now, zone: zone))
        line.field("advice", DoctorWording.advice(fact))
        return line.finished()
    }

    static func line(_ row: SettingsListing.Row, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("setting", at: now)
        line.field("name", row.name)
        line.field("value", row.value == "–" ? nil : row.value)
        line.field("origin", row.origin.description)
        return line.finished()
    }

    static func summary(_ diagnosis: Diagnosis, exit: ExitStatus, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("doctor_finished", at: now)
        line.field("exit", Int(exit.rawValue))
        line.field("problems", diagnosis.count(.problem))
        line.field("warnings", diagnosis.count(.warning))
        line.field("refused", diagnosis.refusal?.message)
        return line.finished()
    }
}
