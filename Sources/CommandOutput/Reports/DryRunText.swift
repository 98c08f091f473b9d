import DownloadStore
package import Operations
import SyncFacts

/// What `sync --dry-run` prints.
package enum DryRunText {
    /// One line: what would be done with a download, and why.
    package static func line(_ item: DryRunItem) -> String {
        let selector = ShellWord.quoted(Selector(item.reference).description)
        let title = item.reference.title == item.reference.video ? "" : "  \(item.reference.title)"
        let what = "\(TerminalText.fit(verb(item.action), to: 9)) \(selector)\(title)\(detail(item))"
        return TerminalText.printable("\(what) (\(item.why.words))")
    }

    /// The same as JSON.
    package static func json(_ item: DryRunItem) -> [UInt8] {
        var object = JSONLine()
        object.field("event", "would_\(verb(item.action))")
        JSONEvents.ids(&object, item.reference)
        object.field("why", item.why.words)
        switch item.action {
        case .resume(let from): object.field("resume_from", from)
        case .move(let from, let to):
            object.field("from", from)
            object.field("path", to)
        case .link(let path), .adopt(let path), .remove(let path): object.field("path", path)
        case .download, .refetch, .keep, .ask: break
        }
        object.field("size", item.size)
        return object.finished()
    }

    /// The last line: how much of each there would be.
    package static func summary(_ plan: DryRunPlan) -> String {
        let work = plan.items.filter { $0.action != .keep }
        let finished = plan.summary.downloads[.finished] ?? 0
        guard !work.isEmpty else { return "nothing to do: \(Wording.count(finished, "video")) up to date" }
        var counts: [String: Int] = [:]
        for item in work { counts[verb(item.action), default: 0] += 1 }
        let order = ["download", "resume", "refetch", "ask", "link", "adopt", "move", "remove"]
        let parts = order.compactMap { verb in counts[verb].map { "\(verb) \(Wording.grouped($0))" } }
        let sizes = work.compactMap(\.size)
        let bytes = sizes.byteCount(\.self).value
        let size = bytes > 0 ? "; \(sizes.count < work.count ? "at least " : "")\(Wording.size(bytes)) to transfer" : ""
        return "would \(Wording.list(parts))\(size)"
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
        case .keep: "keep"
        case .ask: "ask"
        }
    }

    private static func detail(_ item: DryRunItem) -> String {
        switch item.action {
        case .download, .refetch: item.size.map { ", \(Wording.size($0))" } ?? ""
        case .resume(let from):
            " from \(Wording.size(from))" + (item.size.map { " of \(Wording.size(from + $0))" } ?? "")
        case .move(let from, let to): ": \(from) -> \(to)"
        case .link(let path), .adopt(let path), .remove(let path): ": \(path)"
        case .keep, .ask: ""
        }
    }
}
