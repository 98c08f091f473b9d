package import Foundation
package import Operations
package import Terminal

/// The text output of `doctor`: a line for each finding under its topic, with its remedy.
package struct DoctorText {
    private let style: TerminalStyle
    private let zone: TimeZone
    private let now: Date

    private static let markWidth = 7

    package init(style: TerminalStyle, zone: TimeZone, now: Date) {
        self.style = style
        self.zone = zone
        self.now = now
    }

    /// All lines. `files` are the paths of the settings files, and whether they exist.
    package func lines(
        _ diagnosis: Diagnosis, settings: [SettingInEffect], files: [(path: String, exists: Bool)]
    ) -> [String] {
        var lines: [String] = []
        for topic in Diagnosis.Topic.allCases {
            let facts = diagnosis.facts.filter { $0.topic == topic }
            guard !facts.isEmpty else { continue }
            lines += [style.paint(title(topic), .bold)] + facts.flatMap(self.lines) + [""]
        }
        lines.append(style.paint("Settings", .bold))
        for file in files { lines.append("  file: \(style.text(file.path))\(file.exists ? "" : " (there is none)")") }
        let width = settings.map(\.name.count).max() ?? 0
        for row in settings {
            let line = "  \(TerminalFormat.fit(row.name, to: width))  \(row.value)"
            lines.append(style.text(line) + style.paint("  \(style.text(row.origin))", .dim))
        }
        return lines + ["", summary(diagnosis)]
    }

    private func lines(_ fact: DiagnosisFact) -> [String] {
        let advice = DoctorWording.advice(fact)
        let text = DoctorWording.text(fact, now: now, zone: zone)
        let indent = String(repeating: " ", count: Self.markWidth + 4)
        let mark = style.paint(TerminalFormat.fit(mark(fact.severity), to: Self.markWidth), role(fact.severity))
        let all = TerminalFormat.printableLines(text) + advice.flatMap { TerminalFormat.printableLines($0) }
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
        case .unattended: "Unattended syncs"
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
