package import CourseCatalog
import Crypto
package import Foundation
package import SyncFacts

/// Whether a listing is believed: a provider that suddenly no longer lists many videos may have lost them by mistake.
package enum ListingGuard {
    /// The judgement of a new listing.
    package enum Verdict: Sendable, Equatable {
        case believed
        /// It lacks too many of the videos that the course has taken.
        case doubted(lost: Int, of: Int, Doubt)
    }

    /// Why a listing isn't trusted yet.
    package struct Doubt: Sendable, Equatable {
        /// When the provider first gave such a listing.
        package var since: Date
        /// The first eight bytes of the SHA-256 of each lost id, sorted: a listing that has lost only these is like it.
        package var lost: Data

        package init(since: Date, lost: Data) {
            self.since = since
            self.lost = lost
        }
    }

    /// A listing like a doubted one is believed after this time: a provider is rarely wrong for so long.
    package static let patience: TimeInterval = 20 * 3600

    /// Judges what a course would take of the new listing by what it took of the last believed one. It is doubted if
    /// nothing is left, or more than `limit` is lost. What falls off the old end because newer videos came isn't lost.
    ///
    /// - Parameters:
    ///   - doubt: The last listing, if it wasn't believed.
    ///   - askedAt: When the last believed one came.
    package static func verdict(
        old: CourseListing, new: CourseListing, of course: Course, limit: MaxDelete, doubt: Doubt?, askedAt: Date,
        now: Date
    ) -> Verdict {
        let before = ListingSelection(old, of: course).taken
        let after = ListingSelection(new, of: course).taken
        var lost = before
        do {
            let present = ListingIDs(after, of: new.videos)
            lost.removeAll { present.contains(old.videos.id($0), in: new.videos) }
        }
        guard !lost.isEmpty else { return .believed }
        // Nothing of a listing that shares no video with the last one can be said to be newer.
        if sharesVideos(old.videos, new.videos) {
            let fallen = ListingWindow(before, of: old.videos, after, of: new.videos).fallen
            lost.removeAll { fallen.contains($0) }
        }
        let isNothingLeft = after.isEmpty || (before.count > 1 && lost.count == before.count)
        guard !lost.isEmpty, isNothingLeft || lost.count > limit.limit(finished: before.count) else {
            return .believed
        }
        let marks = Set(lost.map { mark(old.videos.id($0)) })
        // A doubt of a time to come was written while the clock was ahead, one from before the last listing while it
        // was behind.
        let isOutOfOrder = doubt.map { $0.since > now || ($0.since < askedAt && askedAt <= now) } ?? false
        guard let doubt, !isOutOfOrder, marks.isSubset(of: Self.marks(doubt.lost)) else {
            return .doubted(lost: lost.count, of: before.count, Doubt(since: now, lost: text(marks)))
        }
        if now.timeIntervalSince(doubt.since) >= patience { return .believed }
        return .doubted(lost: lost.count, of: before.count, Doubt(since: doubt.since, lost: text(marks)))
    }

    private static func sharesVideos(_ old: ListingVideos, _ new: ListingVideos) -> Bool {
        let known = ListingIDs(old.indices, of: old)
        return new.indices.contains { known.contains(new.id($0), in: old) }
    }

    private static func mark(_ id: String) -> UInt64 {
        SHA256.hash(data: Data(id.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func text(_ marks: Set<UInt64>) -> Data {
        var text = Data(capacity: marks.count * 8)
        for mark in marks.sorted() { withUnsafeBytes(of: mark.bigEndian) { text.append(contentsOf: $0) } }
        return text
    }

    private static func marks(_ text: Data) -> Set<UInt64> {
        let bytes = Array(text)
        return Set(
            stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
                bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            })
    }
}
