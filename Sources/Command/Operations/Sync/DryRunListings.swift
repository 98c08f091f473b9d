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

    /// Asks for the courses of the catalog's sources, and then for the listings of all courses that are due; each is
    /// made part of the catalog as soon as it has come.
    init(
        _ catalog: Catalog, access: ProviderAccess, options: SyncOptions, now: Date
    ) async throws(StoreError) {
        let rules = CourseLister.Rules(maxDelete: options.maxDelete, acceptsAll: options.acceptsListings)
        let sources = try await Self.courses(of: catalog, access, rules, only: options.only, now: now)
        let written = sources.catalog
        self.catalog = try written.addingStoredListings(access.store)
        if let error = sources.unrecorded { throw error }
        note(sources)
        let records = try access.store.listings.records()
        let due = CourseLister.due(written, records, only: options.only, now: now)
        let lister = access.lister(rules)
        let (answers, continuation) = AsyncStream<Answer>.makeStream()
        let asking = Task {
            await withDiscardingTaskGroup { group in
                for index in due {
                    group.addTask {
                        let course = written.courses[index]
                        let parameters = access.pool.parameters(of: course.settings)
                        do throws(StoreError) {
                            let outcome = try await lister.look(
                                at: course, parameters: parameters, records[course.id])
                            continuation.yield(.outcome(index, outcome))
                        } catch { continuation.yield(.trouble(error)) }
                    }
                }
            }
            continuation.finish()
        }
        defer { asking.cancel() }
        for await answer in answers {
            switch answer {
            case .outcome(let index, let outcome): take(outcome, of: index, in: written)
            case .trouble(let error): throw error
            }
        }
        warnings += due.flatMap { warningsOfCourses.removeValue(forKey: $0) ?? [] }
    }

    private static func courses(
        of catalog: Catalog, _ access: ProviderAccess, _ rules: CourseLister.Rules, only: [Selector], now: Date
    ) async throws(StoreError) -> CourseSourceRound {
        let lister = access.courseLister(rules)
        return try await CourseSourceRound.ask(
            catalog, access.store, only: only, now: now, parameters: access.pool.parameters(of:),
            check: access.pool.parameterMistake
        ) { list, parameters, last in
            do throws(StoreError) { return try await lister.look(at: list, parameters: parameters, last) } catch {
                return .unrecorded(error)
            }
        }
    }

    private mutating func note(_ sources: CourseSourceRound) {
        warnings = sources.warnings.map { .courses($0) }
        for (list, error, last) in sources.failures {
            let provider = list.settings.provider?.name ?? ""
            warnings.append(.courses(.failed(provider: provider, DownloadError(error), last: last)))
            if let condition = error.kind.listingCondition { conditions.insert(condition) }
        }
        unlisted = sources.failures.count + sources.doubted
        if sources.doubted > 0 { conditions.insert(.workLeft) }
    }

    /// The result for a course, or why the state can't be read.
    private enum Answer: Sendable {
        case outcome(Int, CourseLister.Outcome)
        case trouble(StoreError)
    }

    private mutating func take(_ outcome: CourseLister.Outcome, of index: Int, in written: Catalog) {
        let course = written.courses[index]
        switch outcome {
        case .listed(let listing, _, let notes, _):
            catalog.replace(index, with: course.adding(ListingSelection(listing, of: course).listing))
            warningsOfCourses[index] = notes.map { .listing($0) }
        case .doubted(let lost, let count):
            warningsOfCourses[index] = [.listing(.doubted(course: course.id, lost: lost, of: count))]
            conditions.insert(.workLeft)
            unlisted += 1
        case .failed(let error, let last) where error.isNotOpen(course, of: written, last: last): break
        case .failed(let error, let last):
            let course = (id: course.id, provider: course.settings.provider?.name ?? "", at: course.location)
            warningsOfCourses[index] = [
                .listing(
                    .failed(
                        provider: course.provider, DownloadError(error),
                        courses: [.init(course: course.id, last: last, at: course.at)]))
            ]
            if let condition = error.kind.listingCondition { conditions.insert(condition) }
            unlisted += 1
        case .unchanged, .unrecorded: break
        }
    }
}
