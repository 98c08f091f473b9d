import Foundation
package import Operations
import SyncFacts
import Terminal

/// The output of `search`.
package struct SearchText {
    /// More places of a video are counted.
    private static let mostMoments = 3
    /// Characters of a place's text, if it isn't cut to a terminal.
    private static let longest = 200

    /// The terminal's width; nil in a pipe.
    let width: Int?

    package init(width: Int?) { self.width = width }

    /// A video, and the places in it: how to name it, its titles, and when what is said.
    package func lines(_ hit: SearchHit) -> [String] {
        let titles = [hit.courseTitle] + (hit.chapterTitle.map { [$0] } ?? []) + [hit.reference.title]
        var lines = [
            "\(Selector(hit.reference))  \(titles.map(TerminalFormat.printable).joined(separator: " › "))"
        ]
        for moment in hit.moments.prefix(Self.mostMoments) {
            let time = TerminalFormat.right(Self.time(moment.start), to: 9)
            lines.append("\(time)  \(TerminalFormat.cut(TerminalFormat.printable(moment.text), to: Self.longest))")
        }
        let more = hit.moments.count - Self.mostMoments
        if more > 0 { lines.append("           and \(Wording.count(more, "more place"))") }
        return width.map { width in lines.map { TerminalFormat.cut($0, to: width) } } ?? lines
    }

    /// `4:31`, `1:04:31`.
    static func time(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
    }

    /// What is to be known beside the hits, for standard error.
    package static func notes(_ result: SearchResult, limit: Int) -> [String] {
        var notes: [String] = []
        if result.hasMore, !result.hits.isEmpty {
            let these =
                result.isPartlyRead
                ? "not all texts that have these words were read for the phrase"
                : result.isUnranked ? "too many match to tell the best ones" : "these are the best ones"
            // A greater limit brings more only where this one was reached, or let texts unread.
            let isLimited = (result.hits.count >= limit || result.isPartlyRead) && limit < LibrarySearch.mostHits
            let more = "for more: --limit \(min(limit * 5, LibrarySearch.mostHits))"
            notes.append("\(these); \(isLimited ? more : "a further word finds fewer")")
        }
        if result.isWithoutLibrary { notes.append("the library isn't there, so its subtitles weren't read") }
        return notes
    }

    /// While the index is brought up to date.
    package static func reading(_ count: Int) -> String {
        "reading \(Wording.count(count, "title or subtitle file", "titles and subtitle files")) for the index …"
    }

    package static let noWord = "there is no word to search for"

    package static func nothing(_ result: SearchResult) -> String {
        guard result.isPartlyRead else { return "nothing has these words" }
        return """
            the texts that were read have no such phrase, and more have its words; a further word finds fewer
            """
    }

    /// The line of a video as JSON, its line break included. Fields may be added, never renamed.
    package static func json(_ hit: SearchHit) -> [UInt8] {
        var line = JSONLine()
        JSONEvents.whole(&line, hit.reference)
        line.field("course_title", hit.courseTitle)
        line.field("chapter_title", hit.chapterTitle)
        line.field("path", hit.path)
        line.field("in_title", hit.isInTitle)
        line.objects("moments", hit.moments) { line, moment in
            line.field("start", seconds: Double(moment.start) / 1000)
            line.field("language", moment.language)
            line.field("text", moment.text)
        }
        return line.finished()
    }
}
