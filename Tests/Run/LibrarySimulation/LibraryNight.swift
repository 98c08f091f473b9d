import CatalogComparison
import CourseCatalog
import Crypto
import DownloadRunner
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import HeapModule
import MediaLibrary
import NightSimulation
import RunAccess
import RunSchedule
import SyncFacts
import SystemPackage

/// One night of a library: the real comparison, moves, settling, placing, commands and pruning, on a real state and a
/// disk in memory, around the real schedule. Providers and hosts are a few seconds.
struct LibraryNight {
    /// What happens next.
    enum Step {
        case wake(Date)
        case resolved(DownloadID, turn: Int, Donor?)
        case half(DownloadID, turn: Int)
        case complete(DownloadID, turn: Int)
        case stopped(DownloadID, turn: Int)
        case hashed(DownloadID)
        case place(DownloadID)
        case apply(Int, [DownloadID])
        /// The provider has listed a course.
        case listed(String)
        /// It is read from rows and disk.
        case compare(Int)
        /// It is written.
        case add(Int)
        case command(LibraryWeek.Command)
        case commit
    }

    struct Planned: Comparable {
        var at: Double
        var number: Int
        var step: Step

        static func < (a: Planned, b: Planned) -> Bool { (a.at, a.number) < (b.at, b.number) }
        static func == (a: Planned, b: Planned) -> Bool { a.number == b.number }
    }

    let week: LibraryWeek
    let night: Int
    let disk: MemoryDisk
    let store: DownloadStore
    let library: LibraryFolder
    let changes: PassChanges
    let folder: URL
    var memory: LibraryMemory
    var schedule = Schedule(
        [], followers: Followers(), limits: Schedule.Limits(jobs: 1, hostConnections: 8, maxWait: .zero))
    var agenda = Heap<Planned>()
    var seconds = 0.0
    var steps = 0
    private var lastNumber = 0
    var plan: Reconciliation?
    var settled: PassChanges.Settled?
    var wanted: [DownloadID: WantedDownload] = [:]
    var again: [DownloadID: WantedDownload] = [:]
    var turns: [DownloadID: Int] = [:]
    /// Rows to be written with the next transaction.
    var journal: [DownloadChange] = []
    var commands: [Int: LibraryWeek.Command] = [:]
    var arrivals: [Int: String] = [:]
    var compared: [Int: Reconciliation] = [:]
    /// Courses that haven't been listed yet, and the night of the list that is known.
    var lists: [String: Int] = [:]
    var isOver = false
    var wasStopped = false
    var problem: String?
    var trace: [String]?

    static let root = "/library"
    private static let epoch = Date(timeIntervalSince1970: 1_800_000_000)

    init(
        _ week: LibraryWeek, _ night: Int, _ disk: MemoryDisk, _ folder: URL, _ memory: LibraryMemory, isTraced: Bool
    ) throws {
        self.week = week
        self.night = night
        self.disk = disk
        self.folder = folder
        self.memory = memory
        trace = isTraced ? [] : nil
        let store = try DownloadStore(path: folder.appendingPathComponent("state.sqlite").path, role: .holder)
        self.store = store
        let id = LibraryID(rawValue: "simulated")
        library = try LibraryFolder.open(
            FilePath(Self.root), expecting: memory.isOpened ? .known(id) : .new(id),
            owner: LibraryOwner(user: "u", host: "h"),
            by: disk)
        self.memory.isOpened = true
        var options = SyncOptions(catalogs: [])
        options.prune = week.prunes
        changes = PassChanges(options: options, store: store, library: library, hub: EventHub())
    }

    var now: Date { Self.epoch.addingTimeInterval(Double(night) * 86_400 + seconds) }

    mutating func later(_ step: Step, in delay: Double) {
        steps += 1
        agenda.insert(Planned(at: seconds + delay, number: steps, step: step))
    }

    /// The number of a command or an arrival, which nothing else has.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func dice(_ keys: Int...) -> Dice {
        var dice = Dice(week.seed, 20 + night)
        for key in keys { dice = Dice(dice.next(), key) }
        return dice
    }

    func note(_ line: @autoclosure () -> String) -> String? { trace == nil ? nil : "\(seconds): \(line())" }

    mutating func say(_ line: @autoclosure () -> String) { if let line = note(line()) { trace?.append(line) } }

    // MARK: the night

    /// Runs to its end, to a kill, or to what is wrong. Throws what ends a run.
    mutating func run() async throws {
        for command in week.commands where command.night == night && command.at < 0 { try await steerBefore(command) }
        // A course that was never listed is known at once.
        for course in week.listed(night) where course.arrivals[night] != nil {
            lists[course.id] = memory.lists[course.id]
        }
        let settled = try changes.settle(now)
        self.settled = settled
        if !disk.isDead { memory.noteFinished(store) }
        let courses = lists.isEmpty ? ComparedCourses.all : .without(Set(lists.keys))
        guard let catalog = try read() else { return }
        var plan = try changes.compare(catalog, at: now, courses: courses, unsettled: settled.unsettled)
        guard plan.errors.isEmpty else { return problem = "the catalog is refused: \(plan.errors)" }
        let moves = try changes.carryOut(plan, held: plan.held)
        say("moves \(moves.map { "\($0.move.from) → \($0.path ?? "?")" }), held \(plan.held.map(\.course))")
        noteSources(courses, held: plan.held)
        let run = try store.runs.begin(catalogs: [])
        putForeignFiles()
        let told = try changes.finish(
            plan, moves, courses, held: plan.held, after: settled, note: { _ in })
        plan.unmoved = settled.unmoved + told.unmoved
        self.plan = plan
        if !plan.isIdle || !lists.isEmpty { try await takeTurns(plan) }
        guard problem == nil, !disk.isDead else { return }
        try commit([])
        if week.prunes, !wasStopped { try prune() }
        try store.runs.end(run, RunEnd())
        for course in week.listed(night) where lists[course.id] == nil { memory.lists[course.id] = night }
    }

    /// Somebody's files where videos of this night go. What a kill left is fixed at the kill.
    private mutating func putForeignFiles() {
        guard !disk.isDead else { return }
        for event in week.events where event.night == night {
            guard case .foreign(let course, let video) = event.trouble,
                let record = record(week.courses[course].id, week.courses[course].videos[video].id)
            else { continue }
            // What stands in the place of the video's own file is the video's file, changed by somebody.
            guard record.file?.path != "\(record.catalog.stem).mp4" else { continue }
            let path = "\(Self.root.dropFirst())/\(record.catalog.stem).mp4"
            let bytes = Array("somebody's \(night)".utf8)
            disk.change { if $0.put(bytes, at: path) { memory.foreign[path] = bytes } }
        }
    }

    private func record(_ course: String, _ video: String) -> DownloadRecord? {
        var found: DownloadRecord?
        try? store.downloads.each { if $0.key.course == course, $0.key.video == video { found = $0 } }
        return found
    }

    /// The catalog as it is known now; nil without any course.
    func read() throws -> Catalog? {
        guard let text = week.catalog(night, lists: lists) else { return nil }
        let path = folder.appendingPathComponent("catalog.yaml").path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let reading = CatalogReader.read([path])
        guard reading.verdict == .valid else { throw SimulationError(text: "\(reading.report)") }
        return reading.catalog
    }

    private mutating func takeTurns(_ plan: Reconciliation) async throws {
        for download in plan.wanted + plan.asked { wanted[download.id] = download }
        schedule = Schedule(
            plan.wanted.map(scheduled) + plan.asked.map(question), followers: plan.followers,
            limits: Schedule.Limits(jobs: week.jobs, hostConnections: 8, maxWait: .seconds(600)),
            expectsMore: !lists.isEmpty)
        for course in week.listed(night) {
            if lists[course.id] != nil, let seconds = course.arrivals[night] { later(.listed(course.id), in: seconds) }
        }
        for command in week.commands where command.night == night && command.at >= 0 {
            later(.command(command), in: command.at)
        }
        later(.commit, in: 1)
        tell(.begin)
        while problem == nil, !isOver, !disk.isDead {
            guard let next = agenda.popMin(), steps < 20_000 else { return problem = "the night never ends" }
            seconds = next.at
            try await take(next.step)
        }
    }

    func scheduled(_ wanted: WantedDownload) -> ScheduledDownload {
        ScheduledDownload(
            id: wanted.id, priority: wanted.priority, ordinal: wanted.ordinal, provider: wanted.provider,
            retryAt: wanted.retryAt, failedRuns: wanted.failedRuns, bytes: wanted.bytes(), donor: wanted.donor)
    }

    func question(_ wanted: WantedDownload) -> ScheduledDownload {
        var download = scheduled(wanted)
        download.purpose = .sidecars
        return download
    }

    /// Remembers which version of a video's bytes the digests of these courses' rows mean, once they are compared.
    mutating func noteSources(_ courses: ComparedCourses, held: [HeldCourse]) {
        let held = Set(held.map(\.course))
        try? store.downloads.each { row in
            let (course, video) = (row.key.course, row.key.video)
            guard !row.isGone, courses.contains(course), !held.contains(course), let version = version(course, video)
            else { return }
            memory.versions[LibraryMemory.Source(course: course, video: video, digest: row.catalog.source)] = version
        }
    }

    /// The version that the catalog names.
    func version(_ course: String, _ video: String) -> Int? {
        week.courses.first { $0.id == course }?.videos.first { $0.id == video }?.versions[night]
    }

    func commit(_ changes: [DownloadChange]) throws {
        try store.write(journal + changes, at: now)
    }

    private mutating func prune() throws {
        guard let plan, lists.isEmpty, case .delete(let gone) = PruneGuard.verdict(plan, .standard, endsWell: true)
        else {
            return
        }
        for item in gone { memory.forgive(item.reference.course, item.reference.video) }
        let outcome = Pruning(store: store, library: library).run(gone, plan.unlisted)
        say("pruned \(outcome.removed)")
    }
}

struct SimulationError: Error {
    var text: String
}
