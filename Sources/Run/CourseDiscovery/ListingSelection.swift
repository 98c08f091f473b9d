package import CourseCatalog
import SyncFacts

/// The part of a listing that a course takes by its `discover`: patterns on titles, and the newest ones.
package struct ListingSelection: Sendable {
    /// The reason why a listed video isn't taken.
    package enum Reason: Sendable, Equatable {
        /// It matches no pattern of `include`.
        case notIncluded
        /// It matches this pattern of `exclude`.
        case excluded(pattern: String)
        /// So many others are newer.
        case older(newest: Int)
    }

    /// What may be taken.
    private let whole: CourseListing
    /// Why a video isn't, by its index; empty if all are.
    private var reasons: [Reason?] = []
    /// How many of those that `newest` chose from have no date, if it left any out.
    package private(set) var undated = 0

    /// What is taken; made anew at each call.
    package var listing: CourseListing {
        guard !reasons.isEmpty else { return whole }
        var listing = whole
        listing.videos = ListingVideos(taken.lazy.map { whole.videos[$0] })
        return listing
    }

    /// The indices of what is taken.
    var taken: [Int] {
        reasons.isEmpty ? Array(whole.videos.indices) : whole.videos.indices.filter { reasons[$0] == nil }
    }

    /// What isn't, with the reasons, in the order of the listing; made anew at each call.
    package var left: [(video: CourseListing.Video, reason: Reason)] {
        reasons.indices.compactMap { index in reasons[index].map { (whole.videos[index], $0) } }
    }

    /// Selects. A course without a selection takes everything; what it names itself is always taken.
    package init(_ whole: CourseListing, of course: Course) {
        self.whole = whole
        guard let discovery = course.discovery,
            !(discovery.include.isEmpty && discovery.exclude.isEmpty && discovery.newest == nil)
        else { return }
        let written = Set(([course.videos] + course.chapters.map(\.videos)).joined().map(\.id))
        let include = discovery.include.compactMap { try? TitlePattern($0.text[...]) }
        let exclude = discovery.exclude.compactMap { pattern in
            (try? TitlePattern(pattern.text[...])).map { (pattern.text, $0) }
        }
        let videos = whole.videos
        let others = videos.indices.filter { written.isEmpty || !written.contains(videos.id($0)) }
        reasons = [Reason?](repeating: nil, count: videos.count)
        for index in others {
            let title = videos.shownTitle(index)
            if !include.isEmpty, !include.contains(where: { $0.matches(title) }) {
                reasons[index] = .notIncluded
            } else if let pattern = exclude.first(where: { $0.1.matches(title) }) {
                reasons[index] = .excluded(pattern: pattern.0)
            }
        }
        guard let newest = discovery.newest else { return }
        let kept = others.filter { reasons[$0] == nil }
        // Of videos without a date, the one that is listed last counts as the newest.
        let byAge = kept.sorted {
            let (a, b) = (videos.publishedAt($0) ?? -.infinity, videos.publishedAt($1) ?? -.infinity)
            return a != b ? a > b : $0 > $1
        }
        if kept.count > newest { undated = kept.count { videos.publishedAt($0) == nil } }
        for index in byAge.dropFirst(newest) { reasons[index] = .older(newest: newest) }
    }
}
