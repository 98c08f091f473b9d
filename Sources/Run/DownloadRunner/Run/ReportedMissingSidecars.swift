import DownloadStore
import Foundation
import SyncFacts
import TextFormats

/// Covers, subtitles and attachments of catalogs that were already reported missing: later quiet runs don't repeat
/// them.
struct ReportedMissingSidecars: Sendable {
    private static let fact = "told_misses"
    /// The number of the newest ones that are kept.
    private static let most = 2000

    /// The number of new ones after which they are written, since each write is flushed to disk.
    private static let batch = 256

    private let store: DownloadStore
    private var keys: [String]
    private var known: Set<String>
    private var unwritten = 0

    init(_ store: DownloadStore) {
        self.store = store
        let text = (try? store.facts.value(Self.fact)) ?? nil
        keys = text.flatMap { try? JSONReader.decode([String].self, from: $0.utf8) } ?? []
        known = Set(keys)
    }

    /// Whether it hasn't been reported yet; marks it as reported. After a kill, or if the state can't be written, the
    /// report is repeated once.
    mutating func add(_ sidecar: WantedSidecar) -> Bool { add(sidecar.missKey) }

    mutating func add(_ key: String) -> Bool {
        guard known.insert(key).inserted else { return false }
        keys.append(key)
        unwritten += 1
        if unwritten >= Self.batch { write() }
        return true
    }

    /// Writes what isn't written yet.
    mutating func write() {
        guard unwritten > 0 else { return }
        unwritten = 0
        if keys.count > Self.most { keys.removeFirst(keys.count - Self.most) }
        if let text = try? JSONEncoder().encode(keys) {
            try? store.facts.set(Self.fact, String(decoding: text, as: UTF8.self))
        }
    }
}
