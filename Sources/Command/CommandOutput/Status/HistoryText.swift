import DownloadStore
package import Foundation
package import Operations
import SyncFacts
import Terminal

/// The output of `history`.
package struct HistoryText {
    let now: Date
    let zone: TimeZone

    package init(now: Date, zone: TimeZone) {
        self.now = now
        self.zone = zone
    }

    /// A table with a line a run, and lines beneath it that say where videos failed and why it did nothing.
    package func lines(_ runs: [PastRun]) -> [String] {
        guard !runs.isEmpty else { return ["no sync has run yet"] }
        let hasShards = runs.contains { $0.shard != nil }
        let titles = ["started", "took", "new", "finished", "failed", "received", "library"]
        let rows = runs.map { run in (hasShards ? [run.shard ?? ""] : []) + cells(run) }
        let heads = (hasShards ? ["shard"] : []) + titles
        let widths = heads.indices.map { column in
            rows.reduce(DisplayWidth.of(heads[column])) { max($0, DisplayWidth.of($1[column])) }
        }
        let indent = String(repeating: " ", count: widths[0] + 2)
        var lines = [Self.joined(heads, widths, hasShards: hasShards) + "  result"]
        for (run, row) in zip(runs, rows) {
            lines.append(Self.joined(row, widths, hasShards: hasShards) + "  " + Self.result(run))
            lines += Self.notes(run).map { indent + TerminalFormat.printable($0) }
        }
        return lines
    }

    /// Numbers stand to the right, times and names to the left.
    private static func joined(_ cells: [String], _ widths: [Int], hasShards: Bool) -> String {
        let texts = hasShards ? 2 : 1
        return zip(cells, widths).enumerated().map { index, cell in
            index < texts ? TerminalFormat.fit(cell.0, to: cell.1) : TerminalFormat.right(cell.0, to: cell.1)
        }.joined(separator: "  ")
    }

    private func cells(_ run: PastRun) -> [String] {
        let (record, end) = (run.record, run.record.end)
        let seconds = (record.endedAt ?? now).timeIntervalSince(record.startedAt)
        return [
            ClockFormat.stamp(record.startedAt, zone: zone),
            run.ending == .killed ? "" : Wording.duration(seconds),
            record.added.map(Wording.grouped) ?? "",
            end.map { Wording.grouped($0.finished) } ?? "",
            end.map { Wording.grouped($0.failed) } ?? "",
            end.map { Wording.size($0.bytes) } ?? "",
            record.libraryBytes.map { Wording.size($0) } ?? "",
        ]
    }

    /// `ok`, `running`, `killed`, or the exit code and what it means.
    package static func result(_ run: PastRun) -> String {
        switch run.ending {
        case .running: return "running"
        case .killed: return "killed"
        case .ended: break
        }
        guard let conditions = run.conditions else { return "problems" }
        let status = ExitStatus(conditions)
        guard status != .success else { return "ok" }
        return "\(status.rawValue): \(run.record.end?.stop.map(ExitText.stop) ?? status.meaning)"
    }

    /// What moved, where videos failed, and why it did nothing.
    package static func notes(_ run: PastRun) -> [String] {
        guard let end = run.record.end else { return [] }
        let hosts = end.failedAt.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { host, count in
            "\(Wording.shown(host)) \(Wording.grouped(count))"
        }
        let failed = hosts.isEmpty ? [] : ["failed at: " + hosts.joined(separator: ", ")]
        let changes = [(end.moved, "moved"), (end.removed, "removed")].filter { $0.0 > 0 }
            .map { "\(Wording.grouped($0.0)) \($0.1)" }
        return (changes.isEmpty ? [] : [changes.joined(separator: ", ")]) + failed
            + (end.message.map { [String($0.prefix { !$0.isNewline })] } ?? [])
    }

    /// The line of a run as JSON, its line break included. Fields may be added, never renamed.
    package static func json(_ run: PastRun) -> [UInt8] {
        let (record, end) = (run.record, run.record.end)
        var line = JSONLine()
        line.field("run", record.id)
        line.field("shard", run.shard)
        line.field("started", record.startedAt)
        line.field("ended", record.endedAt)
        line.field("ending", run.ending.rawValue)
        line.field("exit", run.conditions.map { Int(ExitStatus($0).rawValue) })
        line.field("stop_reason", end?.stop?.rawValue)
        line.field("new_now", record.added)
        line.field("finished_now", end?.finished)
        line.field("failed_now", end?.failed)
        line.field("moved_now", end?.moved)
        line.field("removed_now", end?.removed)
        line.field("bytes", end?.bytes)
        line.field("library_bytes", record.libraryBytes)
        JSONEvents.failures(&line, at: end?.failedAt ?? [:])
        line.field("message", end?.message)
        line.field("catalogs", record.catalogs)
        return line.finished()
    }
}
