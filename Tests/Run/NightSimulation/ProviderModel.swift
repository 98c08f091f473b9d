import DownloadStore
import Foundation
import RunSchedule

/// The state of a provider as derived from events, by simple rules: when it counts as down, and when a download may
/// check whether it is back.
struct ProviderModel {
    enum Cause { case unavailable, refusing }

    /// Since when, and by what; nil while it serves.
    private(set) var down: (cause: Cause, since: Date)?
    /// Nobody asks before then while it is down.
    private(set) var until = Date.distantPast
    /// The one that finds out.
    var probe: DownloadID?
    private var silences = 0
    private var refused: Set<DownloadID> = []
    private(set) var answers = 0
    /// Times a download got no answer between which others got some.
    private var own: [DownloadID: (count: Int, answers: Int)] = [:]
    /// Downloads in a row whose host was left alone, since when, and when the next one is looked at.
    private var search = (count: 0, since: Date.distantPast)
    private(set) var nextSearch = Date.distantPast
    /// The answers that the search has got so far.
    var searched: Int { search.count }

    mutating func answered(isGood: Bool) {
        answers += isGood ? 1 : 0
        silences = 0
        if down?.cause == .unavailable { isBack() }
    }

    mutating func served() {
        refused = []
        if down?.cause == .refusing { isBack() }
    }

    private mutating func isBack() {
        down = nil
        probe = nil
    }

    /// Somebody says that it is to be asked.
    mutating func reset(_ id: DownloadID?) {
        isBack()
        silences = 0
        refused = []
        if let id { own[id] = nil }
    }

    mutating func wasUnavailable(_ id: DownloadID, wasProbe: Bool, _ now: Date) {
        guard down == nil || wasProbe else { return }
        let last = own[id] ?? (0, 0)
        own[id] = (last.count + (answers > last.answers ? 1 : 0), answers)
        silences += 1
        // While its addresses were refused there may have been more.
        if down == nil, silences >= 2 { down = (.unavailable, now) }
        if let since = down?.since { until = now + max(5, now.timeIntervalSince(since) / 4) }
    }

    mutating func wasRefused(_ id: DownloadID, wasProbe: Bool, _ now: Date) {
        let isTooMany = down?.cause == .refusing || refused.union([id]).count >= 5
        guard !isTooMany || down == nil || wasProbe else { return }
        refused.insert(id)
        guard isTooMany else { return }
        let since = down?.since ?? now
        down = (down?.cause ?? .refusing, since)
        until = now + (now.timeIntervalSince(since) >= 600 ? 72_000 : max(5, now.timeIntervalSince(since) / 4))
    }

    /// Whether a download may fail because it was unavailable to it.
    func isToBlame(_ id: DownloadID) -> Bool { own[id]?.count ?? 0 >= NightRun.retries }

    /// Whether somebody may find out now.
    func mayProbe(_ now: Date) -> Bool { down == nil || (until <= now && probe == nil) }

    mutating func found(isLeftAlone: Bool, _ now: Date) {
        guard isLeftAlone else {
            search.count = 0
            return nextSearch = .distantPast
        }
        if search.count == 0 { search.since = now }
        search.count += 1
        if search.count >= 5 { nextSearch = now + max(5, now.timeIntervalSince(search.since) / 4) }
    }
}
