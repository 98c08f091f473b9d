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
    /// The providers that its downloads wait for a login at.
    package private(set) var loginsNeeded: Set<String> = []
    /// The downloads of a selection, in catalog order.
    private(set) var ids: [DownloadID] = []
    /// The state that they are in, of those of a reader.
    var state = 0
    /// The least place of a video in its course.
    private var ordinal = Int64.max
    /// The same chapter in other states, where the videos of a course are divided among shards.
    private(set) var elsewhere: [StatusGroup] = []

    package init(course: String, courseTitle: String, chapter: String?, chapterTitle: String?) {
        self.course = course
        self.courseTitle = courseTitle
        self.chapter = chapter
        self.chapterTitle = chapterTitle
    }

    /// The groups of rows, in the order of their first appearance; `countsGone` includes videos gone from their
    /// catalog.
    package static func all(of rows: some Sequence<StatusRow>, countsGone: Bool = false) -> [StatusGroup] {
        var groups = Gathered()
        for row in rows where countsGone || !row.gone { groups.add(row) }
        return groups.all
    }

    /// Groups of rows that come one by one, in the order of their first appearance.
    struct Gathered {
        private(set) var all: [StatusGroup] = []
        private var places: [Key: Int] = [:]

        /// - Parameter id: the row's, if it is read again to be shown.
        mutating func add(_ row: StatusRow, id: DownloadID? = nil) {
            let key = Key(row)
            let place = places[key] ?? all.count
            if place == all.count {
                places[key] = place
                all.append(
                    StatusGroup(
                        course: key.course, courseTitle: row.courseTitle, chapter: key.chapter,
                        chapterTitle: row.chapterTitle))
            }
            all[place].totals.add(row)
            all[place].ordinal = min(all[place].ordinal, row.ordinal)
            all[place].noteLogin(row)
            if let id { all[place].ids.append(id) }
        }
    }

    /// Groups of several states, which may have parts of the same chapter, in the order of the courses' places.
    static func joined(_ groups: [StatusGroup], place: (String) -> (String, Int, String)) -> [StatusGroup] {
        var all: [StatusGroup] = []
        var places: [Key: Int] = [:]
        for group in groups {
            let key = Key(course: group.course, chapter: group.chapter)
            guard let known = places[key] else {
                places[key] = all.count
                all.append(group)
                continue
            }
            all[known].totals.add(group.totals)
            all[known].loginsNeeded.formUnion(group.loginsNeeded)
            all[known].ordinal = min(all[known].ordinal, group.ordinal)
            all[known].elsewhere.append(group)
        }
        var courses: [String: (String, Int, String)] = [:]
        for group in all where courses[group.course] == nil { courses[group.course] = place(group.course) }
        func rank(_ group: StatusGroup) -> (String, Int, String, Int64) {
            let course = courses[group.course]
            return (course?.0 ?? "", course?.1 ?? 0, group.course, group.ordinal)
        }
        return all.sorted { one, other in rank(one) < rank(other) }
    }

    private mutating func noteLogin(_ row: StatusRow) {
        if row.state == .suspended, row.reason == .auth { loginsNeeded.insert(row.provider) }
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
            let key = Key(row)
            groups[key]?.group.noteLogin(row)
            groups[key]?.group.totals.note(rateOf: row)
            groups[key]?.group.totals.sidecarsWanted += row.sidecarsWanted
            groups[key]?.group.totals.sidecarsFailed += row.sidecarsFailed
        }
        func place(_ entry: (group: StatusGroup, ordinal: Int64)) -> (String, Int, String, Int64) {
            let course = courses[entry.group.course]
            return (course?.file ?? "", course?.ordinal ?? 0, entry.group.course, entry.ordinal)
        }
        return groups.values.sorted { place($0) < place($1) }.map { entry in
            var group = entry.group
            group.ordinal = entry.ordinal
            return group
        }
    }

    private struct Key: Hashable {
        var course: String
        var chapter: String?

        init(course: String, chapter: String?) {
            self.course = course
            self.chapter = chapter
        }

        init(_ row: StatusRow) { self.init(course: row.reference.course, chapter: row.reference.chapter) }
    }
}
