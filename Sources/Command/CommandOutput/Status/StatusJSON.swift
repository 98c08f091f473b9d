import DownloadStore
import FileSystem
package import Operations
import SyncFacts

/// The output of `status --json`: one object per download.
package enum StatusJSON {
    /// The line of a download with its line break.
    ///
    /// - Parameter library: the folder of relative paths; nil if the state knows none.
    package static func line(_ row: StatusRow, library: String?) -> [UInt8] {
        var line = JSONLine()
        JSONEvents.whole(&line, row.reference)
        line.field("course_title", row.courseTitle)
        line.field("chapter_title", row.chapterTitle)
        line.field("state", row.state.rawValue)
        line.field("reason", row.reason?.rawValue)
        line.field("priority", row.priority)
        line.field("bytes", row.bytes)
        line.field("size", row.size)
        line.field("bytes_per_second", row.bytesPerSecond)
        line.field("path", row.path)
        line.field("absolute_path", row.path.flatMap { path in library.map { "\($0)/\(path)" } })
        line.field("finished_at", row.finishedAt)
        if let error = row.error { JSONEvents.error(&line, error) } else { line.field("error", nil as String?) }
        line.field("retry_at", row.retryAt)
        line.field("updated_at", row.updatedAt)
        line.field("provider", row.provider)
        line.field("file", row.file)
        line.field("gone", row.gone)
        line.field("sha256", row.sha256)
        if let seconds = row.mediaSeconds { line.field("media_seconds", seconds: seconds) }
        if let role = row.role { line.field("stream", role) }
        if !row.views.isEmpty {
            line.objects("streams", row.views) { line, view in
                line.field("stream", view.role)
                line.field("path", view.file.path)
                line.field("bytes", view.file.size)
                line.field("sha256", view.file.sha256?.hex)
            }
        }
        JSONEvents.sidecars(&line, wanted: row.sidecarsWanted, failed: row.sidecarsFailed)
        if !row.sidecars.isEmpty {
            line.objects("sidecars", row.sidecars) { line, sidecar in
                line.field("kind", sidecar.name.kind.rawValue)
                line.field("name", sidecar.name.name)
                line.field("state", sidecar.state.rawValue)
                if let error = sidecar.error {
                    JSONEvents.error(&line, error)
                } else {
                    line.field("error", nil as String?)
                }
                line.field("retry_at", sidecar.retryAt)
            }
        }
        return line.finished()
    }
}
