/// A course that a sync doesn't touch, because of a problem with its folder.
package struct HeldCourse: Sendable, Hashable, Codable {
    package enum Reason: Sendable, Hashable, Codable {
        /// Many of its files are missing at once: perhaps a disk isn't mounted there.
        case filesMissing(count: Int, finished: Int, example: String)
        /// Its folder can't be read; a sentence without its full stop.
        case unreadable(String)
        /// Files of it couldn't be put in their places after an interrupted sync; a sentence without its full stop.
        case unsettled(String)
    }

    package var course: String
    package var title: String
    package var reason: Reason

    package init(course: String, title: String, reason: Reason) {
        self.course = course
        self.title = title
        self.reason = reason
    }
}
