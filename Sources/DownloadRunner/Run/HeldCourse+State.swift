package import DownloadStore
import Foundation
package import SyncFacts

/// What the state keeps of courses that are left as they are.
extension HeldCourse {
    private static let fact = "held_courses"

    /// Those that the last sync held, for whoever asks between two.
    package static func recorded(_ store: DownloadStore) throws(StoreError) -> [HeldCourse] {
        guard let text = try store.facts.value(fact) else { return [] }
        return (try? JSONDecoder().decode([HeldCourse].self, from: Data(text.utf8))) ?? []
    }

    /// Notes those that this sync holds; writes only what has changed.
    package static func record(_ held: [HeldCourse], _ store: DownloadStore) throws(StoreError) {
        guard try recorded(store) != held, let text = try? JSONEncoder().encode(held) else { return }
        try store.facts.set(fact, String(decoding: text, as: UTF8.self))
    }
}
