import DownloadJobs
import DownloadStore
import Foundation

/// Covers, subtitles and attachments of catalogs that a run has told to be missing: a later one that tells only news doesn't
/// tell them again.
struct ToldMisses: Sendable {
    private static let fact = "told_misses"
    /// The newest so many are remembered.
    private static let most = 2000

    private let store: DownloadStore
    private var keys: [String]

    init(_ store: DownloadStore) {
        self.store = store
        let text = (try? store.facts.value(Self.fact)) ?? nil
        keys = text.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
    }

    /// Whether nobody has told of it; from now on somebody has. A state that can't be written costs one more line.
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
