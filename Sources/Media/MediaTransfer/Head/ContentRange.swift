/// The value of a `Content-Range` in bytes (RFC 9110 §14.4).
package enum ContentRange: Sendable, Equatable {
    /// `bytes 0-99/1000`; the total is nil for `*`.
    case part(first: Int64, last: Int64, total: Int64?)
    /// `bytes */1000`, sent with a 416.
    case unsatisfied(total: Int64)

    /// The largest size in it.
    var bound: Int64 {
        switch self {
        case .part(_, let last, let total): total ?? last + 1
        case .unsatisfied(let total): total
        }
    }

    /// Nil for anything else, also for a last byte before the first or beyond the total.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, ASCII.lowercased(words[0]) == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let total = ASCII.number(halves[1])
        guard total != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ASCII.number(ends[0]), let last = ASCII.number(ends[1]),
            first <= last, last < Int64.max, total.map({ last < $0 }) ?? true
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }
}
