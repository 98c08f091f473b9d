import DownloadStore
import Foundation

/// Downloads that a run has suspended for lack of disk space, and the time of the next check. One that is revived and
/// suspended again waits twice as long, so that free space that comes and goes doesn't restart downloads endlessly.
struct SpaceSuspensions: Sendable {
    /// The time between two checks, and before the first revival.
    static let pause = 10.0

    private var notBefore: [DownloadID: Date] = [:]
    private var times: [DownloadID: Int] = [:]
    private var look = Date.distantPast

    var isEmpty: Bool { notBefore.isEmpty }

    mutating func add(_ id: DownloadID, at now: Date) {
        let count = times[id, default: 0]
        times[id] = count + 1
        notBefore[id] = now + Self.pause * Double(1 << min(count, 12))
        if notBefore.count == 1 { look = now + Self.pause }
    }

    /// Removes one that doesn't wait for space any more. Returns whether it was the last one.
    mutating func remove(_ id: DownloadID) -> Bool { notBefore.removeValue(forKey: id) != nil && isEmpty }

    /// Those that may be revived if there is space; none between two checks.
    mutating func ready(at now: Date) -> [DownloadID] {
        guard !isEmpty, look <= now else { return [] }
        look = now + Self.pause
        return notBefore.filter { $0.value <= now }.map(\.key)
    }

    /// The time of the next check.
    func nextLook(after now: Date) -> Date? { isEmpty || look <= now ? nil : look }
}
