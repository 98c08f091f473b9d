package import DownloadStore
import Foundation
package import SyncFacts
import TextFormats

/// The state's record of held courses.
extension HeldCourse {
    private static let fact = "held_courses"

    /// The courses that the last sync held, for readers between two syncs.
    package static func recorded(_ store: DownloadStore) throws(StoreError) -> [HeldCourse] {
        guard let text = try store.facts.value(fact) else { return [] }
        return (try? JSONReader.decode([HeldCourse].self, from: text.utf8)) ?? []
    }

    /// Records the courses that this sync holds; writes only changes.
    package static func record(_ held: [HeldCourse], _ store: DownloadStore) throws(StoreError) {
        guard try recorded(store) != held, let text = try? JSONEncoder().encode(held) else { return }
        try store.facts.set(fact, String(decoding: text, as: UTF8.self))
    }
}
