import CommandOutput
package import DownloadStore
import Foundation
package import Operations
import SyncFacts
import TextFormats

/// What the page of the running sync shows.
package struct LiveFacts: Sendable {
    package var report: StatusReport
    /// The newest run; nil if there is none.
    package var lastRun: PastRun?

    package init(report: StatusReport, lastRun: PastRun?) {
        self.report = report
        self.lastRun = lastRun
    }

    var totals: StatusTotals {
        var totals = StatusTotals()
        for group in report.groups ?? [] { totals.add(group.totals) }
        return totals
    }

    /// How many videos are in each state.
    package var states: [DownloadState: Int] { totals.states }
    package var isSyncing: Bool { report.running != nil || report.shards.contains { $0.running != nil } }
    /// Bytes a second of all transfers.
    package var rate: Double { Double(totals.bytesPerSecond ?? 0) }

    var active: [StatusRow] { report.rows.filter { $0.state == .active } }

    func count(_ state: DownloadState) -> Int { totals.states[state] ?? 0 }

    /// Those that proceed by themselves.
    var waiting: Int { count(.waiting) + count(.suspended) }

    /// What the sync leaves alone, each with why, and until when.
    func hosts(now: Date, zone: TimeZone) -> [Fields] {
        Wording.waits(report.waits, now: now, zone: zone).map { ["name": $0.name, "text": $0.text] }
    }

    /// What prevents syncs now; nil for nothing.
    var problem: String? {
        if report.isLoggedOut { return "You are logged out: no sync downloads anything until you log in." }
        if report.isLibraryMissing { return "The library’s folder is missing. Is its disk mounted?" }
        if report.isLibraryAnother { return "The library’s folder isn’t the library. Is its disk mounted?" }
        return nil
    }

    /// In a sentence, for the home page; nil if no sync runs.
    package var sentence: String? {
        guard report.running != nil || report.shards.contains(where: { $0.running != nil }) else { return nil }
        let totals = totals
        var parts = ["\(Wording.grouped(totals.finished)) of \(Wording.count(totals.count, "video"))"]
        if let rate = totals.bytesPerSecond, rate > 0 { parts.append(Wording.rate(rate)) }
        if let left = totals.secondsLeft { parts.append("\(PageWords.span(left)) left") }
        return "\(LiveFacts.activity(report)): \(parts.joined(separator: ", "))"
    }

    static func activity(_ report: StatusReport) -> String {
        let running = report.running ?? report.shards.lazy.compactMap(\.running).first
        switch running?.activity {
        case .syncing: return "Syncing"
        case .watching: return "Watching"
        case .stopping: return "Stopping"
        case .waitingForLogin: return "Waiting for a login"
        case nil: return "No sync is running"
        }
    }
}

/// The page of the running sync.
package struct NowPage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    /// Videos that are shown as the next ones.
    package static let mostNext = 10

    /// - Parameter next: those that wait, in their order; at most ``mostNext``.
    package func now(_ facts: LiveFacts, next: [ViewedVideo]) -> Fields {
        let report = facts.report
        let running = report.running ?? report.shards.lazy.compactMap(\.running).first
        let totals = facts.totals
        let left = totals.bytesLeft
        let isIdle = running == nil
        var controls: [(String, String)] = []
        if facts.waiting + facts.active.count > 0 { controls.append(("pause", "Pause all")) }
        if facts.count(.paused) > 0 { controls.append(("resume", "Resume all")) }
        if facts.count(.failed) > 0 { controls.append(("retry", "Retry what failed")) }
        let more = facts.waiting - next.count
        let hosts = facts.hosts(now: now, zone: zone)
        return fields(
            "Now", .now,
            [
                "isRunning": !isIdle, "activity": LiveFacts.activity(report),
                "since": running.map { "since \(PageWords.instant($0.since, frame))" } ?? "",
                "host": running?.host ?? "", "lastRun": orAbsent(facts.lastRun.flatMap(sentence)),
                "isStopped": facts.problem != nil, "problem": facts.problem ?? "",
                "finished": Wording.grouped(totals.finished), "finishedValue": "\(totals.finished)",
                "videos": Wording.grouped(totals.count), "videosMax": "\(max(1, totals.count))",
                "bytes": Wording.size(totals.doneBytes.value),
                "left": left.bytes.value > 0 ? (left.isWhole ? "" : "at least ") + Wording.size(left.bytes.value) : "–",
                "rate": totals.bytesPerSecond.map { Wording.rate($0) } ?? "–",
                "eta": totals.secondsLeft.map { $0 > 0 ? PageWords.span($0) : "–" } ?? "–",
                "waiting": Wording.grouped(facts.waiting), "paused": Wording.grouped(facts.count(.paused)),
                "failed": Wording.grouped(facts.count(.failed)),
                "controls": controls.map { action, label -> Fields in
                    ["id": "", "action": action, "label": label, "about": absent]
                },
                "hasActive": !facts.active.isEmpty, "active": facts.active.map(item),
                "hasHosts": !hosts.isEmpty, "hosts": hosts, "hasWaiting": !next.isEmpty,
                "nextVideos": next.map { fields($0) },
                "moreWaiting": orAbsent(more > 0 ? "and \(Wording.count(more, "more video"))" : nil),
                "blankActive": [
                    "id": "", "href": "", "title": "", "courseTitle": "", "sizeMax": "1", "bytesValue": "0", "done": "",
                    "bytesText": "", "rateText": "",
                ] as Fields, "blankHost": ["name": "", "text": ""] as Fields,
            ])
    }

    private func sentence(_ run: PastRun) -> String? {
        guard run.ending != .running else { return nil }
        let at = PageWords.instant(run.record.endedAt ?? run.record.startedAt, frame)
        return "The last one ended \(at): \(HistoryText.result(run))."
    }

    private func item(_ row: StatusRow) -> Fields {
        let size = row.size.flatMap { $0 > 0 ? $0 : nil }
        return [
            "id": Selector(row.reference).description,
            "href": address("video", row.reference.course, row.reference.video),
            "title": row.reference.title.isEmpty ? row.reference.video : row.reference.title,
            "courseTitle": row.courseTitle, "sizeMax": orAbsent(size.map { "\($0)" }), "bytesValue": "\(row.bytes)",
            "done": size.map { Wording.percent(Double(row.bytes) / Double($0)) } ?? "",
            "bytesText": size.map { "\(Wording.size(row.bytes)) of \(Wording.size($0))" } ?? Wording.size(row.bytes),
            "rateText": row.bytesPerSecond.map { Wording.rate($0) } ?? "–",
        ]
    }

    /// The running sync as JSON, for the page's script. Addresses in it begin at the page's root.
    package static func live(_ facts: LiveFacts) -> [UInt8] {
        let report = facts.report
        let totals = facts.totals
        let left = totals.bytesLeft
        let running = report.running ?? report.shards.lazy.compactMap(\.running).first
        var fields: [String: Any] = [
            "running": absent, "videos": totals.count, "finished": totals.finished,
            "failed": facts.count(.failed), "waiting": facts.waiting, "paused": facts.count(.paused),
            "bytes": totals.doneBytes.value, "left": orAbsent(left.bytes.value > 0 ? left.bytes.value : nil),
            "left_is_whole": left.isWhole, "rate": orAbsent(totals.bytesPerSecond),
            "eta": orAbsent(totals.secondsLeft.flatMap { $0 > 0 ? Int(min($0, 1e15)) : nil }),
            "hosts": facts.hosts(now: Date(), zone: .current), "message": orAbsent(facts.problem),
        ]
        if let running {
            fields["running"] = [
                "activity": running.activity.rawValue, "since": running.since.formatted(.iso8601), "host": running.host,
            ]
        }
        fields["active"] = facts.active.map { row -> Fields in
            let (course, video) = (row.reference.course, row.reference.video)
            let path = [course, video].map { PercentEncoding.encoded($0) }.joined(separator: "/")
            return [
                "id": Selector(row.reference).description, "course": course, "video": video,
                "title": row.reference.title.isEmpty ? video : row.reference.title, "courseTitle": row.courseTitle,
                "href": "video/\(path)", "bytes": row.bytes, "size": orAbsent(row.size),
                "rate": orAbsent(row.bytesPerSecond),
            ]
        }
        let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { [UInt8]($0) } ?? Array("{}".utf8)
    }
}

/// What the page of the past syncs shows.
package struct NightFacts: Sendable {
    /// A part of the runs, the newest first.
    package var runs: [PastRun]
    /// How many runs there are.
    package var count: Int
    /// The place of the first one among all, from 1 on.
    package var first: Int
    /// The runs of the plots, the oldest first.
    package var plotted: [PastRun]
    /// Rows that failed.
    package var failures: [StatusRow]
    package var courses: [ViewedCourse]
    /// The disk space of each course by its id.
    package var diskBytes: [String: ByteCount]
    /// Free bytes of the library's disk; nil if unknown.
    package var free: Int64?

    package init(
        runs: [PastRun], count: Int, first: Int, plotted: [PastRun], failures: [StatusRow], courses: [ViewedCourse],
        diskBytes: [String: ByteCount], free: Int64?
    ) {
        self.runs = runs
        self.count = count
        self.first = first
        self.plotted = plotted
        self.failures = failures
        self.courses = courses
        self.diskBytes = diskBytes
        self.free = free
    }
}

/// The page of the past syncs.
package struct NightsPage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    private static let mostFailures = 50
    private static let mostCourses = 40

    package func nights(_ facts: NightFacts) -> Fields {
        let end = facts.first + facts.runs.count - 1
        var pager: Any = absent
        if facts.count > facts.runs.count, !facts.runs.isEmpty {
            pager =
                [
                    "range": "Syncs \(facts.first)–\(end) of \(Wording.grouped(facts.count))",
                    "first": orAbsent(facts.first > 1 ? root + "nights" : nil),
                    "next": orAbsent(end < facts.count ? root + "nights?after=\(end)" : nil),
                ] as Fields
        }
        let failures = facts.failures.prefix(Self.mostFailures)
        let hidden = facts.failures.count - failures.count
        let disk = disk(facts)
        let plots = Plots(frame: frame).all(facts.plotted)
        return fields(
            "Nights", .nights,
            [
                "counts": orAbsent(facts.count > 0 ? Wording.count(facts.count, "sync", "syncs") : nil),
                "none": orAbsent(facts.count == 0 ? "No sync has run yet." : nil), "hasRuns": !facts.runs.isEmpty,
                "runs": facts.runs.map(line), "pager": pager, "hasPlots": !plots.isEmpty, "plots": plots,
                "hasFailures": !failures.isEmpty, "failures": failures.map(failure),
                "moreFailures": orAbsent(
                    hidden > 0 ? "and \(hidden) more; all of them: coursefetch status --failed" : nil),
                "hasDisk": !disk.rows.isEmpty, "disk": disk.rows, "diskSummary": disk.summary,
                "moreDisk": orAbsent(disk.more),
            ])
    }

    private func line(_ run: PastRun) -> Fields {
        let (record, end) = (run.record, run.record.end)
        let seconds = (record.endedAt ?? now).timeIntervalSince(record.startedAt)
        let result = HistoryText.result(run)
        let name: String
        switch run.ending {
        case .running: name = "downloading"
        case .killed: name = "stopped"
        case .ended:
            let isPlain = run.conditions.map { $0.isDisjoint(with: [.downloadsFailed, .stateUnusable]) } ?? false
            name = result == "ok" ? "ok" : isPlain ? "stopped" : "failed"
        }
        return [
            "started": PageWords.instant(record.startedAt, frame) + (run.shard.map { " (\($0))" } ?? ""),
            "took": run.ending == .killed ? "" : Wording.duration(seconds),
            "added": record.added.map(Wording.grouped) ?? "",
            "finished": end.map { Wording.grouped($0.finished) } ?? "",
            "failed": end.map { Wording.grouped($0.failed) } ?? "",
            "received": end.map { Wording.size($0.bytes) } ?? "",
            "size": record.libraryBytes.map { Wording.size($0) } ?? "", "resultName": name, "result": result,
            "notes": HistoryText.notes(run),
        ]
    }

    private func failure(_ row: StatusRow) -> Fields {
        let error = row.error ?? DownloadError(kind: .bug, message: "")
        let explainer = Explainer(catalogs: [])
        let explanation = explainer.failure(
            of: row.reference, error, retryAt: row.retryAt, file: row.file, provider: row.provider, now: now, zone: zone
        )
        let remedy = explanation.remedy ?? ""
        return [
            "href": address("video", row.reference.course, row.reference.video),
            "title": row.reference.title.isEmpty ? row.reference.video : row.reference.title,
            "course": row.courseTitle, "when": PageWords.instant(row.updatedAt, frame),
            "problem": explainer.reason(error),
            "step": remedy.prefix(1).uppercased() + remedy.dropFirst() + (explanation.command == nil ? "." : ":"),
            "command": orAbsent(explanation.command),
            "control": [
                "id": Selector(row.reference).description, "action": "retry", "label": "Retry",
                "about": row.reference.title,
            ] as Fields,
        ]
    }

    private func disk(_ facts: NightFacts) -> (rows: [Fields], summary: String, more: String?) {
        let sorted = facts.courses.map { ($0, facts.diskBytes[$0.id]?.value ?? $0.sums.bytes.value) }
            .filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
        let all = sorted.reduce(ByteCount(0)) { $0 + ByteCount($1.1) }
        let most = Double(sorted.first?.1 ?? 1)
        let rows = sorted.prefix(Self.mostCourses).map { course, bytes -> Fields in
            [
                "href": address("course", course.id), "title": course.title,
                "percent": "\(max(1, Int(Double(bytes) / most * 100)))", "size": Wording.size(bytes),
                "videos": Wording.count(course.sums.finished + course.sums.gone, "video"),
            ]
        }
        let others = sorted.dropFirst(Self.mostCourses)
        let rest = others.reduce(ByteCount(0)) { $0 + ByteCount($1.1) }
        let free = facts.free.map { "; \(Wording.size($0)) are free on the library’s disk" } ?? ""
        return (
            rows, "\(Wording.size(all.value)) in \(Wording.count(sorted.count, "course"))\(free).",
            others.isEmpty
                ? nil : "and \(Wording.count(others.count, "smaller course")), \(Wording.size(rest.value))"
        )
    }
}
