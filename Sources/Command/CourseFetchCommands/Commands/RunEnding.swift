import CommandOutput
import FileSystem
import Foundation
import SystemPackage

/// The files that a run leaves at its end, and the user's command that follows. Failures are reported, and have no
/// other effect.
struct RunEnding: Sendable {
    /// The path of the report; nil for none.
    let report: String?
    /// The path of the metrics; nil for none.
    let metrics: String?
    /// The command; nil for none.
    let command: FinishCommand?
    /// As `2/8`; nil for all courses.
    let shard: String?

    init(report: String? = nil, metrics: String? = nil, command: FinishCommand? = nil, shard: String? = nil) {
        self.report = report
        self.metrics = metrics
        self.command = command
        self.shard = shard
    }

    /// Writes the files; returns failures as warnings, without `warning: `.
    func write(_ facts: RunReport) -> [String] {
        var problems: [String] = []
        if let report {
            do throws(Errno) {
                try AtomicFileWriter.write(facts.json, to: report)
            } catch {
                problems.append("can't write the report to \(report): \(error)")
            }
        }
        if let metrics {
            do throws(Errno) {
                try write(RunMetrics(facts, shard: shard), to: metrics)
            } catch {
                problems.append("can't write the metrics to \(metrics): \(error)")
            }
        }
        return problems
    }

    private func write(_ metrics: RunMetrics, to path: String) throws(Errno) {
        var facts = stat()
        let isThere = stat(path, &facts) == 0
        // A pipe without a writer would block.
        let isFile = isThere && facts.st_mode & S_IFMT == S_IFREG
        let earlier = isFile ? FileManager.default.contents(atPath: path) : nil
        let text = metrics.text(after: earlier.map { String(decoding: $0, as: UTF8.self) } ?? "")
        try AtomicFileWriter.write(Array(text.utf8), to: path)
        // Prometheus's node exporter is another account. A file that is there keeps its mode.
        if !isThere { chmod(path, 0o644) }
    }

    /// Runs the command; returns its failure as a warning.
    func runCommand(_ facts: RunReport) async -> [String] {
        await command?.run(input: facts.json).map { [$0] } ?? []
    }
}
