import DownloadStore
package import Foundation
package import Migration
import SyncFacts
import Terminal
import YAMLSource

/// The output of `migrate --json`: one object per record, and a last one with the sums.
package enum MigrationJSON {
    package static func line(_ record: MigratedRecord, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("record_migrated", at: now)
        line.field("record", name(record.name))
        line.field("result", record.code.rawValue)
        line.field("course", record.reference?.course)
        line.field("chapter", record.reference?.chapter)
        line.field("video", record.reference?.video)
        line.field("title", record.reference?.title)
        line.field("selector", record.reference.map { Selector($0).description })
        line.field("path", record.path)
        line.field("bytes", record.bytes)
        line.field("queued", record.isQueued)
        line.field("earlier", record.isEarlier)
        line.field("reason", record.reason?.word)
        line.field("message", record.message.map(AddressRedactor.withoutSecrets))
        return line.finished()
    }

    /// The last line.
    package static func summary(_ summary: MigrationSummary, exit: ExitStatus, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("migrate_finished", at: now)
        line.field("exit", Int(exit.rawValue))
        line.object("results") { line in
            line.field("added", summary.counts[.added] ?? 0)
            line.field("duplicate", summary.counts[.duplicate] ?? 0)
            line.field("invalid_record", summary.counts[.invalidRecord] ?? 0)
            line.field("uncompleted", summary.counts[.uncompleted] ?? 0)
            line.field("file_lost", summary.counts[.fileLost] ?? 0)
            line.field("not_ready", summary.counts[.notReady] ?? 0)
            line.field("failed", summary.counts[.failed] ?? 0)
        }
        line.field("left", summary.left)
        line.field("earlier", summary.earlier)
        line.field("queued", summary.queued)
        line.field("bytes", summary.bytes)
        line.field("catalog", summary.writtenCatalog?.path)
        line.field("source_removed", isRemoved(summary))
        line.field("dry_run", summary.isDryRun)
        line.field("complete", isComplete(summary))
        line.field("message", summary.problem.map { AddressRedactor.withoutSecrets($0.message) })
        line.objects("errors", summary.mistakes.map(\.located)) { line, error in
            line.field("file", error.file.isEmpty ? nil : error.file)
            line.field("line", error.line)
            line.field("column", error.column)
            line.field("message", error.message)
        }
        return line.finished()
    }

    /// A record's name as it may be shown: many are addresses.
    static func name(_ name: String) -> String { AddressRedactor.withoutSecrets(TerminalFormat.printable(name)) }

    /// Whether every record was looked at.
    private static func isComplete(_ summary: MigrationSummary) -> Bool {
        summary.problem == nil && summary.mistakes.isEmpty && !summary.isStopped && !summary.isDiskFull
    }

    private static func isRemoved(_ summary: MigrationSummary) -> Bool {
        if case .removed = summary.removal { !summary.isDryRun } else { false }
    }
}
