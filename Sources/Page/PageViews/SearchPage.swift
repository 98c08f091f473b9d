import CommandOutput
package import DownloadStore
import Foundation
package import Operations
import SyncFacts

/// The page with what a search has found.
package struct SearchPage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    /// Videos that are shown at first, and if a person asks for more.
    package static let firstHits = 20
    package static let mostHits = 100

    /// Places of a video that are shown.
    private static let mostMoments = 5
    /// Characters of a place.
    private static let longest = 240

    /// - Parameters:
    ///   - result: nil if there is no word to search for.
    ///   - videos: those of the hits.
    ///   - isLong: whether ``mostHits`` were asked for.
    package func search(_ result: SearchResult?, videos: [DownloadKey: ViewedVideo], isLong: Bool) -> Fields {
        let hits = result?.hits ?? []
        let courses = Set(hits.map(\.reference.course)).count
        let words = frame.query.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        var none: String?
        if result == nil, !frame.query.isEmpty { none = "There is no word to search for." }
        if let result, result.hits.isEmpty {
            none =
                result.isPartlyRead
                ? "The texts that were read have no such phrase, and more have its words. A further word finds fewer."
                : "Nothing has these words."
        }
        var notes: [String] = []
        if let result, result.isPartlyRead, !hits.isEmpty {
            notes.append("Not all texts that have these words were read for the phrase. A further word finds fewer.")
        } else if let result, result.hasMore, !hits.isEmpty {
            notes.append(
                result.isUnranked
                    ? "Too many match to tell the best ones. A further word finds fewer."
                    : "These are the best ones. A further word finds fewer.")
        }
        if result?.isWithoutLibrary == true {
            notes.append("The library isn’t there, so its subtitles weren’t read.")
        }
        let isLimited = hits.count >= Self.firstHits || (!hits.isEmpty && result?.isPartlyRead == true)
        let hasMore = !isLong && isLimited && result?.hasMore == true
        let more = "\(root)search" + query([("q", frame.query), ("limit", "\(Self.mostHits)")])
        let shown = hits.compactMap { hit -> Fields? in
            let key = DownloadKey(course: hit.reference.course, video: hit.reference.video)
            return videos[key].map { fields(hit, of: $0, words: words) }
        }
        return fields(
            frame.query.isEmpty ? "Search" : frame.query, .search,
            [
                "counts": orAbsent(
                    hits.isEmpty
                        ? nil : "\(Wording.count(hits.count, "video")) in \(Wording.count(courses, "course"))"),
                "none": orAbsent(none), "hasHits": !shown.isEmpty, "hits": shown,
                "note": orAbsent(notes.isEmpty ? nil : notes.joined(separator: " ")),
                "more": orAbsent(hasMore ? more : nil),
            ])
    }

    private func fields(_ hit: SearchHit, of video: ViewedVideo, words: [String]) -> Fields {
        let more = hit.moments.count - Self.mostMoments
        return [
            "video": fields(video),
            "moments": hit.moments.prefix(Self.mostMoments).map { moment -> Fields in
                let seconds = Double(moment.start) / 1000
                let href = address("video", video.key.course, video.key.video) + "?t=\(Int(seconds))"
                let text = String(moment.text.prefix(Self.longest))
                return ["time": PageWords.clock(seconds), "href": href, "parts": Self.parts(of: text, words)]
            },
            "places": orAbsent(more > 0 ? "and \(Wording.count(more, "more place"))" : nil),
        ]
    }

    /// A text in parts, of which some have the words that were searched for. Accents don't matter, nor does case.
    private static func parts(of text: String, _ words: [String]) -> [Fields] {
        var ranges: [Range<String.Index>] = []
        for word in words {
            var start = text.startIndex
            while let range = text.range(
                of: word, options: [.caseInsensitive, .diacriticInsensitive], range: start..<text.endIndex)
            {
                ranges.append(range)
                start = range.upperBound
            }
        }
        var parts: [Fields] = []
        var end = text.startIndex
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound >= end {
            if end < range.lowerBound {
                parts.append(["text": String(text[end..<range.lowerBound]), "match": false])
            }
            parts.append(["text": String(text[range]), "match": true])
            end = range.upperBound
        }
        if end < text.endIndex { parts.append(["text": String(text[end...]), "match": false]) }
        return parts
    }
}
