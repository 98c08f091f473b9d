import CommandOutput
import DownloadStore
package import Foundation
package import SyncFacts
package import Terminal

/// The view of a running sync: a value that takes events and returns lines.
///
/// The lines of ``lines(width:height:now:)`` stay at the bottom of the terminal and are redrawn; those of
/// ``takeScrolled(width:now:)`` are written once, above them. No line is wider than requested.
package struct LiveView: Sendable {
    let style: TerminalStyle
    let zone: TimeZone
    private(set) var tally = LiveTally()
    private var active: [VideoReference: LiveDownload] = [:]
    /// The number of downloads that have been active so far.
    private var begun = 0
    /// The position of each video in the catalogs.
    private var order: [VideoReference: Int] = [:]
    /// Titles of courses by their ids.
    private(set) var courses: [String: String] = [:]
    /// Hosts and providers that get no requests, and until when.
    private(set) var waits: [(name: String, until: Date, kind: String)] = []
    /// How long the sync waits for a resume, with everything paused.
    private(set) var resumeUntil: Date?
    private var scroll: [ScrollEntry] = []
    private(set) var explainer: Explainer
    private var groups = FailureGroups()
    private var isOver = false

    /// `user` is the given name, if any: commands to paste contain it.
    package init(style: TerminalStyle, zone: TimeZone) {
        explainer = Explainer(catalogs: [])
        self.style = style
        self.zone = zone
    }

    /// The downloads in progress, in catalog order.
    var downloads: [LiveDownload] {
        func place(_ download: LiveDownload) -> (Int, Int) {
            (order[download.reference] ?? .max, download.number)
        }
        return active.values.sorted { place($0) < place($1) }
    }

    package mutating func receive(_ event: SyncEvent, at now: Date) {
        switch event {
        case .lockWaiting(let holder, let until):
            scroll.append(.note("waiting " + Wording.lockWaiting(holder, until: until, now: now, zone: zone)))
        case .started(let start): begin(start, at: now)
        case .coursesListed(let listed): scroll.append(.note(Wording.listed(listed)))
        case .courseListed(let listed): if let text = Wording.listed(listed) { scroll.append(.note(text)) }
        case .downloadsAdded(let addition):
            tally.add(addition)
            order = addition.order.places()
            courses = addition.order.courses
        case .resolved(let reference, _, let reason, _):
            update(reference, at: now) {
                $0.enter(.connecting, at: now)
                if reason != .first { $0.renewals += 1 }
            }
        case .downloadStarted(let reference, let resumeFrom):
            update(reference, at: now) {
                $0.enter(.connecting, at: now)
                $0.progress.bytes = resumeFrom
            }
        case .progress(let reference, let progress): receive(progress, of: reference, at: now)
        case .downloadFinished(let reference, let file): finish(reference, file, at: now)
        case .downloadRetrying(let reference, _, let error, let delay):
            let until = now.addingTimeInterval(Double(delay.components.seconds))
            update(reference, at: now) {
                $0.enter(.retrying(until: until, why: error.message), at: now)
                $0.progress.bytesPerSecond = 0
            }
        case .downloadFailed(let reference, let error, let retryAt):
            let download = remove(reference)
            tally.failedOne(reference, download, active: active.count)
            if groups.take(reference, error, retryAt: retryAt, at: now) { break }
            scroll.append(.failed(explainer.failure(of: reference, error, retryAt: retryAt, now: now, zone: zone)))
        case .downloadPaused(let reference): drop(reference, "paused")
        case .downloadCancelled(let reference): drop(reference, "cancelled")
        case .downloadSuspended(let reference, _): putBack(reference)
        case .resumeWaiting(let until): resumeUntil = until
        case .downloadWaiting(let reference):
            resumeUntil = nil
            // An active one waits again; any other is new in this run.
            if putBack(reference) == nil { tally.addOne(reference) }
        case .downloadGone(let reference, let path):
            scroll.append(.note("\(Explainer.name(reference)): \(Wording.gone(path: path))"))
        case .downloadRemoved(let reference): scroll.append(.note("\(Explainer.name(reference)): removed"))
        case .downloadMoved(_, let from, let path):
            scroll.append(.note("moved \(from) \(style.hasUnicode ? "→" : "->") \(path)"))
        case .downloadJoined(_, let file): scroll.append(.note("joined \(file.path)"))
        case .providerWaiting(let name, let until, let kind, let server),
            .hostWaiting(let name, let until, let kind, let server):
            let name = Wording.server(name, server)
            waits.removeAll { $0.name == name || $0.until <= now }
            if until > now { waits.append((name, until, kind)) }
        case .warning(.doubtful(let diagnostic), _):
            // With its source line below.
            scroll.append(.text(SyncWarning.doubtful(diagnostic).message))
        case .warning(let warning, let reference):
            scroll.append(.warning(reference.map { "\(Explainer.name($0)): \(warning.message)" } ?? warning.message))
        case .courseHeld(let course): scroll.append(.warning(course.message))
        case .resting, .finished: isOver = true
        }
    }

    /// A run that watches its catalogs starts again and again.
    private mutating func begin(_ start: SyncStart, at now: Date) {
        isOver = false
        tally = LiveTally()
        tally.start(start, at: now)
        explainer.catalogs = start.catalogs
        order = start.order.places()
        courses = start.order.courses
    }

    private mutating func finish(_ reference: VideoReference, _ file: FinishedFile, at now: Date) {
        let download = remove(reference)
        if let download {
            tally.arrived(file.bytes - download.progress.bytes, at: now)
            if download.progress.size == nil { tally.sizeIsKnown(file.bytes) }
        }
        tally.finishedOne(
            reference, size: file.bytes, counted: download?.progress.bytes, active: active.count)
        scroll.append(.finished(file))
    }

    private mutating func drop(_ reference: VideoReference, _ word: String) {
        let download = remove(reference)
        tally.dropOne(reference, download, active: active.count)
        scroll.append(.note("\(Explainer.name(reference)): \(word)"))
    }

    /// Puts a line of text above the live lines.
    package mutating func note(_ text: String) { scroll.append(.text(text)) }

    /// The lines that have become final since the last call.
    package mutating func takeScrolled(width: Int, now: Date) -> [String] {
        for group in groups.due(at: now, isOver: isOver) {
            scroll.append(
                .failed(
                    explainer.failure(
                        of: group.reference, group.error, retryAt: group.retryAt, count: group.count, now: now,
                        zone: zone)))
        }
        defer { scroll.removeAll(keepingCapacity: true) }
        return scroll.flatMap { $0.lines(width: width, style: style) }
    }

    /// The current lines, at most `height`, each narrower than `width`; none once the run is over, or without anything
    /// to download.
    package func lines(width: Int, height: Int, now: Date) -> [String] {
        let hasNothing = tally.total == 0 && active.isEmpty && waits.isEmpty && resumeUntil == nil
        return isOver || hasNothing ? [] : LiveLayout(view: self, width: width, now: now).lines(height: height)
    }

    private mutating func receive(_ progress: DownloadProgress, of reference: VideoReference, at now: Date) {
        var arrived: Int64 = 0
        var newSize: Int64?
        update(reference, at: now) { download in
            arrived = progress.bytes - download.progress.bytes
            if download.progress.size == nil { newSize = progress.size }
            download.progress = progress
            let isComplete = progress.size.map { progress.bytes >= $0 } ?? false
            download.enter(isComplete ? .finishing : .downloading, at: now)
        }
        tally.arrived(arrived, at: now)
        if let newSize { tally.sizeIsKnown(newSize) }
    }

    private mutating func update(_ reference: VideoReference, at now: Date, _ change: (inout LiveDownload) -> Void) {
        let known = active[reference]
        if known == nil { begun += 1 }
        var download = known ?? LiveDownload(reference, number: begun, partial: tally.activated(reference), at: now)
        let before = download.progress.bytes
        change(&download)
        if download.progress.bytes != before || known == nil { download.dataSince = now }
        tally.changed(by: download.progress.bytes - before)
        active[reference] = download
        if known == nil { tally.raiseTotal(active: active.count) }
    }

    /// Ends its turn; its bytes stay.
    @discardableResult
    private mutating func putBack(_ reference: VideoReference) -> LiveDownload? {
        let download = remove(reference)
        if let download { tally.deactivated(download) }
        return download
    }

    private mutating func remove(_ reference: VideoReference) -> LiveDownload? {
        active.removeValue(forKey: reference)
    }
}
