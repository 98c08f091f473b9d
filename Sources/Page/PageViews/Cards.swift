import CommandOutput
import DownloadStore
import Foundation
import Operations
import SyncFacts
import ViewerMarks

/// Videos and courses in lists.
extension PageView {
    func fields(_ video: ViewedVideo, withCourse: Bool = false, at seconds: Double? = nil) -> Fields {
        let key = video.key
        let hasPicture = video.hasCover || (video.row.path != nil && !video.isSound)
        let isWatched = video.mark?.isWatched ?? false
        let date = video.listed?.publishedAt.map { PageWords.date($0, frame) }
        return [
            "id": Selector(video.row.reference).description, "title": video.title,
            "href": address("video", key.course, key.video) + query([("t", seconds.map { "\(Int($0))" })]),
            "course": video.row.courseTitle, "courseHref": address("course", key.course),
            "chapter": orAbsent(video.row.chapterTitle), "number": orAbsent(video.number.map(String.init)),
            "picture": orAbsent(hasPicture ? address("picture", key.course, key.video) : nil),
            "letters": PageWords.letters(video.title), "tone": PageWords.tone(key.course),
            "length": orAbsent(video.seconds.map(PageWords.clock)),
            "date": orAbsent(date ?? video.row.finishedAt.map { PageWords.added($0, frame) }),
            "size": orAbsent(video.row.path == nil ? nil : video.row.wholeSize.map { Wording.size($0) }),
            "watched": isWatched, "begun": orAbsent(begun(video)), "states": PageWords.states(video.row),
            "control": orAbsent(control(of: video)),
            "marks": orAbsent(video.row.path == nil ? nil : address("marks", key.course, key.video)),
        ]
    }

    /// How far it was watched; nil for a video that wasn't begun.
    private func begun(_ video: ViewedVideo) -> Fields? {
        guard let mark = video.mark, mark.position > 0, !mark.isWatched else { return nil }
        guard let length = video.seconds, length > 0 else {
            return ["percent": 0, "left": "at \(PageWords.clock(mark.position))"]
        }
        let percent = Int(min(100, mark.position / length * 100))
        return ["percent": percent, "left": "\(PageWords.span(max(0, length - mark.position))) left"]
    }

    /// What can be done about its state; nil for nothing.
    func control(of video: ViewedVideo) -> Fields? {
        let (action, label): (String, String)
        switch video.row.state {
        case .active: (action, label) = ("pause", "Pause")
        case .failed, .cancelled: (action, label) = ("retry", "Retry")
        case .paused: (action, label) = ("resume", "Resume")
        case .waiting, .suspended: (action, label) = ("prioritize", "Download first")
        case .finished: return nil
        }
        guard !video.row.gone else { return nil }
        return [
            "id": Selector(video.row.reference).description, "action": action, "label": label, "about": video.title,
        ]
    }

    func fields(_ course: ViewedCourse) -> Fields {
        let sums = course.sums
        let left = max(0, sums.finished - course.watched)
        let hasCover = course.record.coverFile != nil
        return [
            "id": Selector(course: course.id).description, "href": address("course", course.id),
            "title": course.title, "picture": orAbsent(hasCover ? address("cover", course.id) : nil),
            "letters": PageWords.letters(course.title), "tone": PageWords.tone(course.id), "length": absent,
            "watched": sums.finished > 0 && left == 0, "begun": absent,
            "videos": Wording.count(sums.videos, "video"),
            "unwatched": orAbsent(left > 0 ? "\(Wording.grouped(left)) not watched" : nil),
            "size": orAbsent(sums.bytes.value > 0 ? Wording.size(sums.bytes.value) : nil), "states": states(course),
        ]
    }

    private func states(_ course: ViewedCourse) -> [Fields] {
        let sums = course.sums
        var states: [Fields] = []
        let missing = sums.videos - sums.finished - sums.failed
        if missing > 0 {
            states.append(["name": "waiting", "text": "\(Wording.count(missing, "video")) not here yet"])
        }
        if sums.failed > 0 {
            states.append(["name": "failed", "text": "\(Wording.count(sums.failed, "video")) failed"])
        }
        if sums.gone > 0 {
            let count = Wording.count(sums.gone, "video")
            states.append(["name": "gone", "text": "\(count) no longer in the course; kept here"])
        }
        return states
    }

    /// - Parameter standard: the label of a choice that leaves it open; nil without one.
    func speeds(_ chosen: Double?, standard: String?) -> [Fields] {
        let all: [Double] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3]
        var speeds: [Fields] = standard.map { [["value": "", "label": $0, "selected": chosen == nil]] } ?? []
        for speed in all {
            let text = PageWords.number(speed)
            speeds.append(["value": text, "label": "\(text) ×", "selected": speed == chosen])
        }
        return speeds
    }
}
