package import CourseCatalog
package import DownloadStore
package import Foundation
package import ProviderKit
package import SyncFacts
import YAMLSource

/// The courses of `courses_of`: from the providers, or from the last lists in the state. They are in the catalog before
/// any of them is asked for its videos.
package struct CourseSourceRound: Sendable {
    /// Asks for a list as a ``CourseLister`` does.
    package typealias List =
        @Sendable (
            _ list: Course, _ parameters: [String: JSONValue], _ last: ListingRecord?
        ) async -> CourseLister.Outcome

    /// The catalog with the courses, and without sources.
    package private(set) var catalog: Catalog
    /// Whether every list of courses is known.
    package var knowsAll: Bool { catalog.filesWithUnknownCourses.isEmpty }
    package private(set) var warnings: [SyncWarning.Courses] = []
    /// The lists that have changed.
    package private(set) var changes: [CoursesListed] = []
    /// The providers that couldn't be asked.
    package private(set) var failures: [(list: Course, error: ProviderError, last: Date?)] = []
    /// Whether the end of the run cut off a question.
    package private(set) var isCut = false
    /// How many lists weren't believed.
    package private(set) var doubted = 0
    /// Why an answer couldn't be recorded.
    package private(set) var unrecorded: StoreError?

    private let store: DownloadStore
    private let check: HandOver.Check
    /// Courses of catalogs that aren't read now, and still exist.
    private let others: Set<String>

    private init(
        _ catalog: Catalog, _ store: DownloadStore, _ check: @escaping HandOver.Check
    ) throws(StoreError) {
        self.catalog = catalog
        self.store = store
        self.check = check
        let known = catalog.courseSources.isEmpty ? [] : Array(try store.catalogs.courses().values)
        let files = Set(known.map(\.file)).subtracting(catalog.files.map(\.path) + [""])
            .filter { FileManager.default.fileExists(atPath: $0) }
        others = Set(known.filter { files.contains($0.file) }.map(\.id))
    }

    /// Only the last lists: asks nobody.
    ///
    /// - Parameter check: of the parameters of a course for a provider.
    package static func stored(
        _ catalog: Catalog, _ store: DownloadStore, check: @escaping HandOver.Check = { _, _ in nil }
    ) throws(StoreError) -> CourseSourceRound {
        var round = try CourseSourceRound(catalog, store, check)
        guard !catalog.courseSources.isEmpty else { return round }
        let records = try store.listings.records()
        for source in catalog.courseSources {
            let listing = try round.last(of: source, records)
            if listing == nil { round.warnings.append(.unknown(provider: source.providerName)) }
            round.take(listing, of: source)
        }
        round.catalog.finishSources()
        return round
    }

    /// Asks the providers whose `every` has passed, all at once. With selectors it asks only if one of them may choose
    /// a course that isn't known.
    package static func ask(
        _ catalog: Catalog, _ store: DownloadStore, only: [Selector], now: Date,
        parameters: @Sendable (Settings) -> [String: JSONValue], check: @escaping HandOver.Check, list: @escaping List
    ) async throws(StoreError) -> CourseSourceRound {
        let known = try stored(catalog, store, check: check).catalog.courses
        if !only.isEmpty, only.allSatisfy({ selector in known.contains { selector.course.matches($0.id) } }) {
            return try stored(catalog, store, check: check)
        }
        var round = try CourseSourceRound(catalog, store, check)
        let records = try store.listings.records()
        // An answer replaces the last list in the state.
        let last = try catalog.courseSources.map { source throws(StoreError) in try round.last(of: source, records) }
        let questions = catalog.courseSources.enumerated().compactMap { index, source -> Question? in
            let record = records[source.list.id]
            guard CourseLister.isDue(source.list, record, now: now) else { return nil }
            return Question(
                index: index, list: source.list, parameters: parameters(source.list.settings), last: record)
        }
        let outcomes = await withTaskGroup { group in
            for question in questions {
                group.addTask {
                    (question.index, await list(question.list, question.parameters, question.last))
                }
            }
            return await group.reduce(into: [Int: CourseLister.Outcome]()) { $0[$1.0] = $1.1 }
        }
        for (index, source) in catalog.courseSources.enumerated() {
            round.take(outcomes[index] ?? .unchanged, last[index], of: source)
        }
        round.catalog.finishSources()
        return round
    }

    private struct Question: Sendable {
        var index: Int
        var list: Course
        var parameters: [String: JSONValue]
        var last: ListingRecord?
    }

    /// The last list of a source, if it was asked for with the same parameters.
    private func last(
        of source: CourseSource, _ records: [String: ListingRecord]
    ) throws(StoreError) -> CourseListing? {
        guard let record = records[source.list.id], record.question == StoredListing.question(of: source.list) else {
            return nil
        }
        return try StoredListing.read(record, of: source.list, store)
    }

    private mutating func take(
        _ outcome: CourseLister.Outcome, _ last: CourseListing?, of source: CourseSource
    ) {
        let provider = source.providerName
        switch outcome {
        case .listed(let listing, _, let notes, _):
            note(notes, of: provider)
            noteChange(from: last, to: listing, of: source)
            return take(listing, of: source)
        case .unchanged: break
        case .doubted(let lost, let count):
            doubted += 1
            warnings.append(.doubted(provider: provider, lost: lost, of: count))
        case .failed(let error, let time):
            if error.kind == .cancelled { isCut = true } else { failures.append((source.list, error, time)) }
        case .unrecorded(let error): unrecorded = error
        }
        take(last, of: source)
    }

    /// Adds the courses of a list; without one they are unknown.
    private mutating func take(_ listing: CourseListing?, of source: CourseSource) {
        guard let listing else { return catalog.noteUnknown(source) }
        let provider = source.providerName
        let selection = ListingSelection(listing, of: source.list)
        let added = catalog.add(selection.listing, of: source, besides: others) { [check] settings in
            check(settings.parameters, provider)
        }
        if selection.undated > 0 { warnings.append(.undated(provider: provider, count: selection.undated)) }
        if !added.taken.isEmpty { warnings.append(.taken(provider: provider, courses: added.taken)) }
        if added.unusable > 0 { warnings.append(.unusable(provider: provider, count: added.unusable)) }
        if let first = added.refused.first {
            // What they are is unknown, not that they are gone.
            catalog.noteUnknown(source)
            warnings.append(
                .refused(
                    provider: provider, course: first.course, mistake: first.mistake, count: added.refused.count))
        }
    }

    private mutating func note(_ notes: [SyncWarning.Listing], of provider: String) {
        for note in notes {
            switch note {
            case .repeated(_, let count): warnings.append(.repeated(provider: provider, count: count))
            case .unusable(_, let count): warnings.append(.unusable(provider: provider, count: count))
            default: break
            }
        }
    }

    private mutating func noteChange(from last: CourseListing?, to listing: CourseListing, of source: CourseSource) {
        func ids(_ listing: CourseListing) -> Set<String> {
            Set(ListingSelection(listing, of: source.list).listing.videos.map(\.id))
        }
        let (old, new) = (last.map(ids), ids(listing))
        guard old != new else { return }
        changes.append(
            CoursesListed(
                provider: source.providerName, courses: new.count, was: old?.count,
                added: new.subtracting(old ?? []).count, removed: (old ?? []).subtracting(new).count))
    }
}

extension CourseSource {
    fileprivate var providerName: String { list.settings.provider?.name ?? "" }
}

extension CoursesRequest {
    /// The question for a page of a list that is asked for as that of a course.
    package init(_ request: ListRequest) {
        self.init(
            user: request.user, now: request.now, settings: request.settings, parameters: request.course.parameters,
            cursor: request.cursor)
    }
}

extension Listing {
    /// A page of courses in the form of a page of videos, each published when it begins.
    package init(_ list: CourseList) {
        self.init(
            videos: list.courses.map { course in
                Video(
                    id: course.id, title: course.title, publishedAt: course.begins, parameters: course.parameters)
            }, next: list.next, credentials: list.credentials)
    }
}
