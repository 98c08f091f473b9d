/// Assigns connections: bounds per host and in total, first come first served, where a transfer that waits for its host
/// never delays others.
///
/// A backstop behind the caller's own schedule. Waiting here, rather than inside libcurl, keeps the clocks of
/// connecting and stalling stopped.
package struct Admission: Sendable {
    private struct Host: Hashable {
        var name: String
        var port: Int
    }

    private let perHost: Int
    private let total: Int
    private var admitted: [Int: Host] = [:]
    private var counts: [Host: Int] = [:]
    private var waiting: [(id: Int, host: Host)] = []

    /// Bounds below 1 count as 1.
    package init(perHost: Int, total: Int) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
    }

    /// True if `id` has a connection now; otherwise it waits, and ``leave(_:)`` of another one will return it.
    package mutating func enter(_ id: Int, _ origin: Origin) -> Bool {
        let host = Host(name: origin.host, port: origin.port)
        guard isFree(host) else {
            waiting.append((id, host))
            return false
        }
        hold(id, host)
        return true
    }

    /// Returns the connection, or the place in the queue, of `id`; the result are those that have one now.
    package mutating func leave(_ id: Int) -> [Int] {
        waiting.removeAll { $0.id == id }
        guard let host = admitted.removeValue(forKey: id) else { return [] }
        if let count = counts[host] { counts[host] = count > 1 ? count - 1 : nil }
        var admitted: [Int] = []
        var index = 0
        while index < waiting.count, admitted.count < total {
            if isFree(waiting[index].host) {
                let next = waiting.remove(at: index)
                hold(next.id, next.host)
                admitted.append(next.id)
            } else {
                index += 1
            }
        }
        return admitted
    }

    private func isFree(_ host: Host) -> Bool { admitted.count < total && counts[host, default: 0] < perHost }

    private mutating func hold(_ id: Int, _ host: Host) {
        admitted[id] = host
        counts[host, default: 0] += 1
    }
}
