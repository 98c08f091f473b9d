package import Foundation
package import SyncFacts

/// Whether a listing is believed: a provider that suddenly lists much less may have lost it by mistake.
package enum ListingGuard {
    /// The judgement of a new listing.
    package enum Verdict: Sendable, Equatable {
        case believed
        /// It has too few videos. `since` is when such a listing first came.
        case doubted(since: Date)
    }

    /// A listing that shrinks to nothing, or by more than `limit`, is believed when it comes again on another day.
    ///
    /// - Parameters:
    ///   - old: The videos of the last believed listing.
    ///   - new: Those of the new one.
    ///   - doubtedAt: When such a listing first came; nil if the last one was believed.
    package static func verdict(
        old: Int, new: Int, limit: MaxDelete, doubtedAt: Date?, now: Date, zone: TimeZone
    ) -> Verdict {
        guard old > 0, new == 0 || old - new > limit.limit(finished: old) else { return .believed }
        guard let doubtedAt else { return .doubted(since: now) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return now > doubtedAt && !calendar.isDate(doubtedAt, inSameDayAs: now) ? .believed : .doubted(since: doubtedAt)
    }
}
