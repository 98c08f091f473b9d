import DownloadStore
package import Operations
import SyncFacts

/// What `status --json` prints: one object a download.
package enum StatusJSON {
    /// The line of a download, its line break included.
    package static func line(_ row: StatusRow) -> [UInt8] {
        var line = JSONLine()
        JSONEvents.ids(&line, row.reference)
        line.field("title", row.reference.title)
        line.field("state", row.state.rawValue)
        line.field("reason", row.reason?.rawValue)
        line.field("priority", row.priority)
        line.field("bytes", row.bytes)
        line.field("size", row.size)
        line.field("bytes_per_second", row.bytesPerSecond)
        line.field("path", row.path)
        if let error = row.error { JSONEvents.error(&line, error) } else { line.field("error", nil as String?) }
        line.field("retry_at", row.retryAt)
        line.field("updated_at", row.updatedAt)
        line.field("provider", row.provider)
        line.field("file", row.file)
        line.field("gone", row.gone)
        line.field("sha256", row.sha256)
        if let seconds = row.mediaSeconds { line.field("media_seconds", seconds: seconds) }
        JSONEvents.sidecars(&line, wanted: row.sidecarsWanted, failed: row.sidecarsFailed)
        return line.finished()
    }
}
