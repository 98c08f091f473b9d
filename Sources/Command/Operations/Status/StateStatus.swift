import CatalogComparison
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import RunAccess
package import SyncFacts
import SystemPackage
import UserState

/// One state, opened to look at it: what is true of the whole, and the downloads of a selection one by one.
struct StateStatus: Sendable {
    /// What is true of the whole, without a row.
    let facts: StatusReport
    /// Whether there are no downloads at all.
    let isEmpty: Bool
    /// Nil for a user without a state.
    private let store: DownloadStore?
    let courses: [String: CourseRecord]

    /// Opens the state without changing it.
    static func open(_ place: StateLocation.Place) throws(Refusal) -> StateStatus {
        let store = try place.openForReading()
        do { return try StateStatus(place, store) } catch {
            store?.close()
            throw Refusal(any: error)
        }
    }

    func close() { store?.close() }

    private init(_ place: StateLocation.Place, _ store: DownloadStore?) throws {
        self.store = store
        var report = StatusReport(user: place.user.text, library: nil, running: nil, rows: [])
        guard let store else {
            report.isLoggedOut = !place.isAccountsOwn
            (facts, isEmpty, courses) = (report, true, [:])
            return
        }
        let lock = try place.folder.lockHolder()
        let session = try place.session(in: store)
        report.running = try lock?.holder.map { try RunningSync($0, isLoggedIn: session.isOpen, in: store) }
        report.isLocked = lock != nil
        if let holder = lock?.holder {
            let now = Date()
            report.waits = try store.runs.waits(since: holder.since).filter { $0.until > now }
        }
        let known = try LibraryOpening.recordedID(store)
        report.library = try known == nil ? nil : place.library(in: store).path.string
        if let library = report.library, let known { report.look(for: known, in: library) }
        if lock == nil, let part = place.libraryPart, let library = report.library,
            let held = try LibraryFolder.isInUse(FilePath(library), part: part)
        {
            // On another machine.
            report.running = try held.holder.map { try RunningSync($0, isLoggedIn: session.isOpen, in: nil) }
        }
        report.isLoggedOut = !session.isOpen
        report.loggedOutSince = report.isLoggedOut && session.changedAt != .distantPast ? session.changedAt : nil
        courses = try store.catalogs.courses()
        report.folders = courses.mapValues(\.folder)
        let files = Set(courses.values.map(\.file).filter { !$0.isEmpty })
        report.onlyCatalog = files.count == 1 ? files.first : nil
        report.held = try Self.held(place, store)
        facts = report
        isEmpty = try store.downloads.videos(DownloadFilter(), atMost: 1).isEmpty
    }

    /// Whether a course is still held depends on the files of all its rows.
    private static func held(_ place: StateLocation.Place, _ store: DownloadStore) throws -> [HeldCourse] {
        let recorded = try HeldCourse.recorded(store)
        guard !recorded.isEmpty else { return [] }
        var review = HeldCourseReview(recorded, try? LibraryOpening.openToLook(place, store))
        try store.downloads.each(DownloadFilter(states: [.finished])) { review.look(at: $0) }
        return review.stillHeld
    }

    /// The rows that need attention, up to some hundreds, and the sums of all: very many videos aren't read row by row.
    func overview() throws(Refusal) -> StatusReport {
        guard let store else { return facts }
        do {
            var report = facts
            let chapters = Dictionary(
                try store.catalogs.chapters().map { (DownloadKey(course: $0.course, video: $0.id), $0.title) },
                uniquingKeysWith: { first, _ in first })
            report.diskBytes = try store.sidecars.bytes()
            for course in courses.values { report.diskBytes[course.id, default: 0] += course.coverFile?.size ?? 0 }
            let ids = try store.downloads.notable(atMost: StatusReport.mostRows)
            try each(of: ids, in: store) { report.rows.append($1) }
            report.take(try store.downloads.sums(), courses, chapters, isRunning: report.isLocked)
            return report
        } catch { throw Refusal(any: error) }
    }

    /// The state as a selection is settled in it; nil for a user without one.
    var downloads: DownloadStore? { store }

    /// The sums of a selection, which ``settled(_:)`` returned, by chapter.
    func report(of selection: Selection) throws(Refusal) -> StatusReport {
        var report = facts
        if selection == Selection(), let store {
            do { report.take(try store.downloads.sums(), courses, [:], isRunning: facts.isLocked) } catch {
                throw Refusal(error)
            }
            report.hiddenRows = 0
        }
        var groups = StatusGroup.Gathered()
        try each(selection) { id, row in groups.add(row, id: id) }
        report.groups = groups.all
        return report
    }

    /// Calls `body` with each download of a selection, which ``settled(_:)`` returned, in catalog order.
    func each(_ selection: Selection, _ body: (StatusRow) -> Void) throws(Refusal) {
        try each(selection) { _, row in body(row) }
    }

    /// Calls `body` with each download of a group of ``report(of:)``.
    func each(of group: StatusGroup, _ body: (StatusRow) -> Void) throws(Refusal) {
        guard let store else { return }
        do { try each(of: group.ids, in: store) { body($1) } } catch { throw Refusal(any: error) }
    }

    private func each(_ selection: Selection, _ body: (DownloadID, StatusRow) -> Void) throws(Refusal) {
        guard let store else { return }
        do {
            try each(of: store.downloads.ids(selection.filter(countsSidecars: true)), in: store) { id, row in
                if selection.contains(row) { body(id, row) }
            }
        } catch { throw Refusal(any: error) }
    }

    private func each(
        of ids: [DownloadID], in store: DownloadStore, _ body: (DownloadID, StatusRow) -> Void
    ) throws(StoreError) {
        let now = Date()
        var titles: [String: [String: String]] = [:]
        try store.downloads.each(of: ids) { (record) throws(StoreError) in
            let course = record.key.course
            if record.catalog.chapter != nil, titles[course] == nil {
                titles[course] = try store.catalogs.chapterTitles(of: course)
            }
            var row = StatusRow(
                record, course: courses[course], chapterTitle: record.catalog.chapter.flatMap { titles[course]?[$0] },
                isRunning: facts.isLocked, now: now)
            if record.state == .finished, record.kind?.brings.contains(.stream) == true {
                row.parts = try store.sidecars.files(of: [record.id]).filter { $0.kind == .stream }.sorted {
                    ($0.viewOfPart ?? "", $0.viewRole == nil ? 1 : 0, $0.name)
                        < ($1.viewOfPart ?? "", $1.viewRole == nil ? 1 : 0, $1.name)
                }
            }
            if record.state == .finished, !record.isGone { row.note(try store.sidecars.open(of: [record.id])) }
            body(record.id, row)
        }
    }
}

extension Selection {
    /// Whether a download is selected; one with a failed sidecar counts as failed.
    package func contains(_ row: StatusRow) -> Bool {
        ([row.state] + (row.sidecarsFailed > 0 ? [.failed] : [])).contains { state in
            contains(row.reference, state: state)
        }
    }
}
