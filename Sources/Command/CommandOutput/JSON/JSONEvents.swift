import DownloadStore
import FileSystem
package import Foundation
package import SyncFacts

/// The events of a sync as JSON, one object a line. Fields may be added, never renamed.
package enum JSONEvents {
    /// The version in the first event of a run.
    package static let schema = 1

    /// The line of an event with its line break. Times are relative to `now`.
    ///
    /// - Parameter shard: in a sync of all shards the one that it is about, as `2/4`.
    package static func line(_ event: SyncEvent, now: Date, shard: String? = nil) -> [UInt8] {
        var line = JSONLine()
        line.event(shard == nil ? name(event) : nameOfShard(event), at: now)
        if let shard { line.field("shard", shard) }
        switch event {
        case .lockWaiting(let holder, let until): lock(&line, holder, until: until)
        case .started(let start): fill(&line, start)
        case .courseListed(let listed): fill(&line, listed)
        case .coursesListed(let listed): fill(&line, listed)
        case .downloadsAdded(let addition): fill(&line, addition)
        case .resolved(let reference, let attempt, let reason, let expiresAt):
            ids(&line, reference)
            line.field("attempt", attempt)
            line.field("reason", reason.rawValue)
            line.field("expires_at", expiresAt)
        case .downloadStarted(let reference, let resumeFrom):
            ids(&line, reference)
            line.field("resume_from", resumeFrom)
        case .progress(let reference, let progress):
            ids(&line, reference)
            fill(&line, progress)
        case .downloadFinished(let reference, let file), .downloadJoined(let reference, let file):
            ids(&line, reference)
            fill(&line, file)
        case .downloadRetrying(let reference, let attempt, let error, let delay):
            ids(&line, reference)
            line.field("attempt", attempt)
            self.error(&line, error)
            line.field("delay", seconds: delay / .seconds(1))
        case .downloadFailed(let reference, let error, let retryAt):
            ids(&line, reference)
            self.error(&line, error)
            line.field("retry_at", retryAt)
        case .downloadSuspended(let reference, let reason):
            ids(&line, reference)
            line.field("reason", reason.rawValue)
        case .downloadPaused(let reference), .downloadCancelled(let reference), .downloadWaiting(let reference),
            .downloadRemoved(let reference):
            ids(&line, reference)
        case .downloadGone(let reference, let path):
            ids(&line, reference)
            line.field("path", path)
        case .downloadMoved(let reference, let from, let path):
            ids(&line, reference)
            line.field("from", from)
            line.field("path", path)
        case .providerWaiting(let provider, let until, let kind, let server):
            waiting(&line, of: ("provider", provider), until: until, kind: kind, server: server)
        case .hostWaiting(let host, let until, let kind, let server):
            waiting(&line, of: ("host", host), until: until, kind: kind, server: server)
        case .resumeWaiting(let until): line.field("until", until)
        case .courseHeld(let held): fill(&line, held)
        case .warning(let warning, let reference):
            line.field("message", warning.message)
            if let reference { ids(&line, reference) }
        case .resting(let summary, let until):
            line.field("until", until)
            fill(&line, summary)
        case .finished(let summary): fill(&line, summary)
        }
        return line.finished()
    }

    private static func lock(_ line: inout JSONLine, _ holder: LockHolder?, until: Date?) {
        line.field("schema", schema)
        line.field("pid", holder?.pid)
        line.field("host", holder?.host)
        line.field("since", holder?.since)
        line.field("catalogs", holder?.catalogs ?? [])
        line.field("until", until)
    }

    private static func fill(_ line: inout JSONLine, _ listed: CourseListed) {
        line.field("course", listed.course)
        line.field("title", listed.title)
        line.field("videos", listed.videos)
        line.field("was", listed.was)
        line.field("added", listed.added)
        line.field("removed", listed.removed)
    }

    private static func fill(_ line: inout JSONLine, _ listed: CoursesListed) {
        line.field("provider", listed.provider)
        line.field("courses", listed.courses)
        line.field("was", listed.was)
        line.field("added", listed.added)
        line.field("removed", listed.removed)
    }

    private static func fill(_ line: inout JSONLine, _ addition: SyncAddition) {
        counts(&line, addition.downloads)
        if let bytes = addition.waitingBytes { line.field("waiting_bytes", bytes) }
        line.field("present_bytes", addition.partials.values.byteCount(\.bytes).value)
    }

    private static func fill(_ line: inout JSONLine, _ progress: DownloadProgress) {
        line.field("bytes", progress.bytes)
        line.field("size", progress.size)
        line.field("bytes_per_second", progress.bytesPerSecond)
        if let playing = progress.playing {
            line.field("media_seconds", seconds: playing.seconds)
            line.field("media_seconds_total", seconds: playing.total)
        }
    }

    private static func fill(_ line: inout JSONLine, _ file: FinishedFile) {
        line.field("path", file.path)
        line.field("bytes", file.bytes)
        line.field("sha256", file.sha256)
        line.field("seconds", seconds: file.seconds)
    }

    private static func fill(_ line: inout JSONLine, _ held: HeldCourse) {
        line.field("course", held.course)
        switch held.reason {
        case .filesMissing(let count, let finished, _):
            line.field("reason", "files_missing")
            line.field("missing", count)
            line.field("finished", finished)
        case .unreadable: line.field("reason", "unreadable")
        case .unsettled: line.field("reason", "unsettled")
        }
        line.field("message", held.message)
    }

    private static func waiting(
        _ line: inout JSONLine, of owner: (key: StaticString, name: String), until: Date, kind: String, server: String?
    ) {
        line.field(owner.key, owner.name)
        line.field("until", until)
        line.field("kind", kind)
        if let server { line.field("server", server) }
    }

    /// The last event of a shard isn't the last one of the sync.
    private static func nameOfShard(_ event: SyncEvent) -> String {
        switch event {
        case .finished: "shard_finished"
        default: name(event)
        }
    }

    private static func name(_ event: SyncEvent) -> String {
        switch event {
        case .lockWaiting: "lock_waiting"
        case .started: "sync_started"
        case .courseListed: "course_listed"
        case .coursesListed: "courses_listed"
        case .downloadsAdded: "downloads_added"
        case .resolved: "resolved"
        case .downloadStarted: "download_started"
        case .progress: "progress"
        case .downloadFinished: "download_finished"
        case .downloadRetrying: "download_retrying"
        case .downloadFailed: "download_failed"
        case .downloadSuspended: "download_suspended"
        case .downloadPaused: "download_paused"
        case .downloadCancelled: "download_cancelled"
        case .downloadWaiting: "download_waiting"
        case .downloadGone: "download_gone"
        case .downloadRemoved: "download_removed"
        case .downloadMoved: "download_moved"
        case .downloadJoined: "download_joined"
        case .providerWaiting: "provider_waiting"
        case .hostWaiting: "host_waiting"
        case .resumeWaiting: "resume_waiting"
        case .courseHeld: "course_held"
        case .warning: "warning"
        case .resting: "sync_resting"
        case .finished: "sync_finished"
        }
    }

    private static func fill(_ line: inout JSONLine, _ start: SyncStart) {
        line.field("schema", schema)
        line.field("user", start.user)
        line.field("run", start.run)
        line.field("catalogs", start.catalogs)
        line.field("library", start.library)
        counts(&line, start.downloads)
        if let bytes = start.waitingBytes { line.field("waiting_bytes", bytes) }
        line.field("present_bytes", start.partials.values.byteCount(\.bytes).value)
    }

    private static func fill(_ line: inout JSONLine, _ summary: SyncSummary) {
        facts(&line, summary)
        if !summary.loginsNeeded.isEmpty { logins(&line, summary.loginsNeeded) }
    }

    /// The video's ids, titles and selector, so that the line can be read alone.
    static func whole(_ line: inout JSONLine, _ reference: VideoReference) {
        ids(&line, reference)
        line.field("title", reference.title)
        line.field("selector", Selector(reference).description)
    }

    /// The result of a run, for the last event and for the report.
    static func facts(_ line: inout JSONLine, _ summary: SyncSummary) {
        line.field("exit", Int(ExitStatus(summary.conditions).rawValue))
        counts(&line, summary.downloads)
        line.field("finished_now", summary.finishedNow)
        line.field("failed_now", summary.failedNow)
        line.field("moved_now", summary.movedNow)
        line.field("removed_now", summary.removedNow)
        line.field("bytes", summary.bytes)
        line.field("seconds", seconds: summary.seconds)
        line.field("warnings", summary.warnings)
        line.field("stop_reason", summary.stopReason?.rawValue)
        line.objects("errors", summary.errors.map(\.located)) { line, error in
            line.field("file", error.file.isEmpty ? nil : error.file)
            line.field("line", error.line)
            line.field("column", error.column)
            line.field("message", error.message)
        }
        sidecars(&line, wanted: summary.sidecarsWanted, failed: summary.sidecarsFailed)
        if summary.answers > 0 {
            line.field("answers", summary.answers)
            line.field("answers_expired", summary.answersExpired)
        }
        if !summary.shards.isEmpty {
            line.objects("shards", summary.shards) { line, ending in
                line.field("shard", ending.shard)
                line.field("exit", ending.conditions.map { Int(ExitStatus($0).rawValue) })
            }
        }
        failures(&line, at: summary.failedAt)
        if summary.coursesUnlisted > 0 { line.field("courses_unlisted", summary.coursesUnlisted) }
        if summary.coursesUnasked > 0 { line.field("courses_unasked", summary.coursesUnasked) }
        if !summary.leftAlone.isEmpty {
            line.objects("left_alone", summary.leftAlone) { line, left in
                line.field("provider", left.provider)
                line.field("server", left.server)
                line.field("until", left.until)
                line.field("videos", left.videos)
            }
        }
    }

    /// How many videos failed at each host, the most first; nothing if none did.
    static func failures(_ line: inout JSONLine, at hosts: [String: Int]) {
        guard !hosts.isEmpty else { return }
        line.objects("failures_by_host", hosts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }) { line, host in
            line.field("host", host.key)
            line.field("failed", host.value)
        }
    }

    /// The servers that want a login.
    static func logins(_ line: inout JSONLine, _ needs: [RequiredLogin]) {
        line.objects("logins_needed", needs) { line, need in
            line.field("provider", need.provider)
            line.field("server", need.server)
        }
    }

    /// The shards that a command leaves out, and why; nothing if there are none.
    static func leftOut(_ line: inout JSONLine, _ refusals: [Refusal]) {
        let shards = refusals.compactMap(ShardLeftOut.init)
        guard !shards.isEmpty else { return }
        line.objects("left_out", shards) { line, shard in shard.fill(&line) }
    }

    /// The line for a shard that a command leaves out, in an output without a last line.
    package static func leftOut(_ refusal: Refusal, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("shard_left_out", at: now)
        ShardLeftOut(refusal)?.fill(&line)
        return line.finished()
    }

    private struct ShardLeftOut {
        let shard: String
        let refusal: Refusal

        init?(_ refusal: Refusal) {
            guard case .run(.shardLeftOut(let shard, let why)) = refusal else { return nil }
            (self.shard, self.refusal) = (shard, why)
        }

        func fill(_ line: inout JSONLine) {
            line.field("shard", shard)
            line.field("exit", Int(ExitStatus([refusal.condition]).rawValue))
            line.field("message", SuggestedCommand.about(shard: shard) { refusal.message })
        }
    }

    /// The numbers of missing sidecars; nothing if there are none.
    static func sidecars(_ line: inout JSONLine, wanted: Int, failed: Int) {
        if wanted > 0 { line.field("sidecars_wanted", wanted) }
        if failed > 0 { line.field("sidecars_failed", failed) }
    }

    /// All states, including those without downloads: a reader needs no defaults.
    private static func counts(_ line: inout JSONLine, _ downloads: [DownloadState: Int]) {
        line.object("downloads") { line in
            line.field("waiting", downloads[.waiting] ?? 0)
            line.field("active", downloads[.active] ?? 0)
            line.field("paused", downloads[.paused] ?? 0)
            line.field("suspended", downloads[.suspended] ?? 0)
            line.field("finished", downloads[.finished] ?? 0)
            line.field("failed", downloads[.failed] ?? 0)
            line.field("cancelled", downloads[.cancelled] ?? 0)
        }
    }

    static func ids(_ line: inout JSONLine, _ reference: VideoReference) {
        line.field("course", reference.course)
        line.field("chapter", reference.chapter)
        line.field("video", reference.video)
    }

    static func error(_ line: inout JSONLine, _ error: DownloadError) {
        line.object("error") { line in
            line.field("kind", error.kind.rawValue)
            line.field("message", error.message)
            line.field("status", error.status)
        }
    }
}
