import CommandOutput
package import DownloadStore
import Foundation
package import Operations
import SyncFacts
import TextFormats
import ViewerMarks

/// How the courses of a library are sorted.
package enum CourseOrder: String, Sendable, CaseIterable {
    case title, added, unwatched, size

    var label: String {
        switch self {
        case .title: "Title"
        case .added: "Newest video"
        case .unwatched: "Most to watch"
        case .size: "Largest"
        }
    }
}

/// The pages of the whole library: home, and all courses.
package struct LibraryPages: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    /// Courses of a page; of the home page.
    private static let pageSize = 100
    private static let atHome = 24

    /// - Parameter sync: what a running sync does, in a sentence; nil without one.
    package func home(
        begun: [ViewedVideo], unwatched: [ViewedVideo], courses: [ViewedCourse], sync: String?
    ) -> Fields {
        var sections: [Fields] = []
        if !begun.isEmpty {
            sections.append([
                "key": "begun", "heading": "Continue watching", "more": absent, "videos": begun.map { fields($0) },
            ])
        }
        if !unwatched.isEmpty {
            sections.append([
                "key": "unwatched", "heading": "Not watched",
                "more": ["href": root + "courses?sort=unwatched", "text": "Courses with videos to watch"],
                "videos": unwatched.map { fields($0) },
            ])
        }
        let shown = Self.sorted(courses, .added).prefix(Self.atHome)
        let more = courses.count > shown.count ? "All \(Wording.count(courses.count, "course"))" : nil
        return fields(
            "Library", .home,
            [
                "counts": orAbsent(counts(courses, withUnwatched: true)), "sync": orAbsent(sync.map { ["text": $0] }),
                "sections": sections, "hasCourses": !courses.isEmpty, "courses": shown.map { fields($0) },
                "moreCourses": orAbsent(more),
            ])
    }

    /// - Parameter last: the id of the last course of the part before; nil for the first one.
    package func courses(_ all: [ViewedCourse], _ order: CourseOrder, after last: String?) -> Fields {
        let sorted = Self.sorted(all, order)
        let start = last.flatMap { last in sorted.firstIndex { $0.id == last }.map { $0 + 1 } } ?? 0
        let end = min(start + Self.pageSize, sorted.count)
        let here = root + "courses"
        let sort = order == .title ? nil : order.rawValue
        var pager: Any = absent
        if sorted.count > Self.pageSize, end > start {
            pager =
                [
                    "range": "Courses \(start + 1)–\(end) of \(Wording.grouped(sorted.count))",
                    "first": orAbsent(start > 0 ? here + query([("sort", sort)]) : nil),
                    "next": orAbsent(
                        end < sorted.count ? here + query([("sort", sort), ("after", sorted[end - 1].id)]) : nil),
                ] as Fields
        }
        return fields(
            "Courses", .courses,
            [
                "counts": orAbsent(counts(all, withUnwatched: false)), "hasCourses": !all.isEmpty, "here": here,
                "show": absent,
                "sorts": CourseOrder.allCases.map { one -> Fields in
                    ["value": one.rawValue, "label": one.label, "selected": one == order]
                },
                "courses": sorted[start..<end].map { fields($0) }, "pager": pager,
            ])
    }

    private static func sorted(_ courses: [ViewedCourse], _ order: CourseOrder) -> [ViewedCourse] {
        let keys = courses.map { ($0, $0.title.lowercased()) }
        return keys.sorted { one, other in
            switch order {
            case .title: break
            case .added:
                let dates = (one.0.sums.newest ?? .distantPast, other.0.sums.newest ?? .distantPast)
                if dates.0 != dates.1 { return dates.0 > dates.1 }
            case .unwatched:
                let left = (one.0.sums.finished - one.0.watched, other.0.sums.finished - other.0.watched)
                if left.0 != left.1 { return left.0 > left.1 }
            case .size:
                let bytes = (one.0.sums.bytes.value, other.0.sums.bytes.value)
                if bytes.0 != bytes.1 { return bytes.0 > bytes.1 }
            }
            return (one.1, one.0.id) < (other.1, other.0.id)
        }.map(\.0)
    }

    /// `42 courses, 1,204 videos, 412 GiB, 341 not watched`; nil for an empty library.
    func counts(_ courses: [ViewedCourse], withUnwatched: Bool) -> String? {
        guard !courses.isEmpty else { return nil }
        let videos = courses.reduce(0) { $0 + $1.sums.videos }
        let bytes = courses.reduce(ByteCount(0)) { $0 + $1.sums.bytes }
        let left = courses.reduce(0) { $0 + max(0, $1.sums.finished - $1.watched) }
        var parts = [Wording.count(courses.count, "course"), Wording.count(videos, "video")]
        if bytes.value > 0 { parts.append(Wording.size(bytes.value)) }
        if withUnwatched, left > 0 { parts.append("\(Wording.grouped(left)) not watched") }
        return parts.joined(separator: ", ")
    }
}

/// What the page of a course shows.
package struct CoursePageFacts: Sendable {
    package var course: ViewedCourse
    package var page: ViewedPage
    package var chapters: [String: ChapterRecord]
    package var order: VideoOrder
    package var choice: VideoChoice
    /// The video to go on with; nil if there is none.
    package var resume: ViewedVideo?
    /// The speed of the course; nil if none was chosen.
    package var speed: Double?
    package var feedToken: String

    package init(
        course: ViewedCourse, page: ViewedPage, chapters: [String: ChapterRecord], order: VideoOrder,
        choice: VideoChoice, resume: ViewedVideo?, speed: Double?, feedToken: String
    ) {
        self.course = course
        self.page = page
        self.chapters = chapters
        self.order = order
        self.choice = choice
        self.resume = resume
        self.speed = speed
        self.feedToken = feedToken
    }
}

package struct CoursePage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    package func course(_ facts: CoursePageFacts) -> Fields {
        let course = facts.course
        let here = address("course", course.id)
        let sort = facts.order == .course ? nil : facts.order.rawValue
        let show = facts.choice == .all ? nil : facts.choice.rawValue
        var head = fields(course)
        head["facts"] = courseFacts(course, chapters: facts.chapters.count)
        head["description"] = absent
        head["resume"] = orAbsent(facts.resume.map(resume))
        head["marks"] = address("marks", course.id)
        head["speeds"] = speeds(facts.speed, standard: "As in the settings")
        head["controls"] = controls(course)
        head["feed"] = address("feed", course.id) + query([("token", facts.feedToken)])
        var pager: Any = absent
        let page = facts.page
        if page.count > page.videos.count, !page.videos.isEmpty {
            let end = page.first + page.videos.count - 1
            let next = page.next.map { here + query([("sort", sort), ("show", show), ("after", "\($0)")]) }
            pager =
                [
                    "range": "Videos \(page.first)–\(end) of \(Wording.grouped(page.count))",
                    "first": orAbsent(page.hasPrevious ? here + query([("sort", sort), ("show", show)]) : nil),
                    "next": orAbsent(next),
                ] as Fields
        }
        return fields(
            course.title, nil,
            [
                "course": head, "here": here, "show": orAbsent(show), "shows": shows(facts, here: here, sort: sort),
                "sorts": [(VideoOrder.course, "Course order"), (.newest, "Newest first"), (.title, "Title")].map {
                    order, label -> Fields in
                    ["value": order.rawValue, "label": label, "selected": order == facts.order]
                },
                "groups": groups(facts), "none": orAbsent(page.videos.isEmpty ? none(facts.choice) : nil),
                "pager": pager,
            ])
    }

    private func courseFacts(_ course: ViewedCourse, chapters: Int) -> [String] {
        let sums = course.sums
        var facts = [Wording.count(sums.videos, "video")]
        if chapters > 1 { facts.append(Wording.count(chapters, "chapter")) }
        // Of a part of the videos it would say little.
        if sums.seconds > 0, sums.timed * 10 >= sums.videos * 9 { facts.append(PageWords.span(sums.seconds)) }
        if sums.bytes.value > 0 { facts.append(Wording.size(sums.bytes.value)) }
        if course.watched > 0 { facts.append("\(Wording.grouped(course.watched)) watched") }
        return facts
    }

    private func resume(_ video: ViewedVideo) -> Fields {
        let position = video.mark?.position ?? 0
        return [
            "href": address("video", video.key.course, video.key.video),
            "label": position > 0 ? "Continue" : "Watch", "text": video.title,
        ]
    }

    private func controls(_ course: ViewedCourse) -> [Fields] {
        guard course.sums.finished < course.sums.videos else { return [] }
        var controls = [("prioritize", "Download first"), ("pause", "Pause downloads"), ("resume", "Resume downloads")]
        if course.sums.failed > 0 { controls.append(("retry", "Retry what failed")) }
        return controls.map { action, label in
            ["id": Selector(course: course.id).description, "action": action, "label": label, "about": course.title]
        }
    }

    private func shows(_ facts: CoursePageFacts, here: String, sort: String?) -> [Fields] {
        let sums = facts.course.sums
        let all: [(VideoChoice, String, Int)] = [
            (.all, "All", sums.videos + sums.gone),
            (.unwatched, "Not watched", max(0, sums.finished + sums.gone - facts.course.watched)),
            (.missing, "Not here yet", sums.videos - sums.finished - sums.failed), (.failed, "Failed", sums.failed),
        ]
        return all.filter { $0.0 == .all || $0.0 == facts.choice || $0.2 > 0 }.map { choice, label, count in
            let show = choice == .all ? nil : choice.rawValue
            return [
                "href": here + query([("sort", sort), ("show", show)]), "label": label,
                "count": Wording.grouped(count), "selected": choice == facts.choice,
            ]
        }
    }

    /// By chapters in the course's order, else in one group.
    private func groups(_ facts: CoursePageFacts) -> [Fields] {
        var groups: [(heading: String?, videos: [Fields])] = []
        var current: (chapter: String?, isGone: Bool)?
        for video in facts.page.videos {
            let chapter = facts.order == .course && !video.row.gone ? video.row.reference.chapter : nil
            if current.map({ $0 != (chapter, video.row.gone) }) ?? true {
                let title = chapter.map { id in
                    facts.chapters[id].map { $0.title.isEmpty ? id : $0.title } ?? video.row.chapterTitle ?? id
                }
                groups.append((title ?? (video.row.gone ? "No longer in the course" : nil), []))
                current = (chapter, video.row.gone)
            }
            groups[groups.count - 1].videos.append(fields(video))
        }
        return groups.map { ["heading": orAbsent($0.heading), "note": absent, "videos": $0.videos] }
    }

    private func none(_ choice: VideoChoice) -> String {
        switch choice {
        case .all: "This course has no videos yet."
        case .unwatched: "You have watched everything that is here."
        case .failed: "Nothing has failed."
        case .missing: "Everything is here."
        }
    }
}

extension PageWords {
    /// Without a fraction that is zero: `1`, `1.25`.
    static func number(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
