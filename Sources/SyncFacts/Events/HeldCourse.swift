package import DownloadStore
import Foundation

/// A course that a sync leaves as it is, since something is wrong with its folder.
package struct HeldCourse: Sendable, Hashable, Codable {
    /// What is wrong.
    package enum Reason: Sendable, Hashable, Codable {
        /// Many of its files are gone at once: perhaps a disk isn't mounted there.
        case filesMissing(count: Int, finished: Int, example: String)
        /// Its folder can't be looked at; a sentence without its full stop.
        case unreadable(String)
    }

    /// Its id.
    package var course: String
    /// What a person calls it.
    package var title: String
    /// What is wrong.
    package var reason: Reason

    package init(course: String, title: String, reason: Reason) {
        self.course = course
        self.title = title
        self.reason = reason
    }
}

extension HeldCourse {
    private static let fact = "held_courses"

    /// Those that the last sync held, for whoever asks between two.
    package static func recorded(_ store: DownloadStore) throws(StoreError) -> [HeldCourse] {
        guard let text = try store.fact(fact) else { return [] }
        return (try? JSONDecoder().decode([HeldCourse].self, from: Data(text.utf8))) ?? []
    }

    /// Notes those that this sync holds; writes only what has changed.
    package static func record(_ held: [HeldCourse], _ store: DownloadStore) throws(StoreError) {
        guard try recorded(store) != held, let text = try? JSONEncoder().encode(held) else { return }
        try store.setFact(fact, String(decoding: text, as: UTF8.self))
    }
}
