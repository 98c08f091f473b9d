import DownloadStore
import Foundation

/// Downloads that a run has suspended because the disk had no room for them, and when it looks whether there is some now.
/// One that comes back and has to go again waits twice as long, so that room that comes and goes moves nobody for ever.
struct CrowdedOut: Sendable {
    /// Between two looks, and before one may come back for the first time.
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

    /// It doesn't wait for room any more. Returns whether it was the last one.
    mutating func remove(_ id: DownloadID) -> Bool { notBefore.removeValue(forKey: id) != nil && isEmpty }

    /// Those that may come back if there is room; none between two looks.
    mutating func ready(at now: Date) -> [DownloadID] {
        guard !isEmpty, look <= now else { return [] }
        look = now + Self.pause
        return notBefore.filter { $0.value <= now }.map(\.key)
    }

    /// When it is looked next.
    func nextLook(after now: Date) -> Date? { isEmpty || look <= now ? nil : look }
}
