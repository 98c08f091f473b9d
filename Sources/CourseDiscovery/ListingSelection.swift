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

    /// What is taken.
    package private(set) var listing: CourseListing
    /// What isn't, with the reasons, in the order of the listing.
    package private(set) var left: [(video: CourseListing.Video, reason: Reason)] = []

    /// How many of those that `newest` chose from have no date, if it left any out.
    package private(set) var undated = 0

    /// Selects. A course without a selection takes everything; what it names itself is always taken.
    package init(_ whole: CourseListing, of course: Course) {
        listing = whole
        guard let discovery = course.discovery,
            !(discovery.include.isEmpty && discovery.exclude.isEmpty && discovery.newest == nil)
        else { return }
        let written = Set(([course.videos] + course.chapters.map(\.videos)).joined().map(\.id))
        let include = discovery.include.compactMap { try? TitlePattern($0.text[...]) }
        let exclude = discovery.exclude.compactMap { pattern in
            (try? TitlePattern(pattern.text[...])).map { (pattern.text, $0) }
        }
        var reasons = [Reason?](repeating: nil, count: whole.videos.count)
        for (index, video) in whole.videos.enumerated() where !written.contains(video.id) {
            let title = video.shownTitle
            if !include.isEmpty, !include.contains(where: { $0.matches(title) }) {
                reasons[index] = .notIncluded
            } else if let pattern = exclude.first(where: { $0.1.matches(title) }) {
                reasons[index] = .excluded(pattern: pattern.0)
            }
        }
        if let newest = discovery.newest {
            let kept = whole.videos.indices.filter {
                reasons[$0] == nil && !written.contains(whole.videos[$0].id)
            }
            // Of videos without a date, the one that is listed last counts as the newest.
            let byAge = kept.sorted {
                let (a, b) = (whole.videos[$0].publishedAt ?? -.infinity, whole.videos[$1].publishedAt ?? -.infinity)
                return a != b ? a > b : $0 > $1
            }
            if kept.count > newest { undated = kept.count { whole.videos[$0].publishedAt == nil } }
            for index in byAge.dropFirst(newest) { reasons[index] = .older(newest: newest) }
        }
        listing.videos = []
        for (index, video) in whole.videos.enumerated() {
            if let reason = reasons[index] { left.append((video, reason)) } else { listing.videos.append(video) }
        }
    }
}
