import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import Foundation
import ProviderKit
import RunAccess
import SyncFacts

/// The listings that a sync would work with, asked for by a dry run. Records nothing.
struct DryRunListings {
    private(set) var catalog: Catalog
    /// The warnings of a sync about them.
    private(set) var warnings: [SyncWarning] = []
    /// What a sync would end with because of them.
    private(set) var conditions: Set<SyncCondition> = []
    /// Courses that couldn't be listed, or whose listing isn't believed.
    private(set) var unlisted = 0
    /// The warnings about courses whose neighbours haven't all answered yet, by index.
    private var warningsOfCourses: [Int: [SyncWarning]] = [:]

    /// Asks for the courses of `due`, all at once; each is made part of the catalog as soon as it has answered.
    ///
    /// - Parameter stored: the catalog with the last listings.
    init(
        _ written: Catalog, stored: Catalog, due: [Int], records: [String: ListingRecord], access: ProviderAccess,
        options: SyncOptions, now: Date
    ) async throws(StoreError) {
        catalog = stored
        let lister = access.lister
        let (answers, continuation) = AsyncStream<Answer>.makeStream()
        let asking = Task {
            await withDiscardingTaskGroup { group in
                for index in due {
                    group.addTask {
                        let course = written.courses[index]
                        do throws(ProviderError) {
                            let (pages, _, seat) = try await lister.pages(
                                of: course, parameters: access.pool.parameters(of: course.settings))
                            continuation.yield(.pages(index, pages, seat))
                        } catch { continuation.yield(.failure(index, error)) }
                    }
                }
            }
            continuation.finish()
        }
        defer { asking.cancel() }
        func record(_ course: Course) -> ListingRecord? {
            records[course.id].flatMap { $0.question == StoredListing.question(of: course) ? $0 : nil }
        }
        for await answer in answers {
            switch answer {
            case .pages(let index, let pages, _):
                let course = written.courses[index]
                try take(
                    pages, of: index, course: course, record: record(course), store: access.store, options: options,
                    now: now)
            case .failure(let index, let error):
                let course = written.courses[index]
                note(error, of: index, course, record(course))
            }
        }
        warnings = due.flatMap { warningsOfCourses.removeValue(forKey: $0) ?? [] }
    }

    /// What a provider has answered.
    private enum Answer: Sendable {
        case pages(Int, ListingPages, ListingMemoryBudget.Seat)
        case failure(Int, ProviderError)
    }

    private mutating func take(
        _ pages: ListingPages, of index: Int, course: Course, record: ListingRecord?, store: DownloadStore,
        options: SyncOptions, now: Date
    ) throws(StoreError) {
        var warnings: [SyncWarning] = []
        defer { warningsOfCourses[index] = warnings }
        if let record, !options.acceptsListings,
            case .doubted(let lost, let count, _) = ListingGuard.verdict(
                old: try StoredListing.outline(record, of: course, comparedWith: pages.listing, store).listing,
                new: pages.listing, of: course,
                limit: options.maxDelete, doubt: record.doubt, askedAt: record.askedAt, now: now)
        {
            warnings.append(.listing(.doubted(course: course.id, lost: lost, of: count)))
            conditions.insert(.workLeft)
            unlisted += 1
            return
        }
        catalog.replace(index, with: course.adding(ListingSelection(pages.listing, of: course).listing))
        warnings += pages.warnings(about: course.id).map { .listing($0) }
    }

    private mutating func note(_ error: ProviderError, of index: Int, _ course: Course, _ record: ListingRecord?) {
        let unlisted = SyncWarning.Listing.Unlisted(course: course.id, last: record?.askedAt, at: course.location)
        warningsOfCourses[index] = [
            .listing(
                .failed(provider: course.settings.provider?.name ?? "", DownloadError(error), courses: [unlisted]))
        ]
        if let condition = error.kind.listingCondition { conditions.insert(condition) }
        self.unlisted += 1
    }
}
