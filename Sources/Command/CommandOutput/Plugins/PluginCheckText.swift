package import Foundation
package import Operations
package import ProviderConformance
package import Terminal

/// The output of `plugins check`: a line per check, then what failed, then a sum.
package struct PluginCheckText {
    private let style: TerminalStyle
    /// Whether what the plugin wrote to stderr is shown with each failure.
    private let showsStderr: Bool

    package init(style: TerminalStyle, showsStderr: Bool = false) {
        self.style = style
        self.showsStderr = showsStderr
    }

    package func line(_ result: ConformanceReport.Result) -> String {
        switch result.verdict {
        case .passed: "  \(style.paint("ok", .good))       \(result.check.title)"
        case .failed: "  \(style.paint("FAILED", .bad))   \(result.check.title) (\(result.check.rawValue))"
        case .skipped(let reason):
            "  \(style.paint("skipped", .dim))  \(result.check.title): "
                + style.text(ConformanceWording.sentence(reason))
        }
    }

    /// The line of one check if it failed.
    package func failure(_ result: ConformanceReport.Result) -> String? {
        result.verdict.isFailure ? line(result) : nil
    }

    /// What failed, and the sum.
    package func ending(_ report: ConformanceReport) -> [String] {
        var lines: [String] = []
        for result in report.results {
            guard case .failed(let failures) = result.verdict else { continue }
            lines += ["", style.paint("FAILED  \(result.check.title) (\(result.check.rawValue))", .bad)]
            for failure in failures {
                lines.append("  \(style.text(ConformanceWording.sentence(failure.fault)))")
                if let exchange = failure.exchange {
                    if !exchange.sent.isEmpty { lines.append("  sent  \(style.text(exchange.sent))") }
                    lines.append("  came  \(exchange.came.map { style.text($0) } ?? "nothing")")
                }
                if showsStderr { lines += failure.stderr.map { "  stderr  \(style.text($0))" } }
            }
            lines.append("  docs/protocol.md: “\(result.check.sentence)”")
        }
        lines += notes(report)
        let (passed, failed, skipped) = report.counts
        let version = report.version.map { " \($0)" } ?? ""
        let sum =
            """
            \(report.name)\(version): \(Wording.count(report.results.count, "check")), \(passed) ok, \(failed) failed, \
            \(skipped) skipped
            """
        lines += ["", style.text("\(sum), in \(Wording.tenths(report.duration / .seconds(1))) s")]
        return lines
    }

    /// What is no failure.
    private func notes(_ report: ConformanceReport) -> [String] {
        var lines = report.warnings.map { "\(style.paint("warning", .notice)): \(style.text($0))" }
        if !report.unused.isEmpty {
            let files = report.unused.prefix(10).joined(separator: ", ")
            let more = report.unused.count > 10 ? ", and \(report.unused.count - 10) more" : ""
            lines.append("\(style.paint("note", .dim)): nothing asked for \(style.text(files + more))")
        }
        let hasStderr = report.results.contains { result in
            if case .failed(let failures) = result.verdict { failures.contains { !$0.stderr.isEmpty } } else { false }
        }
        if hasStderr, !showsStderr { lines.append("\(style.paint("note", .dim)): -v shows what it wrote to stderr") }
        return lines.isEmpty ? [] : [""] + lines
    }

    /// The JSON object of one check.
    package static func json(_ result: ConformanceReport.Result, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("plugin_checked", at: now)
        line.field("check", result.check.rawValue)
        line.field("title", result.check.title)
        var failures: [CheckFailure] = []
        var reason: String?
        switch result.verdict {
        case .passed: line.field("result", "ok")
        case .failed(let found):
            line.field("result", "failed")
            failures = found
        case .skipped(let skip):
            line.field("result", "skipped")
            reason = ConformanceWording.sentence(skip)
        }
        line.field("reason", reason)
        line.field("seconds", seconds: result.duration / .seconds(1))
        line.field("sentence", result.check.sentence)
        line.objects("failures", failures) { line, failure in
            line.field("message", ConformanceWording.sentence(failure.fault))
            line.field("sent", failure.exchange.flatMap { $0.sent.isEmpty ? nil : $0.sent })
            line.field("came", failure.exchange?.came)
            line.field("stderr", failure.stderr)
        }
        return line.finished()
    }

    /// The last JSON object.
    package static func json(_ report: ConformanceReport, now: Date) -> [UInt8] {
        let (passed, failed, skipped) = report.counts
        var line = JSONLine()
        line.event("plugin_check_finished", at: now)
        line.field("exit", Int(ExitStatus(report).rawValue))
        line.field("plugin", report.name)
        line.field("version", report.version)
        line.field("folder", report.folder)
        line.field("ok", passed)
        line.field("failed", failed)
        line.field("skipped", skipped)
        line.field("warnings", report.warnings)
        line.field("unused_exchanges", report.unused)
        line.field("seconds", seconds: report.duration / .seconds(1))
        return line.finished()
    }
}

extension ExitStatus {
    /// Success, or that a check found a problem.
    package init(_ report: ConformanceReport) { self = report.isSuccess ? .success : .failures }

    /// What a command about plugins ends with that does nothing.
    package init(_ problem: PluginsProblem) {
        switch problem {
        case .failedChecks, .notInstalled(_, elsewhere: _?): self = .failures
        case .broken, .installedBroken: self = .providerBroken
        case .unwritable: self = .stateUnusable
        default: self = .usage
        }
    }
}
