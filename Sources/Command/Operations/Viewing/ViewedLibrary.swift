package import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState
package import ViewerMarks

/// A user's library, opened to look at it: the states of all shards, the files, and what the user has watched.
///
/// It is opened for each question, since a state may be made anew or divided at any time. Nothing of the state or the
/// library is changed.
package struct ViewedLibrary: Sendable {
    /// The number of videos of a page.
    package static let pageSize = 100

    struct State: Sendable {
        var place: StateLocation.Place
        var store: DownloadStore
        var allCourses: OnDemand<[String: CourseRecord]>
        var isHeld: Bool

        var courses: [String: CourseRecord] { get throws(StoreError) { try allCourses.get() } }
    }

    let states: [State]
    private let openMarks: OnDemand<ViewerMarks>
    package var marks: ViewerMarks { get throws(StoreError) { try openMarks.get() } }
    /// The library's path; nil as long as there is none.
    package let library: String?
    package let user: String

    /// Opens it and passes it to `body`.
    package static func read<Result>(
        _ location: StateLocation, _ body: (ViewedLibrary) throws -> Result
    ) throws(Refusal) -> Result {
        let places = try location.resolveAll()
        try places[0].requireKnown()
        let readable = try ReadableStates(of: places)
        defer { readable.close() }
        do {
            var states: [State] = []
            for (place, store) in zip(places, readable.stores) {
                guard let store else { continue }
                states.append(
                    State(
                        place: place, store: store,
                        allCourses: OnDemand { () throws(StoreError) in try store.catalogs.courses() },
                        isHeld: try place.folder.lockHolder() != nil))
            }
            // In the user's own folder, which is made if it is missing.
            let folder = places[0].userFolder
            try folder.create()
            let marks = OnDemand { () throws(StoreError) in try ViewerMarks(path: folder.marks.string) }
            defer { marks.ifRead?.close() }
            let library = try states.lazy.compactMap { state in
                try LibraryOpening.recordedID(state.store) == nil ? nil : try state.place.library(in: state.store)
            }.first
            return try body(
                ViewedLibrary(
                    states: states, openMarks: marks, library: library?.path.string, user: places[0].user.text))
        } catch { throw Refusal(any: error) }
    }

    /// Whether a sync, or another command that changes downloads, runs now.
    package var isHeld: Bool { states.contains(where: \.isHeld) }

    /// A choice of the viewer for the page; nil if none was made.
    package func setting(_ name: String) throws(StoreError) -> String? {
        try marks.setting(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: courses

    /// All courses in the order of the catalogs. Those without videos are left out.
    ///
    /// - Parameter course: only this one; nil for all.
    package func courses(_ course: String? = nil) throws(StoreError) -> [ViewedCourse] {
        let watched = try marks.watched()
        var all: [String: ViewedCourse] = [:]
        for state in states {
            let known = try state.courses
            for sums in try state.store.views.courses(course) where sums.videos + sums.gone > 0 {
                if all[sums.course] != nil {
                    all[sums.course]?.sums.add(sums)
                } else {
                    all[sums.course] = ViewedCourse(
                        record: known[sums.course] ?? .unnamed(sums.course), sums: sums,
                        watched: watched[sums.course] ?? 0)
                }
            }
        }
        return all.values.sorted {
            ($0.record.file, $0.record.ordinal, $0.id) < ($1.record.file, $1.record.ordinal, $1.id)
        }
    }

    package func course(_ id: String) throws(StoreError) -> ViewedCourse? {
        try courses(id).first
    }

    package func chapters(of course: String) throws(StoreError) -> [String: ChapterRecord] {
        var all: [String: ChapterRecord] = [:]
        for state in states { all.merge(try state.store.views.chapters(of: course)) { one, _ in one } }
        return all
    }

    /// The ids of a course's videos.
    package func videoIDs(of course: String) throws(StoreError) -> [String] {
        var ids: [String] = []
        for state in states { ids += try state.store.catalogs.videos(of: course).map(\.video) }
        return ids
    }

    // MARK: videos

    /// A part of the videos of a course.
    ///
    /// - Parameter last: the last video of the part before; nil for the first one.
    package func videos(
        of course: String, _ order: VideoOrder, _ choice: VideoChoice, after last: Int64? = nil
    ) throws(StoreError) -> ViewedPage {
        let marks = try marks.marks(of: course)
        var places: [(state: Int, id: DownloadID)] = []
        for (index, state) in states.enumerated() {
            let ids = try state.store.views.ids(of: course, order)
            places += try Self.chosen(choice, of: ids, in: state, marks).map { (index, $0) }
        }
        var videos: [ViewedVideo]?
        if Set(places.map(\.state)).count > 1 {
            videos = try self.videos(places) { marks[$0.video] }.sorted { $0.isBefore($1, order) }
        }
        let ids = videos?.map(\.id.rawValue) ?? places.map(\.id.rawValue)
        let start = last.flatMap { last in ids.firstIndex(of: last).map { $0 + 1 } } ?? 0
        let end = min(start + Self.pageSize, ids.count)
        let shown: [ViewedVideo]
        if let videos {
            shown = Array(videos[start..<end])
        } else {
            shown = try self.videos(Array(places[start..<end])) { marks[$0.video] }
        }
        return ViewedPage(
            videos: shown, count: ids.count, first: start + 1, next: end < ids.count ? shown.last?.id.rawValue : nil)
    }

    /// Those of the videos that are chosen, in their order. Of very many it reads no more than this takes.
    private static func chosen(
        _ choice: VideoChoice, of ids: [DownloadID], in state: State, _ marks: [String: ViewerMark]
    ) throws(StoreError) -> [DownloadID] {
        guard choice != .all else { return ids }
        var chosen: [DownloadID] = []
        try state.store.downloads.each(of: ids) { (record) throws(StoreError) in
            let hasFile = (record.isPlacing ? record.oldFile : record.file) != nil
            let isChosen =
                switch choice {
                case .all: true
                case .unwatched: hasFile && marks[record.key.video]?.isWatched != true
                case .failed: record.state == .failed
                case .missing: !hasFile && record.state != .failed && !record.isGone
                }
            if isChosen { chosen.append(record.id) }
        }
        return chosen
    }

    /// The videos with the newest files that the viewer hasn't watched.
    package func newest(atMost limit: Int) throws(StoreError) -> [ViewedVideo] {
        var found: [ViewedVideo] = []
        var marks: [String: [String: ViewerMark]] = [:]
        for index in states.indices {
            var last: DownloadID?
            var own: [ViewedVideo] = []
            // A viewer who has watched very much sees the rest of it in the courses.
            for _ in 0..<10 where own.count < limit {
                let ids = try states[index].store.views.newest(after: last, atMost: 200)
                last = ids.last
                for id in ids where own.count < limit {
                    guard let record = try states[index].store.downloads.record(id) else { continue }
                    let course = record.key.course
                    if marks[course] == nil { marks[course] = try self.marks.marks(of: course) }
                    let mark = marks[course]?[record.key.video]
                    guard mark?.isWatched != true, mark?.position ?? 0 == 0 else { continue }
                    own += try videos([(index, id)]) { _ in mark }
                }
                if ids.count < 200 { break }
            }
            found += own
        }
        return Array(
            found.sorted { ($0.row.finishedAt ?? .distantPast) > ($1.row.finishedAt ?? .distantPast) }.prefix(limit))
    }

    /// The videos that the viewer has begun, the last one first. Those without a file are left out.
    package func begun(atMost limit: Int) throws(StoreError) -> [ViewedVideo] {
        let keys = try marks.begun(atMost: limit * 4).map(\.key)
        let known = try self.videos(keys)
        return Array(keys.compactMap { known[$0] }.filter { $0.row.path != nil }.prefix(limit))
    }

    /// The next videos to be downloaded, as a sync would take them without further ado: by priority, then in the order
    /// of the catalogs.
    package func waiting(atMost limit: Int) throws(StoreError) -> [ViewedVideo] {
        var videos: [ViewedVideo] = []
        for index in states.indices {
            videos += try self.videos(states[index].store.views.waiting(atMost: limit).map { (index, $0) }) { _ in nil }
        }
        return Array(videos.prefix(limit))
    }

    /// The video of a course to go on with: the last one that was begun, else the first one that wasn't watched.
    package func resume(_ course: ViewedCourse) throws(StoreError) -> ViewedVideo? {
        let marks = try marks.marks(of: course.id)
        let begun = marks.values.filter { $0.position > 0 && !$0.isWatched }.sorted { $0.changedAt > $1.changedAt }
        for mark in begun.prefix(5) {
            if let video = try video(mark.key), video.row.path != nil { return video }
        }
        // Without any it would read every video for nothing.
        guard course.sums.finished + course.sums.gone > course.watched else { return nil }
        for state in states {
            let ids = try state.store.views.ids(of: course.id, .course)
            for start in stride(from: 0, to: ids.count, by: 500) {
                var first: DownloadKey?
                let part = Array(ids[start..<min(start + 500, ids.count)])
                try state.store.downloads.each(of: part) { (record) throws(StoreError) in
                    guard first == nil, record.file != nil, !record.isGone, marks[record.key.video]?.isWatched != true
                    else { return }
                    first = record.key
                }
                if let first { return try video(first) }
            }
        }
        return nil
    }

    /// The languages that subtitles of the library have.
    package func languages() throws(StoreError) -> [String] {
        var names: Set<String> = []
        for state in states { names.formUnion(try state.store.views.subtitleNames()) }
        return names.sorted()
    }

    package func video(_ key: DownloadKey) throws(StoreError) -> ViewedVideo? { try videos([key])[key] }

    /// Those with these keys that are known.
    package func videos(_ keys: [DownloadKey]) throws(StoreError) -> [DownloadKey: ViewedVideo] {
        guard !keys.isEmpty else { return [:] }
        let marks = try marks.marks(of: keys)
        var all: [DownloadKey: ViewedVideo] = [:]
        for state in states {
            let records = try state.store.downloads.records(of: keys.filter { all[$0] == nil })
            for video in try state.videos(records, marks: { marks[$0] }) { all[video.key] = video }
        }
        return all
    }

    package func detail(_ key: DownloadKey) throws(StoreError) -> ViewedDetail? {
        guard let video = try video(key), let course = try course(key.course) else { return nil }
        var detail = ViewedDetail(
            video: video, course: course, files: try files(of: key),
            offsets: try marks.offsets(of: key), speed: try marks.speed(of: key.course))
        if let chapter = video.row.reference.chapter { detail.chapter = try chapters(of: key.course)[chapter] }
        var (before, after): ((video: String, place: Int64)?, (video: String, place: Int64)?)
        for state in states {
            let own = try state.store.views.neighbours(of: video.row.ordinal, in: key.course)
            if let one = own.before, one.place > before?.place ?? .min { before = one }
            if let one = own.after, one.place < after?.place ?? .max { after = one }
        }
        detail.previous = before.map { DownloadKey(course: key.course, video: $0.video) }
        detail.next = after.map { DownloadKey(course: key.course, video: $0.video) }
        return detail
    }

    /// The stored files beside a video's own.
    func files(of key: DownloadKey) throws(StoreError) -> [SidecarRecord] {
        for state in states {
            guard let record = try state.store.downloads.record(key) else { continue }
            return try state.store.sidecars.files(of: [record.id]).filter { !$0.path.isEmpty }
        }
        return []
    }

    private func videos(
        _ places: [(state: Int, id: DownloadID)], marks: (DownloadKey) -> ViewerMark?
    ) throws(StoreError) -> [ViewedVideo] {
        var all: [ViewedVideo] = []
        for (index, state) in states.enumerated() {
            let ids = places.filter { $0.state == index }.map(\.id)
            for start in stride(from: 0, to: ids.count, by: 500) {
                let records = try state.store.downloads.records(Array(ids[start..<min(start + 500, ids.count)]))
                all += try state.videos(records, marks: marks)
            }
        }
        return all
    }
}

extension ViewedLibrary.State {
    fileprivate func videos(
        _ records: [DownloadRecord], marks: (DownloadKey) -> ViewerMark?
    ) throws(StoreError) -> [ViewedVideo] {
        let now = Date()
        let courses = Set(records.map(\.key.course))
        let known = try store.catalogs.courses(courses)
        let titles = try store.catalogs.chapterTitles(of: courses)
        let files = Dictionary(grouping: try store.sidecars.files(of: records.map(\.id)), by: \.download)
        let listed = try store.views.listed(records.map(\.key))
        return records.map { record in
            let course = record.key.course
            var video = ViewedVideo(
                record, known[course], titles[course] ?? [:], files: files[record.id] ?? [], mark: marks(record.key),
                isHeld: isHeld, now: now)
            video.listed = listed[record.key]
            return video
        }
    }
}

extension ViewedVideo {
    fileprivate init(
        _ record: DownloadRecord, _ course: CourseRecord?, _ chapters: [String: String], files: [SidecarRecord],
        mark: ViewerMark?, isHeld: Bool, now: Date
    ) {
        row = StatusRow(
            record, course: course, chapterTitle: record.catalog.chapter.flatMap { chapters[$0] }, isRunning: isHeld,
            now: now)
        row.parts = files.filter { $0.kind == .stream }
        id = record.id
        number = record.catalog.numberInCourse
        self.mark = mark
        hasCover = files.contains { $0.kind == .cover }
        fileExtension = row.path.flatMap { FilePath($0).extension?.lowercased() }
    }

    fileprivate func isBefore(_ other: ViewedVideo, _ order: VideoOrder) -> Bool {
        if row.gone != other.row.gone { return other.row.gone }
        switch order {
        case .course: break
        case .newest:
            let dates = (row.finishedAt ?? .distantPast, other.row.finishedAt ?? .distantPast)
            if dates.0 != dates.1 { return dates.0 > dates.1 }
        case .title:
            let titles = (title.lowercased(), other.title.lowercased())
            if titles.0 != titles.1 { return titles.0 < titles.1 }
        }
        return (row.ordinal, id.rawValue) < (other.row.ordinal, other.id.rawValue)
    }
}

extension CourseSums {
    fileprivate mutating func add(_ other: CourseSums) {
        videos += other.videos
        finished += other.finished
        failed += other.failed
        gone += other.gone
        bytes += other.bytes
        seconds += other.seconds
        timed += other.timed
        newest = [newest, other.newest].compactMap { $0 }.max()
    }
}

extension CourseRecord {
    /// Of a course that only its downloads know.
    fileprivate static func unnamed(_ id: String) -> CourseRecord {
        CourseRecord(id: id, file: "", ordinal: 0, title: id, folder: "")
    }
}
