package import CourseCatalog
package import DownloadStore
import FileSystem
package import Foundation
package import ProviderKit
package import SyncFacts
import YAMLSource

/// Asks providers for the listings of courses, and keeps what they answer in the state.
///
/// A listing replaces the last one only when it is complete and believed. Whatever goes wrong, the last one stays.
package struct CourseLister: Sendable {
    /// Asks a provider for a page.
    package typealias Ask = @Sendable (ListRequest, _ provider: String) async throws(ProviderError) -> Listing

    /// The result of asking for one course.
    package enum Outcome: Sendable {
        /// A new listing, which is in the state now.
        case listed(CourseListing, was: Int?, [SyncWarning.Listing], ListingMemoryBudget.Seat)
        /// The course has not changed: the last listing stays in use.
        case unchanged
        /// The new listing lacks too many videos to be trusted at once: the last one stays in use.
        case doubted(lost: Int, of: Int)
        /// The provider couldn't be asked: the last listing, of that time, stays in use.
        case failed(ProviderError, last: Date?)
        /// The state can't be written.
        case unrecorded(StoreError)
    }

    /// The rules for believing a listing.
    package struct Rules: Sendable {
        /// The guard on listings that shrink.
        package var maxDelete: MaxDelete
        /// Whether any listing is believed.
        package var acceptsAll: Bool

        package init(maxDelete: MaxDelete, acceptsAll: Bool) {
            self.maxDelete = maxDelete
            self.acceptsAll = acceptsAll
        }
    }

    private let user: String
    private let settings: HostSettings
    private let store: DownloadStore
    /// Knows which videos there are.
    private let videos: DownloadStore
    private let rules: Rules
    private let now: @Sendable () -> Date
    private let check: HandOver.Check
    private let ask: Ask
    private let memory = ListingMemoryBudget()

    /// - Parameter videos: knows which videos there are, if that isn't the state with the listings.
    package init(
        user: String, settings: HostSettings, store: DownloadStore, videos: DownloadStore? = nil, rules: Rules,
        now: @escaping @Sendable () -> Date, check: @escaping HandOver.Check, ask: @escaping Ask
    ) {
        self.user = user
        self.settings = settings
        self.store = store
        self.videos = videos ?? store
        self.rules = rules
        self.now = now
        self.check = check
        self.ask = ask
    }

    /// The courses of a catalog whose providers are to be asked now, by index: those with `discover` whose `every` has
    /// passed, that may have selected videos.
    package static func due(
        _ catalog: Catalog, _ records: [String: ListingRecord], only: [Selector], now: Date
    ) -> [Int] {
        catalog.courses.indices.filter { index in
            let course = catalog.courses[index]
            guard course.discover else { return false }
            guard only.isEmpty || only.contains(where: { $0.course.matches(course.id) }) else { return false }
            return isDue(course, records[course.id], now: now)
        }
    }

    /// Whether the provider of a course with `discover` is to be asked now: its `every` has passed.
    static func isDue(_ course: Course, _ record: ListingRecord?, now: Date) -> Bool {
        guard let every = course.discovery?.every, let record,
            record.question == StoredListing.question(of: course), record.doubtedAt == nil
        else { return true }
        return now < record.askedAt || now >= record.askedAt.advanced(by: every)
    }

    /// Asks for one course, page after page, and records the result.
    package func list(_ course: Course, parameters: [String: JSONValue], _ record: ListingRecord?) async -> Outcome {
        let question = StoredListing.question(of: course)
        let last = record.flatMap { $0.question == question ? $0 : nil }
        let (pages, isUnchanged, seat): (ListingPages, Bool, ListingMemoryBudget.Seat)
        do throws(ProviderError) {
            (pages, isUnchanged, seat) = try await self.pages(of: course, parameters: parameters, known: last?.known)
        } catch {
            return .failed(error, last: last?.askedAt)
        }
        return await Blocking.run { _ in
            do throws(StoreError) {
                self.memory.desk.lock()
                defer { self.memory.desk.unlock() }
                return try self.record(
                    pages, isUnchanged: isUnchanged, of: course, question: question, last: last, seat: seat)
            } catch { return .unrecorded(error) }
        }
    }

    /// The listing of a course that is in the state now, if it is another one than `last`.
    package func stored(_ course: Course, besides last: ListingRecord?) async -> Outcome {
        let seat = memory.seat(asking: course.settings.provider?.name ?? "")
        return await Blocking.run { _ in
            do throws(StoreError) {
                self.memory.desk.lock()
                defer { self.memory.desk.unlock() }
                guard let record = try self.store.listings.records()[course.id], record.askedAt != last?.askedAt,
                    record.question == StoredListing.question(of: course)
                else { return .unchanged }
                return .listed(try StoredListing.read(record, of: course, self.store), was: nil, [], seat)
            } catch { return .unrecorded(error) }
        }
    }

    /// Asks for one course, and judges the listing as ``list(_:parameters:_:)`` does. Records nothing.
    package func look(
        at course: Course, parameters: [String: JSONValue], _ record: ListingRecord?
    ) async throws(StoreError) -> Outcome {
        let last = record.flatMap { $0.question == StoredListing.question(of: course) ? $0 : nil }
        let (pages, seat): (ListingPages, ListingMemoryBudget.Seat)
        do throws(ProviderError) { (pages, _, seat) = try await self.pages(of: course, parameters: parameters) } catch {
            return .failed(error, last: last?.askedAt)
        }
        var listing = pages.listing
        let old = try last.map { last throws(StoreError) in
            try StoredListing.fill(&listing, from: last, of: course, store)
            return try StoredListing.outline(last, of: course, comparedWith: listing, store).listing
        }
        if let old, let last, !rules.acceptsAll,
            case .doubted(let lost, let count, _) = ListingGuard.verdict(
                old: old, new: listing, of: course, limit: rules.maxDelete, doubt: last.doubt,
                askedAt: last.askedAt, now: now())
        {
            return .doubted(lost: lost, of: count)
        }
        return .listed(listing, was: old?.videos.count, pages.warnings(about: course.id), seat)
    }

    /// Asks for a course, page after page. Records nothing. The pages are counted until the seat is gone.
    package func pages(
        of course: Course, parameters: [String: JSONValue], known: String? = nil
    ) async throws(ProviderError) -> (pages: ListingPages, isUnchanged: Bool, seat: ListingMemoryBudget.Seat) {
        let seat = memory.seat(asking: course.settings.provider?.name ?? "")
        let written = Set(([course.videos] + course.chapters.map(\.videos)).joined().map(\.id))
        let handOver = HandOver(of: course, check: check)
        let provider = course.settings.provider?.name
        var pages = ListingPages(
            location: course.location, handOver: handOver, wasKnownSent: known != nil,
            isKept: { [videos] id in
                let key = DownloadKey(course: course.id, video: id)
                if written.contains(key.video) { return true }
                // A second download is worse than an old id.
                do throws(StoreError) { return try videos.downloads.record(key) != nil } catch { return true }
            },
            isOwn: { [videos] id in
                let key = DownloadKey(course: course.id, video: id)
                return (try? videos.downloads.record(key))?.catalog.provider == provider
            })
        var cursor: String?
        while true {
            let request = ListRequest(
                user: user, now: now(), settings: settings,
                course: .init(id: course.writtenID, title: course.title, parameters: parameters), cursor: cursor,
                known: cursor == nil ? known : nil)
            try await seat.turn()
            let step = try pages.add(try await page(request, course))
            seat.took(pages.bytes)
            switch step {
            case .next(let next): cursor = next
            case .complete: return (pages, false, seat)
            case .unchanged: return (pages, true, seat)
            }
        }
    }

    /// Asks for a page. What may pass in seconds is waited for: an answer now saves a night.
    private func page(_ request: ListRequest, _ course: Course) async throws(ProviderError) -> Listing {
        var request = request
        var tries = 0
        while true {
            do throws(ProviderError) {
                return try await ask(request, course.settings.provider?.name ?? "")
            } catch {
                tries += 1
                guard tries < Self.tries, let delay = Self.delay(after: error, tries: tries) else { throw error }
                do { try await Task.sleep(for: delay) } catch { throw .runIsEnding }
                request.now = now()
            }
        }
    }

    private static let tries = 3
    private static let longestWait = Duration.seconds(30)

    private static func delay(after error: ProviderError, tries: Int) -> Duration? {
        switch error.kind {
        case .unavailable, .rateLimited:
            let delay = error.retryAfter ?? (error.kind == .unavailable ? .seconds(tries * tries) : nil)
            return delay.flatMap { $0 <= longestWait ? $0 : nil }
        default: return nil
        }
    }

    private func record(
        _ pages: ListingPages, isUnchanged: Bool, of course: Course, question: ListingRequestDigest,
        last: ListingRecord?,
        seat: ListingMemoryBudget.Seat
    ) throws(StoreError) -> Outcome {
        let now = now()
        if isUnchanged, var last {
            // Without an interval nobody needs the time, and an unchanged listing writes nothing.
            guard course.discovery?.every != nil || last.doubtedAt != nil || pages.known ?? last.known != last.known
            else { return .unchanged }
            last.askedAt = now
            last.known = pages.known ?? last.known
            last.doubt = nil
            try store.listings.update([last])
            return .unchanged
        }
        var listing = pages.listing
        let old = try last.map { last throws(StoreError) in
            try StoredListing.fill(&listing, from: last, of: course, store)
            return try StoredListing.outline(last, of: course, comparedWith: listing, store)
        }
        if let old, var last, !rules.acceptsAll,
            case .doubted(let lost, let count, let doubt) = ListingGuard.verdict(
                old: old.listing, new: listing, of: course, limit: rules.maxDelete, doubt: last.doubt,
                askedAt: last.askedAt, now: now)
        {
            if last.doubt != doubt {
                last.doubt = doubt
                try store.listings.update([last])
            }
            return .doubted(lost: lost, of: count)
        }
        var record = ListingRecord(course: course.id, question: question, askedAt: now, known: pages.known)
        if let old, let last, old.isSame {
            record.title = last.title
            record.cover = last.cover
            if course.discovery?.every != nil || last.doubtedAt != nil || last.known != pages.known {
                try store.listings.update([record])
            }
            return .unchanged
        }
        try StoredListing.write(listing, record, store)
        return .listed(listing, was: old?.listing.videos.count, pages.warnings(about: course.id), seat)
    }
}

extension ListingRecord {
    /// The last listing, if it wasn't believed; nil too for one of an older version, which didn't keep what was lost.
    package var doubt: ListingGuard.Doubt? {
        get {
            guard let doubtedAt, let doubtedLoss else { return nil }
            return ListingGuard.Doubt(since: doubtedAt, lost: doubtedLoss)
        }
        set {
            doubtedAt = newValue?.since
            doubtedLoss = newValue?.lost
        }
    }
}
