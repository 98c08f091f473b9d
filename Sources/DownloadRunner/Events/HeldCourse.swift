import DownloadStore
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
    static func recorded(_ store: DownloadStore) throws(StoreError) -> [HeldCourse] {
        guard let text = try store.fact(fact) else { return [] }
        return (try? JSONDecoder().decode([HeldCourse].self, from: Data(text.utf8))) ?? []
    }

    /// Notes those that this sync holds; writes only what has changed.
    static func record(_ held: [HeldCourse], _ store: DownloadStore) throws(StoreError) {
        guard try recorded(store) != held, let text = try? JSONEncoder().encode(held) else { return }
        try store.setFact(fact, String(decoding: text, as: UTF8.self))
    }
}

/// Tells a course whose files were lost from one whose disk isn't there.
struct LossGuard: Sendable {
    /// Finished videos of a course, and those of them whose files are gone.
    struct Tally: Sendable {
        var finished = 0
        var lost = 0
        /// The path of one that is gone.
        var example = ""
    }

    /// How many may be gone: a tenth, and one in any case. A number of its own: who allows much to be pruned says nothing
    /// about disks that aren't there.
    private static let limit = MaxDelete.percent(10)

    /// Which of the courses have lost too much: more than the limit each, or everything where that is too much together.
    func held(_ tallies: [Tally]) -> [Int] {
        var held = Set(tallies.indices.filter { isTooMuch(tallies[$0].lost, of: tallies[$0].finished) })
        let emptied = tallies.indices.filter { tallies[$0].lost > 0 && tallies[$0].lost == tallies[$0].finished }
        let finished = tallies.reduce(0) { $0 + $1.finished }
        if emptied.count > 1, isTooMuch(emptied.reduce(0) { $0 + tallies[$1].lost }, of: finished) {
            held.formUnion(emptied)
        }
        return held.sorted()
    }

    private func isTooMuch(_ lost: Int, of finished: Int) -> Bool {
        lost > max(1, Self.limit.limit(finished: finished))
    }
}
