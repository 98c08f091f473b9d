import DownloadStore
package import Foundation
package import Operations
package import SyncFacts
import Terminal

/// The output of `list`: what a provider lists of a course.
package struct ListingText {
    let zone: TimeZone

    package init(zone: TimeZone) { self.zone = zone }

    package func lines(_ report: ListingReport) -> [String] {
        let time = Wording.duration(report.seconds)
        var lines = ["\(Selector(course: report.course))  \(report.title), listed by \(report.provider) in \(time)"]
        lines += report.items.map(line)
        lines.append(summary(report))
        if report.repeated > 0 {
            lines.append("\(Wording.count(report.repeated, "video")) listed twice; the first one counts")
        }
        if report.unusable > 0 {
            lines.append(
                "\(Wording.count(report.unusable, "video")) left out: the id is empty, too long, or has NUL in it")
        }
        lines += report.refused.map(Self.sentence)
        if let doubt = report.doubt {
            lines.append(
                """
                it lacks \(Wording.grouped(doubt.lost)) of \(Wording.count(doubt.of, "video")), so the next sync \
                keeps the last listing; to use this one, run the sync with --accept-listing
                """)
        }
        return lines.map(TerminalFormat.printable)
    }

    /// The catalog of a listing, as JSON.
    package static func json(_ written: CatalogFromProvider.Written, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("catalog_made", at: now)
        line.field("provider", written.provider)
        line.field("courses", written.courses)
        line.field("videos", written.videos)
        line.field("text", written.text)
        line.field("warnings", written.refused.map(sentence))
        return line.finished()
    }

    /// About videos of another provider that a listing has.
    package static func sentence(_ refused: SyncWarning.RefusedHandOver) -> String {
        "the listing \(refused.words)"
    }

    private func line(_ item: ListingReport.Item) -> String {
        var facts: [String] = []
        if let date = item.publishedAt { facts.append(ClockFormat.day(date, zone: zone)) }
        if let seconds = item.duration { facts.append(Wording.duration(seconds)) }
        if item.isWritten { facts.append("in the catalog") }
        switch item.fate {
        case .renamed(let from, _): facts.append("was \(from)")
        case .notIncluded: facts.append("no pattern of include matches")
        case .excluded(let pattern): facts.append("excluded by \(pattern)")
        case .older(let newest): facts.append("older than the newest \(newest)")
        case .gone: facts.append("no longer listed")
        case .new, .known: break
        }
        let detail = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        return
            """
              \(TerminalFormat.fit(word(item.fate), to: 9)) \(Selector(item.reference))  \
            \(item.reference.title)\(detail)
            """
    }

    private func word(_ fate: ListingReport.Fate) -> String {
        switch fate {
        case .new: "new"
        case .known(let state): state.word
        case .renamed: "renamed"
        case .notIncluded, .excluded, .older: "left out"
        case .gone: "gone"
        }
    }

    private func summary(_ report: ListingReport) -> String {
        var counts: [(word: String, count: Int)] = []
        for word in ["new", "renamed", "left out", "gone"] {
            let count = report.items.count { self.word($0.fate) == word }
            if count > 0 { counts.append((word, count)) }
        }
        let taken = report.items.count { item in !["left out", "gone"].contains(word(item.fate)) }
        let others = counts.map { "\(Wording.grouped($0.count)) \($0.word)" }.joined(separator: ", ")
        return Wording.count(taken, "video") + (others.isEmpty ? ", nothing new" : ": \(others)")
    }

    /// One JSON object for each video.
    package func json(_ item: ListingReport.Item) -> [UInt8] {
        var line = JSONLine()
        JSONEvents.whole(&line, item.reference)
        let (fate, state): (String, DownloadState?) =
            switch item.fate {
            case .new: ("new", nil)
            case .known(let state): ("known", state)
            case .renamed(_, let state): ("renamed", state)
            case .notIncluded: ("not_included", nil)
            case .excluded: ("excluded", nil)
            case .older: ("older", nil)
            case .gone(let state): ("gone", state)
            }
        line.field("fate", fate)
        line.field("state", state?.rawValue)
        if case .renamed(let from, _) = item.fate { line.field("was", from) }
        if case .excluded(let pattern) = item.fate { line.field("pattern", pattern) }
        line.field("in_catalog", item.isWritten)
        line.field("published_at", item.publishedAt)
        if let seconds = item.duration { line.field("duration", seconds: seconds) }
        return line.finished()
    }
}
