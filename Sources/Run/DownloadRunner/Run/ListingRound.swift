import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import ProviderKit
import SyncFacts
import YAMLSource

/// The courses of a pass that their providers list: all are asked at once, and each is known when its provider has
/// answered. Until then it has its last listing.
struct ListingRound: ~Copyable {
    private enum Item: Sendable {
        case outcome(Int, CourseLister.Outcome)
        /// It is time to go on with what is known.
        case tick
    }

    /// The courses of one answer or several, to be compared now.
    struct Arrival: Sendable {
        var catalog: Catalog
        var courses: ComparedCourses
    }

    /// How long a pass waits for all listings before it begins with those that have come.
    private static let patience = Duration.seconds(1)
    /// Listings that come within this time of each other are compared together.
    private static let gathering = Duration.milliseconds(200)

    /// The courses as the catalogs write them.
    private let written: Catalog
    /// The courses with their listings.
    private(set) var catalog: Catalog
    /// Courses whose providers haven't answered, by index.
    private var pending: Set<Int>
    /// The result of each course that has failed, was doubted or couldn't be recorded.
    private(set) var outcomes: [(course: Course, outcome: CourseLister.Outcome)] = []
    private var iterator: AsyncStream<Item>.AsyncIterator
    private let continuation: AsyncStream<Item>.Continuation
    private let task: Task<Void, Never>
    /// Called for each new listing: with the course as it was and as it is, and the warnings about it.
    private let note: (_ old: Course, _ new: Course, [SyncWarning.Listing]) -> Void

    /// Begins to ask. `stored` is the catalog with the last listings.
    init(
        _ written: Catalog, stored: Catalog, due: [Int],
        list: @escaping @Sendable (Course) async -> CourseLister.Outcome,
        note: @escaping (_ old: Course, _ new: Course, [SyncWarning.Listing]) -> Void
    ) {
        self.written = written
        self.note = note
        catalog = stored
        pending = Set(due)
        let (stream, continuation) = AsyncStream<Item>.makeStream()
        self.continuation = continuation
        iterator = stream.makeAsyncIterator()
        let courses = due.map { (index: $0, course: written.courses[$0]) }
        task = Task.detached {
            await withDiscardingTaskGroup { group in
                for (index, course) in courses {
                    group.addTask {
                        continuation.yield(.outcome(index, await list(course)))
                    }
                }
            }
            continuation.finish()
        }
    }

    /// Whether a course was never listed and can't be now, so that nobody knows its videos.
    var hasUnknown: Bool {
        outcomes.contains { course, outcome in
            if case .failed = outcome { course.isUnlisted } else { false }
        }
    }

    /// Ends it: courses whose providers haven't answered stay as they were.
    var cancel: @Sendable () -> Void { { [task] in task.cancel() } }

    /// Whether all have answered.
    var isComplete: Bool { pending.isEmpty }

    /// The courses whose providers haven't.
    var unanswered: [Course] { pending.sorted().map { catalog.courses[$0] } }

    /// The courses to begin with: all, or after a while those that are known. `needsAll` waits for all.
    mutating func first(needsAll: Bool) async -> Arrival {
        guard !pending.isEmpty else { return Arrival(catalog: catalog, courses: .all) }
        let timer = tick(after: Self.patience)
        defer { timer.cancel() }
        var isTime = false
        while !pending.isEmpty, !(isTime && !needsAll && pending.count < catalog.courses.count) {
            guard let item = await iterator.next(isolation: #isolation) else { break }
            if case .outcome(let index, let outcome) = item { take(index, outcome) } else { isTime = true }
        }
        return Arrival(
            catalog: catalog,
            courses: pending.isEmpty ? .all : .without(Set(pending.map { catalog.courses[$0].id })))
    }

    /// The courses that have been listed since the last call; waits for one. Nil: there are no more.
    mutating func next() async -> Arrival? {
        var arrived: Set<String> = []
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        gather: while !pending.isEmpty {
            guard let item = await iterator.next(isolation: #isolation) else { break }
            switch item {
            case .tick: if !arrived.isEmpty { break gather }
            case .outcome(let index, let outcome):
                guard take(index, outcome) else { continue }
                arrived.insert(catalog.courses[index].id)
                if timer == nil { timer = tick(after: Self.gathering) }
            }
        }
        return arrived.isEmpty ? nil : Arrival(catalog: catalog, courses: .only(arrived))
    }

    private func tick(after delay: Duration) -> Task<Void, Never> {
        Task.detached { [continuation] in
            do { try await Task.sleep(for: delay) } catch { return }
            continuation.yield(.tick)
        }
    }

    /// Whether the course can be compared now.
    @discardableResult
    private mutating func take(_ index: Int, _ outcome: CourseLister.Outcome) -> Bool {
        // The run is ending.
        if case .failed(let error, _) = outcome, error.kind == .cancelled { return false }
        pending.remove(index)
        let course = written.courses[index]
        if case .listed(let listing, _, var warnings, _) = outcome {
            let old = catalog.courses[index]
            let selection = ListingSelection(listing, of: course)
            let new = course.adding(selection.listing)
            catalog.replace(index, with: new)
            if selection.undated > 0 { warnings.append(.undated(course: new.id, count: selection.undated)) }
            note(old, new, warnings)
        }
        switch outcome {
        // The listing is part of the catalog now; its memory is for others.
        case .listed, .unchanged: break
        case .doubted, .failed, .unrecorded: outcomes.append((catalog.courses[index], outcome))
        }
        return true
    }
}
