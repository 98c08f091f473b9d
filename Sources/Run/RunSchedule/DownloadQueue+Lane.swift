import DownloadStore
import Foundation
import HeapModule

/// How the queue keeps its downloads.
extension DownloadQueue {
    struct Delayed: Comparable {
        var dueAt: Date
        var entry: Entry

        static func < (a: Delayed, b: Delayed) -> Bool { (a.dueAt, b.entry) < (b.dueAt, a.entry) }
    }

    /// Where a download waits that needs no answer.
    struct Place: Hashable {
        /// The host that it waits for; nil if it needs none.
        var host: String?
        /// Whether its provider's answer has come.
        var isAnswered: Bool

        init(_ entry: Entry) {
            host = entry.host
            isAnswered = entry.usableUntil != nil
        }
    }

    /// The waiting downloads of one server of a provider, in lanes that can run, or not, for the same reasons.
    struct Lane {
        var unresolved = Heap<Entry>()
        var byPlace: [Place: Heap<Entry>] = [:]
        var isBlockedUntil = Date.distantPast
        var isStopped = false
        /// The number of turns that are being resolved, without a known host.
        var resolving = 0
        /// It is down: it isn't asked before this time, and then by one at a time. Nil if it isn't.
        var downUntil: Date?
        /// Whether it is down because hosts refuse its URLs, so that those that are known are no better.
        var isRefused = false
        /// The download that checks whether it is back.
        var probe: DownloadID?
        var search = Search()

        /// Whether it is as if nobody had ever heard of it.
        var isBlank: Bool {
            unresolved.isEmpty && byPlace.isEmpty && !isStopped && isBlockedUntil == .distantPast && resolving == 0
                && downUntil == nil && probe == nil && search.inVain == 0
        }
    }

    /// Consecutive resolved downloads whose host is left alone.
    struct Search {
        static let few = 5
        var inVain = 0
        var since = Date.distantPast
        var nextAt = Date.distantPast
    }
}
