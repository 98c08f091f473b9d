package import CourseCatalog
package import DownloadStore
package import Foundation
package import MediaLibrary
package import PathLayout
package import SyncFacts
import YAMLSource

/// Compares catalogs, state and library, and returns the necessary changes. Changes nothing itself.
///
/// One scan over the rows in the order of the catalogs, so that nearly every row meets its entry without a search, and
/// one listing of each folder. Names are computed only where something changed.
package struct Reconciler {
    let store: DownloadStore
    let only: [Selector]
    let now: Date
    let library: LibraryView

    var entries: CatalogEntries
    var folders: FolderPlan
    var numbers: VideoNumbers
    var result = Reconciliation()
    var seen: [Bool] = []
    /// Entries without a row, or with a new name: number of the slot.
    var renamed: [Renamed] = []
    /// Downloads with a partial, and whether their source has changed.
    var resumable: [DownloadID: Bool] = [:]
    let readFiles: Set<String>
    /// Those of them whose courses are all known.
    let judgedFiles: Set<String>
    /// The names and numbers of a library whose videos are divided; nil gives them here.
    let register: RegisteredNames?
    /// Whether nothing is to be downloaded, as in a register.
    var namesOnly = false
    /// Nil: all missing files are downloaded again.
    let lossGuard: LossGuard?
    let retriesFailed: Bool
    let compared: ComparedCourses
    /// By the index of the course.
    let isCompared: [Bool]
    /// Courses that aren't touched, by their index in the catalog.
    var held: [Int: HeldCourse.Reason] = [:]
    /// By the index of the course; also of courses that aren't compared.
    var tallies: [LossGuard.Tally] = []
    /// Those of the run's first comparison, by the course's id.
    let knownTallies: [String: LossGuard.Tally]
    /// Courses whose folders can't be read, by their index.
    var unreadable: [Int: LibraryError] = [:]
    /// Missing sidecars of finished videos that may be downloaded now.
    let due: [DownloadID: [MissingSidecar]]
    /// The files beside the main one of videos that consist of several.
    let partPaths: [DownloadID: [PartPath]]

    struct Renamed {
        var slot: Int
        /// Nil for a new one.
        var row: Row?
        /// Whether its entry has changed; otherwise only its name may change.
        var isChanged = true
    }

    /// The kept part of a row whose entry changed.
    struct Row {
        var id: DownloadID
        var state: DownloadState
        var path: String?
        var stem: String
        var wanted: Bool
        var oldFile: StoredFile?
        var failedRuns: Int
        var retryAt: Date?
        var hasPartial: Bool
        var hasExtras: Bool
        var isNew = false
        var isNotReady = false
        var hasArrived = false
        var priorityOverride: Int?
        var sourceChanged: Bool
        /// The stem that distinguishes its file from somebody else's, as long as that exists.
        var displacedStem: String?
    }

    package init(
        catalog: Catalog, store: DownloadStore, only: [Selector], now: Date, layout: PathLayout = .standard,
        lossGuard: LossGuard? = LossGuard(), retriesFailed: Bool = false, compared: ComparedCourses = .all,
        unsettled: [String: LibraryError] = [:], tallies known: [String: LossGuard.Tally] = [:],
        register: RegisteredNames? = nil, library: LibraryView
    ) throws {
        knownTallies = known
        self.compared = compared
        isCompared = catalog.courses.map { compared.contains($0.id) }
        self.library = library
        self.retriesFailed = retriesFailed
        self.lossGuard = lossGuard
        self.store = store
        self.now = now
        self.register = register
        let all = CatalogEntries(catalog)
        entries = all
        self.only = try Selection(selectors: only).settled { () throws(Refusal) in
            all.slots.map { all.reference($0) }
        }.selectors
        for (index, course) in catalog.courses.enumerated() {
            held[index] = unsettled[course.id].map { .unsettled($0.sentence) }
        }
        readFiles = Set(catalog.files.map(\.path))
        judgedFiles = readFiles.subtracting(catalog.filesWithUnknownCourses)
        numbers = register.map(VideoNumbers.init) ?? VideoNumbers(slots: all.slots.count)
        folders = FolderPlan(
            catalog, layout: layout, courses: try store.catalogs.courses(), chapters: try store.catalogs.chapters(),
            compared: compared, register: register,
            isOccupied: catalog.shard == nil ? { _ in false } : library.isFolder)
        result.selectorMatched = only.map { _ in false }
        let open = try store.sidecars.open().filter { $0.isDue(at: now) || (retriesFailed && $0.mayPass) }
        due = Dictionary(grouping: open, by: \.download)
        partPaths = try store.sidecars.partPaths()
    }

    /// The comparison. Throws ``StoreError``. A problem with a course's folder affects that course only: the comparison
    /// is repeated without it. It is also repeated if rows get other numbers, which is known when all have been read.
    package mutating func run() throws -> Reconciliation {
        let fresh = self
        while true {
            let result = try compare()
            let found = result.map { _ in troubles() } ?? [:]
            if let result, found.isEmpty || !result.errors.isEmpty { return result }
            let (known, settled) = (held, numbers)
            self = fresh
            numbers = settled
            held = known.merging(found) { known, _ in known }
        }
    }

    /// Problems of courses that aren't held yet, by their index.
    private func troubles() -> [Int: HeldCourse.Reason] {
        var found = unreadable.mapValues { HeldCourse.Reason.unreadable($0.sentence) }
        for index in lossGuard?.held(tallies) ?? [] where found[index] == nil {
            let tally = tallies[index]
            found[index] = .filesMissing(count: tally.lost, finished: tally.finished, example: tally.example)
        }
        return found.filter { held[$0.key] == nil && compared.contains(entries.catalog.courses[$0.key].id) }
    }

    /// Nil: rows get other numbers than they were compared with.
    private mutating func compare() throws -> Reconciliation? {
        tallies = entries.catalog.courses.map { compared.contains($0.id) ? .init() : knownTallies[$0.id] ?? .init() }
        result.held = held.sorted { $0.key < $1.key }.map { index, reason in
            let course = entries.catalog.courses[index]
            return HeldCourse(course: course.id, title: course.title, reason: reason)
        }
        checkOwnership()
        guard result.errors.isEmpty else { return result }
        seen = Array(repeating: false, count: entries.slots.count)
        try scan()
        if !numbers.isSettled, !entries.slots.isEmpty, settleNumbers() { return nil }
        addNew()
        try nameAndMove()
        try resume()
        let shared = SharedBytes(store: store, exists: library.exists)
        try shared.findDonors(in: &result)
        try UnrecordedFiles(store: store, filesAtStem: library.filesAtStem).find(in: &result)
        SharedBytes.findFollowers(in: &result)
        if only.isEmpty {
            let others = entries.catalog.courses.indices.filter { !compared.contains(entries.catalog.courses[$0].id) }
            FolderCovers(catalog: entries.catalog, folders: folders).plan(
                in: &result, without: Set(held.keys).union(others))
        }
        result.only = only
        if result.selectorMatched.contains(false) { result.references = entries.slots.map { entries.reference($0) } }
        result.revivedDownloads = RevivedDownloads(
            entries, allViewNames(), only: only, of: compared,
            without: Set(held.keys.map { entries.catalog.courses[$0].id }))
        if only.isEmpty { result.unlisted = unlistedFolders() }
        result.tallies = Dictionary(
            zip(entries.catalog.courses.map(\.id), tallies), uniquingKeysWith: { first, _ in first })
        result.changes.courses = changedCourses()
        result.changes.chapters = folders.changedChapters.filter { compared.contains($0.course) }
        return result
    }

    /// The layout of a course counts as applied only if all of its videos were compared.
    private func changedCourses() -> [CourseRecord] {
        let partly = Set(held.keys.map { entries.catalog.courses[$0].id })
        return folders.changedCourses.compactMap { course in
            guard compared.contains(course.id) else { return nil }
            guard !only.isEmpty || partly.contains(course.id) else { return course }
            let record = folders.recordedCourses[course.id]
            var course = course
            course.layout = record?.layout
            return course == record ? nil : course
        }
    }

    // MARK: whose course is it

    mutating func checkOwnership() {
        for course in entries.catalog.courses where compared.contains(course.id) {
            let file = entries.catalog.files[course.file]
            guard let record = folders.recordedCourses[course.id], record.file != file.path, !record.file.isEmpty,
                !readFiles.contains(record.file)
            else { continue }
            if FileManager.default.fileExists(atPath: record.file) {
                let place = SourceLocation(
                    file: file.shownPath, line: course.location.line, column: course.location.column)
                result.errors.append(.courseTaken(course.id, by: record.file, at: place))
            } else {
                result.notices.append(.courseMoved(course.id, to: file.shownPath))
            }
        }
    }

    mutating func isSelected(_ slot: CatalogEntries.Slot) -> Bool {
        only.isEmpty || isSelected(reference(slot))
    }

    mutating func isSelected(_ reference: VideoReference) -> Bool {
        guard !only.isEmpty else { return true }
        var isSelected = false
        for (index, selector) in only.enumerated()
        where selector.matches(reference) {
            result.selectorMatched[index] = true
            isSelected = true
        }
        return isSelected
    }
}
