import Foundation

/// Bytes per second over about the last three seconds.
struct RateMeter {
    private var last: (bytes: Int64, date: Date)?
    private var rate = 0.0

    mutating func note(_ bytes: Int64, at now: Date) -> Int64 {
        defer { last = (bytes, now) }
        guard let last, bytes >= last.bytes else {
            rate = 0
            return 0
        }
        let seconds = max(now.timeIntervalSince(last.date), 0.001)
        let weight = min(1, seconds / (rate == 0 ? seconds : 1.5))
        rate += (Double(bytes - last.bytes) / seconds - rate) * weight
        return Int64(rate)
    }
}
