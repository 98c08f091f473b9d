import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadRunner
import DownloadStore
import Foundation
import ProviderKit
import SyncFacts

/// The listings that a sync would work with, asked for by a dry run. Records nothing.
struct DryRunListings {
    /// The catalog with them.
    private(set) var catalog: Catalog
    /// The warnings of a sync about them.
    private(set) var warnings: [SyncWarning] = []
    /// What a sync would end with because of them.
    private(set) var conditions: Set<SyncCondition> = []
    /// Courses that couldn't be listed, or whose listing isn't believed.
    private(set) var unlisted = 0

    /// Asks for the courses of `due`, all at once.
    ///
    /// - Parameter stored: the catalog with the last listings.
    init(
        _ written: Catalog, stored: Catalog, due: [Int], _ records: [String: ListingRecord], _ access: ProviderAccess,
        _ options: SyncOptions, now: Date
    ) async throws(StoreError) {
        catalog = stored
        let answers = await withTaskGroup(of: (Int, Result<ListingPages, ProviderError>).self) { group in
            for index in due {
                group.addTask {
                    do throws(ProviderError) {
                        return (index, .success(try await access.pages(of: written.courses[index])))
                    } catch { return (index, .failure(error)) }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for index in due {
            let course = written.courses[index]
            let record = records[course.id].flatMap { $0.question == StoredListing.question(of: course) ? $0 : nil }
            switch answers[index] {
            case .success(let pages): try take(pages, of: index, course, record, access.store, options, now)
            case .failure(let error): note(error, course, record)
            case nil: break
            }
        }
    }

    private mutating func take(
        _ pages: ListingPages, of index: Int, _ course: Course, _ record: ListingRecord?, _ store: DownloadStore,
        _ options: SyncOptions, _ now: Date
    ) throws(StoreError) {
        if let record, !options.acceptsListings,
            case .doubted(let lost, let count, _) = ListingGuard.verdict(
                old: try StoredListing.read(record, of: course, store), new: pages.listing, of: course,
                limit: options.maxDelete, doubt: record.doubt, now: now)
        {
            warnings.append(.listing(.doubted(course: course.id, lost: lost, of: count)))
            conditions.insert(.workLeft)
            unlisted += 1
            return
        }
        catalog.replace(index, with: course.adding(ListingSelection(pages.listing, of: course).listing))
        if pages.repeated > 0 { warnings.append(.listing(.repeated(course: course.id, count: pages.repeated))) }
        if pages.unusable > 0 { warnings.append(.listing(.unusable(course: course.id, count: pages.unusable))) }
    }

    private mutating func note(_ error: ProviderError, _ course: Course, _ record: ListingRecord?) {
        let unlisted = SyncWarning.Listing.Unlisted(course: course.id, last: record?.askedAt, at: course.location)
        warnings.append(
            .listing(
                .failed(
                    provider: course.settings.provider?.name ?? "", DownloadError(error), courses: [unlisted])))
        if let condition = error.kind.listingCondition { conditions.insert(condition) }
        self.unlisted += 1
    }
}
