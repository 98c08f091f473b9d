import DownloadStore
package import Foundation
package import SyncFacts
import Terminal

/// The output of `sync --dry-run`.
package enum DryRunText {
    /// One line: the action for a download, and its reason.
    package static func line(_ item: DryRunItem, now: Date, zone: TimeZone) -> String {
        let selector = ShellWord.quoted(Selector(item.reference).description)
        let title = item.reference.title == item.reference.video ? "" : "  \(item.reference.title)"
        let detail = detail(item, now: now, zone: zone)
        let what = "\(TerminalFormat.fit(verb(item.action), to: 9)) \(selector)\(title)\(detail)"
        return TerminalFormat.printable("\(what) (\(item.why.words(now: now, zone: zone)))")
    }

    /// The same as JSON.
    ///
    /// - Parameter shard: in a sync of all shards the one that has it, as `2/4`.
    package static func json(_ item: DryRunItem, now: Date, zone: TimeZone, shard: String? = nil) -> [UInt8] {
        var object = JSONLine()
        object.event("would_\(verb(item.action))", at: now)
        if let shard { object.field("shard", shard) }
        JSONEvents.whole(&object, item.reference)
        object.field("why", item.why.words(now: now, zone: zone))
        object.field("reason", item.why.code)
        switch item.action {
        case .resume(let from): object.field("resume_from", from)
        case .move(let from, let to):
            object.field("from", from)
            object.field("path", to)
        case .link(let path), .adopt(let path), .remove(let path): object.field("path", path)
        case .wait(let until): object.field("until", until)
        case .download, .refetch, .finish, .keep, .ask: break
        }
        switch item.why {
        case .failed(let error, let retryAt):
            if let error { JSONEvents.error(&object, error) }
            object.field("retry_at", retryAt)
        case .putOff(let error): if let error { JSONEvents.error(&object, error) }
        case .notBefore(let time, _): object.field("not_before", time)
        default: break
        }
        object.field("size", item.size)
        return object.finished()
    }

    /// The last line: the number of each action, and the downloads left alone.
    package static func summary(_ plan: DryRunPlan) -> String {
        let rest = rest(plan)
        let left = rest.isEmpty ? "" : "; left alone: \(rest.joined(separator: ", "))"
        let work = plan.items.filter { !$0.isLeft }
        let finished = plan.summary.downloads[.finished] ?? 0
        guard !work.isEmpty else {
            let known = plan.unasked.isEmpty ? "" : ", as far as is known"
            return "nothing to do\(known): \(Wording.count(finished, "video")) up to date\(left)"
        }
        var counts: [String: Int] = [:]
        for item in work { counts[verb(item.action), default: 0] += 1 }
        let order = ["download", "resume", "finish", "refetch", "ask", "link", "adopt", "move", "remove"]
        let parts = order.compactMap { verb in counts[verb].map { "\(verb) \(Wording.grouped($0))" } }
        let sizes = work.compactMap(\.size)
        let bytes = sizes.byteCount(\.self).value
        let size = bytes > 0 ? "; \(sizes.count < work.count ? "at least " : "")\(Wording.size(bytes)) to transfer" : ""
        return "would \(Wording.list(parts))\(size)\(left)"
    }

    /// What the plan can't know; nil if it knows everything.
    package static func unknown(_ plan: DryRunPlan) -> String? {
        guard !plan.unasked.isEmpty else { return nil }
        let courses = plan.unasked.prefix(3).map { Selector(course: $0).description }
        let more = plan.unasked.count - courses.count
        let names = Wording.list(courses + (more > 0 ? [Wording.count(more, "other course")] : []))
        return TerminalFormat.printable(
            "not asked: what the providers of \(names) list now; to ask them as a sync does: --dry-run --list")
    }

    /// `2 waiting`, `1 failed`: downloads that a sync would not touch.
    private static func rest(_ plan: DryRunPlan) -> [String] {
        var counts: [(word: String, count: Int)] = []
        for item in plan.items where item.isLeft {
            let word =
                switch item.why {
                case .putOff: "waiting"
                case .failed: "failed"
                case .paused: "paused"
                case .cancelled: "cancelled"
                default: "gone"
                }
            if let index = counts.firstIndex(where: { $0.word == word }) {
                counts[index].count += 1
            } else {
                counts.append((word, 1))
            }
        }
        return counts.map { "\(Wording.grouped($0.count)) \($0.word)" }
    }

    private static func verb(_ action: DryRunItem.Action) -> String {
        switch action {
        case .download: "download"
        case .resume: "resume"
        case .move: "move"
        case .link: "link"
        case .adopt: "adopt"
        case .remove: "remove"
        case .refetch: "refetch"
        case .finish: "finish"
        case .wait: "wait"
        case .keep: "keep"
        case .ask: "ask"
        }
    }

    private static func detail(_ item: DryRunItem, now: Date, zone: TimeZone) -> String {
        switch item.action {
        case .download, .refetch: item.size.map { ", \(Wording.size($0))" } ?? ""
        case .resume(let from):
            " from \(Wording.size(from))" + (item.size.map { " of \(Wording.size(from + $0))" } ?? "")
        case .move(let from, let to): ": \(from) -> \(to)"
        case .link(let path), .adopt(let path), .remove(let path): ": \(path)"
        case .wait(let until): " until \(ClockFormat.local(until, now: now, zone: zone))"
        case .finish, .keep, .ask: ""
        }
    }
}

extension DryRunItem {
    /// Whether no action is planned.
    fileprivate var isLeft: Bool {
        switch action {
        case .wait, .keep: true
        default: false
        }
    }
}
