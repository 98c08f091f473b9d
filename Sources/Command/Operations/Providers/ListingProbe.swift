import CourseCatalog
import CourseDiscovery
import DownloadJobs
package import DownloadStore
package import Foundation
package import Logging
import ProviderKit
import RunAccess
package import SyncFacts

/// What a provider lists of a course, and what the next sync would make of it.
package struct ListingReport: Sendable {
    /// What becomes of a video.
    package enum Fate: Sendable, Equatable {
        /// The next sync downloads it.
        case new
        /// The state has it.
        case known(DownloadState)
        /// The state has it, under this title.
        case renamed(from: String, DownloadState)
        /// Its title matches no pattern of `include`.
        case notIncluded
        /// Its title matches this pattern of `exclude`.
        case excluded(pattern: String)
        /// So many others are newer.
        case older(newest: Int)
        /// The state has it, and it is no longer listed.
        case gone(DownloadState)
    }

    /// A video.
    package struct Item: Sendable {
        package var reference: VideoReference
        package var fate: Fate
        /// When it was published; nil if unknown.
        package var publishedAt: Date?
        /// In seconds; nil if unknown.
        package var duration: Double?
        /// Whether the catalog itself names it.
        package var isWritten: Bool

        package init(
            reference: VideoReference, fate: Fate, publishedAt: Date?, duration: Double?, isWritten: Bool
        ) {
            self.reference = reference
            self.fate = fate
            self.publishedAt = publishedAt
            self.duration = duration
            self.isWritten = isWritten
        }
    }

    /// The course's id.
    package var course: String
    package var title: String
    package var provider: String
    /// The time that the provider took.
    package var seconds: Double
    /// Videos that came twice.
    package var repeated: Int
    /// Videos with an id that can't be used.
    package var unusable: Int
    /// Videos of other providers that are left out.
    package var refused: [SyncWarning.RefusedHandOver]
    /// How many of the course's videos it lacks, if the next sync would doubt it.
    package var doubt: (lost: Int, of: Int)?
    /// In the order of the course; then what it leaves out, and what is gone.
    package var items: [Item]
}

/// Asks a provider for the listing of a course as a sync does, and changes nothing.
package enum ListingProbe {
    /// The report about one course of the catalogs.
    package static func run(
        catalogs: [String], course id: String, user: String?, state: String?, plugins: [String], caFile: String?,
        helpers: CredentialHelpers = CredentialHelpers(), maxDelete: MaxDelete = .standard, logger: Logger
    ) async throws(Refusal) -> Result<ListingReport, DownloadError> {
        let registry = ProviderCheck.registry(plugins)
        let (catalog, check) = await CatalogCheck.read(
            CatalogSources(catalogs, state: state, caFile: caFile), registry: registry)
        guard check.conditions.isEmpty else {
            throw .catalog(.mistakes(check.diagnostics, check.conditions.first ?? .invalidCatalog))
        }
        let access = try ProviderAccess(
            StateLocation(user: user, state: state), registry: registry, caFile: caFile, helpers: helpers,
            logger: logger)
        defer { access.close() }
        let known: Catalog
        do throws(StoreError) { known = try CourseSourceRound.stored(catalog, access.store).catalog } catch {
            throw Refusal(error)
        }
        let listed = known.courses.filter(\.discover)
        guard let course = listed.first(where: { $0.id == Identifier.normalized(id) }) else {
            throw .catalog(.notListed(id, known: listed.map(\.id), isThere: known.courses.contains { $0.id == id }))
        }
        let started = Date()
        let pages: ListingPages
        do throws(ProviderError) {
            pages = try await access.pages(of: course)
        } catch {
            await access.pool.shutDown()
            return .failure(DownloadError(error))
        }
        await access.pool.shutDown()
        let seconds = Date().timeIntervalSince(started)
        do throws(StoreError) {
            return .success(try report(course, pages, access.store, seconds: seconds, maxDelete: maxDelete))
        } catch { throw Refusal(error) }
    }

    private static func report(
        _ course: Course, _ pages: ListingPages, _ store: DownloadStore, seconds: Double, maxDelete: MaxDelete
    ) throws(StoreError) -> ListingReport {
        let selection = ListingSelection(pages.listing, of: course)
        let whole = course.adding(selection.listing)
        var rows: [String: DownloadRecord] = [:]
        try store.downloads.each(DownloadFilter(course: course.id)) { rows[$0.key.video] = $0 }
        let listed = Dictionary(
            pages.listing.videos.indices.map { (pages.listing.videos.id($0), $0) },
            uniquingKeysWith: { first, _ in first })
        let written = Set(([course.videos] + course.chapters.map(\.videos)).joined().map(\.id))

        func item(_ reference: VideoReference, _ fate: ListingReport.Fate) -> ListingReport.Item {
            let entry = listed[reference.video].map { pages.listing.videos[$0] }
            return ListingReport.Item(
                reference: reference, fate: fate,
                publishedAt: entry?.publishedAt.map { Date(timeIntervalSince1970: $0) }, duration: entry?.duration,
                isWritten: written.contains(reference.video))
        }
        var items: [ListingReport.Item] = []
        var present: Set<String> = []
        for (chapter, videos) in [(nil, whole.videos)] + whole.chapters.map({ ($0.id, $0.videos) }) {
            for video in videos {
                present.insert(video.id)
                let reference = VideoReference(
                    course: course.id, chapter: chapter, video: video.id, title: video.title)
                let row = rows[video.id]
                let fate: ListingReport.Fate =
                    row.map { row in
                        row.catalog.title == video.title
                            ? .known(row.state) : .renamed(from: row.catalog.title, row.state)
                    } ?? .new
                items.append(item(reference, fate))
            }
        }
        for (video, reason) in selection.left where !present.contains(video.id) {
            let reference = VideoReference(
                course: course.id, chapter: video.chapter.map { pages.listing.chapters[$0].id }, video: video.id,
                title: video.shownTitle)
            let fate: ListingReport.Fate =
                switch reason {
                case .notIncluded: .notIncluded
                case .excluded(let pattern): .excluded(pattern: pattern)
                case .older(let newest): .older(newest: newest)
                }
            items.append(item(reference, fate))
            present.insert(video.id)
        }
        for row in rows.values.sorted(by: { $0.catalog.ordinal < $1.catalog.ordinal })
        where !present.contains(row.key.video) {
            items.append(item(row.reference, .gone(row.state)))
        }
        return ListingReport(
            course: course.id, title: whole.title, provider: course.settings.provider?.name ?? "", seconds: seconds,
            repeated: pages.repeated, unusable: pages.unusable, refused: pages.handOver.refused,
            doubt: try doubt(course, pages.listing, store, maxDelete: maxDelete), items: items)
    }

    private static func doubt(
        _ course: Course, _ listing: CourseListing, _ store: DownloadStore, maxDelete: MaxDelete
    ) throws(StoreError) -> (lost: Int, of: Int)? {
        guard let record = try store.listings.records()[course.id],
            record.question == StoredListing.question(of: course)
        else { return nil }
        let verdict = ListingGuard.verdict(
            old: try StoredListing.outline(record, of: course, comparedWith: listing, store).listing, new: listing,
            of: course, limit: maxDelete, doubt: record.doubt, askedAt: record.askedAt, now: Date())
        guard case .doubted(let lost, let count, _) = verdict else { return nil }
        return (lost, count)
    }
}

extension ProviderAccess {
    /// Asks for listings.
    var lister: CourseLister { lister(.init(maxDelete: .standard, acceptsAll: false)) }

    /// Asks for listings, which are believed by these rules.
    func lister(_ rules: CourseLister.Rules) -> CourseLister {
        CourseLister(
            user: user, settings: pool.settings, store: store, rules: rules, now: { Date() },
            check: pool.parameterMistake
        ) { [pool] request, provider throws(ProviderError) in try await pool.list(request, provider: provider) }
    }

    /// Asks for lists of courses.
    func courseLister(_ rules: CourseLister.Rules) -> CourseLister {
        CourseLister(
            user: user, settings: pool.settings, store: store, rules: rules, now: { Date() },
            check: pool.parameterMistake
        ) { [pool] request, provider throws(ProviderError) in
            Listing(try await pool.courses(CoursesRequest(request), provider: provider))
        }
    }

    /// Asks for the whole listing of a course.
    func pages(of course: Course) async throws(ProviderError) -> ListingPages {
        try await lister.pages(of: course, parameters: pool.parameters(of: course.settings)).pages
    }
}
