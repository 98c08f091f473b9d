package import CourseCatalog
package import DownloadStore
package import Foundation
package import MediaLibrary
package import SyncFacts

extension Reconciliation {
    /// The comparison for a sync and for a dry run. Throws ``StoreError``.
    ///
    /// - Parameters:
    ///   - library: nil if there is none yet.
    ///   - unsettled: courses with files that couldn't be put in their places.
    ///   - register: gives names and numbers where videos are divided among shards.
    package init(
        of catalog: Catalog, with store: DownloadStore, in library: LibraryFolder?, by options: SyncOptions,
        at now: Date, compared: ComparedCourses = .all, unsettled: [String: LibraryError] = [:],
        tallies: [String: LossGuard.Tally] = [:], register: RegisteredNames? = nil
    ) throws {
        // A sync has completed an earlier run's recorded moves; a dry run hasn't.
        let moved = try library.map { try InterruptedMoves(store).places(in: $0) } ?? [:]
        var reconciler = try Reconciler(
            catalog: catalog.addingTitles(try store.downloads.givenTitles()), store: store, only: options.only,
            now: now, layout: options.layout,
            lossGuard: options.refetchLost ? nil : LossGuard(), retriesFailed: options.retryFailed,
            compared: compared, unsettled: unsettled, tallies: tallies, register: register,
            library: LibraryView(library.map(LibraryFileIndex.init), moved: Set(moved.keys)))
        self = try reconciler.run()
        if let register {
            if errors.isEmpty { errors = register.errors }
            unlistedInRegister = register.unlisted
        }
    }

    /// The summary of a run that doesn't start; nil if it does.
    ///
    /// - Parameter knowsAll: false if there are courses whose videos nobody knows.
    package func refusal(_ options: SyncOptions, knowsAll: Bool = true) -> SyncSummary? {
        if !errors.isEmpty { return SyncSummary(conditions: [.invalidCatalog], errors: errors) }
        let unmatched = zip(options.only, selectorMatched).filter { !$0.1 }.map(\.0)
        // Another shard may have what they match.
        guard !unmatched.isEmpty, knowsAll, options.shard == nil else { return nil }
        return SyncSummary(
            conditions: [.usage],
            errors: unmatched.map { selector in
                .refusal(.selection(.unmatched([UnmatchedSelector(selector, among: references)])))
            })
    }
}
