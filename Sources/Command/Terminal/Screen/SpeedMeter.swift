package import Foundation

/// Recent bytes per second.
package struct SpeedMeter: Sendable {
    /// The period of the mean, in seconds.
    private let window: TimeInterval
    private var samples: [(at: Date, total: Int64)] = []
    /// Bytes counted since the beginning.
    package private(set) var total: Int64 = 0

    package init(window: TimeInterval = 5) { self.window = window }

    package mutating func start(at now: Date) { samples = [(now, total)] }

    /// Counts received bytes.
    package mutating func add(_ bytes: Int64, at now: Date) {
        if samples.isEmpty { start(at: now) }
        total += bytes
        // Four samples a second are enough, however many events there are.
        if let last = samples.last, samples.count > 1, now.timeIntervalSince(last.at) < 0.25, now >= last.at {
            samples[samples.count - 1].total = total
        } else {
            samples.append((now, total))
        }
        let oldest = now.addingTimeInterval(-window)
        if let keep = samples.lastIndex(where: { $0.at <= oldest }), keep > 0 { samples.removeFirst(keep) }
    }

    /// The mean rate over the window before `now`; falls to 0 when nothing arrives any more.
    package func bytesPerSecond(at now: Date) -> Int64 {
        guard let last = samples.last else { return 0 }
        let begin = now.addingTimeInterval(-window)
        let first = samples.last { $0.at <= begin } ?? samples[0]
        let seconds = min(max(now.timeIntervalSince(first.at), 0.5), max(window, 0.5))
        return Int64(Double(last.total - first.total) / seconds)
    }
}
