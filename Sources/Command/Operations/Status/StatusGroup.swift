import DownloadStore
import SyncFacts

/// A chapter of a ``StatusReport``, or the videos directly under a course.
package struct StatusGroup: Sendable {
    /// The course's id.
    package var course: String
    package var courseTitle: String
    /// The chapter's id; nil directly under the course.
    package var chapter: String?
    package var chapterTitle: String?
    /// Sums over its downloads.
    package var totals = StatusTotals()

    package init(course: String, courseTitle: String, chapter: String?, chapterTitle: String?) {
        self.course = course
        self.courseTitle = courseTitle
        self.chapter = chapter
        self.chapterTitle = chapterTitle
    }

    /// The groups of rows, in the order of their first appearance; `countsGone` includes videos gone from their
    /// catalog.
    package static func all(of rows: some Sequence<StatusRow>, countsGone: Bool = false) -> [StatusGroup] {
        var groups: [StatusGroup] = []
        var places: [Key: Int] = [:]
        for row in rows where countsGone || !row.gone {
            let key = Key(course: row.reference.course, chapter: row.reference.chapter)
            let place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append(
                    StatusGroup(
                        course: key.course, courseTitle: row.courseTitle, chapter: key.chapter,
                        chapterTitle: row.chapterTitle))
            }
            groups[place].totals.add(row)
        }
        return groups
    }

    /// The groups of sums, in catalog order. `rows` are those that need attention: they add speeds and missing
    /// sidecars.
    static func all(
        of sums: [DownloadSums], rows: [StatusRow], courses: [String: CourseRecord], chapters: [DownloadKey: String],
        isRunning: Bool
    ) -> [StatusGroup] {
        var groups: [Key: (group: StatusGroup, ordinal: Int64)] = [:]
        for sum in sums where !sum.isGone {
            let key = Key(course: sum.course, chapter: sum.chapter)
            let new = StatusGroup(
                course: sum.course, courseTitle: courses[sum.course]?.title ?? sum.course, chapter: sum.chapter,
                chapterTitle: sum.chapter.flatMap { chapters[DownloadKey(course: sum.course, video: $0)] })
            var entry = groups[key] ?? (new, sum.ordinal)
            let seen = RowStatus(state: sum.state).seen(isHeld: isRunning)
            entry.group.totals.add(sum, as: seen.state)
            entry.ordinal = min(entry.ordinal, sum.ordinal)
            groups[key] = entry
        }
        for row in rows {
            let key = Key(course: row.reference.course, chapter: row.reference.chapter)
            groups[key]?.group.totals.note(rateOf: row)
            groups[key]?.group.totals.sidecarsWanted += row.sidecarsWanted
            groups[key]?.group.totals.sidecarsFailed += row.sidecarsFailed
        }
        func place(_ entry: (group: StatusGroup, ordinal: Int64)) -> (String, Int, String, Int64) {
            let course = courses[entry.group.course]
            return (course?.file ?? "", course?.ordinal ?? 0, entry.group.course, entry.ordinal)
        }
        return groups.values.sorted { place($0) < place($1) }.map(\.group)
    }

    private struct Key: Hashable {
        var course: String
        var chapter: String?
    }
}
