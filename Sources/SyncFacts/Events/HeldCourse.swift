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
