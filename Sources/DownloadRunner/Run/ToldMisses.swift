import DownloadJobs
import DownloadStore
import Foundation

/// Covers, subtitles and attachments of catalogs that were already reported missing: later quiet runs don't repeat
/// them.
struct ToldMisses: Sendable {
    private static let fact = "told_misses"
    /// The number of the newest ones that are kept.
    private static let most = 2000

    private let store: DownloadStore
    private var keys: [String]

    init(_ store: DownloadStore) {
        self.store = store
        let text = (try? store.facts.value(Self.fact)) ?? nil
        keys = text.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
    }

    /// Whether it hasn't been reported yet; marks it as reported. If the state can't be written the report is repeated
    /// once.
    mutating func tell(_ sidecar: WantedSidecar) -> Bool {
        let key = sidecar.missKey
        guard !keys.contains(key) else { return false }
        keys.append(key)
        if keys.count > Self.most { keys.removeFirst(keys.count - Self.most) }
        if let text = try? JSONEncoder().encode(keys) {
            try? store.facts.set(Self.fact, String(decoding: text, as: UTF8.self))
        }
        return true
    }
}
