import CourseCatalog
import DownloadStore
import FileSystem
import MediaLibrary
import RunAccess
import SyncFacts
import UserState

/// Brings another downloader's state over: adopts its finished files, and queues the rest.
///
/// The videos get their rows by the comparison of a sync, without a request. Files come in by the steps of a download.
/// It can be stopped or killed at any point, and run again.
package struct MigrationRun: Sendable {
    private let options: MigrationOptions
    private let observe: @Sendable (MigrationEvent) -> Void

    /// - Parameter observe: called on its own thread.
    package init(_ options: MigrationOptions, observe: @escaping @Sendable (MigrationEvent) -> Void) {
        self.options = options
        self.observe = observe
    }

    /// Runs to its end, or until the task is cancelled. Never throws: the summary has everything.
    package func run() async -> MigrationSummary {
        var summary = MigrationSummary()
        summary.isDryRun = options.isDryRun
        do throws(MigrationProblem) { try await run(&summary) } catch { summary.problem = error }
        summary.conditions.formUnion(summary.resultConditions)
        return summary
    }

    private func run(_ summary: inout MigrationSummary) async throws(MigrationProblem) {
        let place = try MigrationProblem.wrapping { () throws(Refusal) in
            try StateLocation(
                user: options.sync.user, state: options.sync.state, library: options.sync.library
            ).resolve()
        }
        try MigrationProblem.wrapping { () throws(Refusal) in try place.requireKnown() }
        var input = try MigrationInput(options, place)
        guard let catalog = try await input.readCatalogs(&summary) else { return }
        if options.isDryRun {
            try await dryRun(input, with: catalog, &summary)
        } else {
            try await migrate(input, with: catalog, &summary)
        }
        // One that contradicts the others would be read again by the next run.
        if !summary.mistakes.isEmpty { input.removeNewCatalog(&summary) }
    }

    private func dryRun(
        _ input: MigrationInput, with catalog: Catalog, _ summary: inout MigrationSummary
    ) async throws(MigrationProblem) {
        let place = input.place
        let store = try MigrationProblem.wrapping { () throws(Refusal) in try place.openForReading() }
        let known: DownloadStore
        do throws(StoreError) {
            if let store { known = store } else { known = try DownloadStore.empty() }
        } catch { throw .refused(Refusal(error)) }
        defer { known.close() }
        let library = try MigrationProblem.wrapping { () throws(Refusal) in
            _ = try place.requireSession(in: known)
            return try LibraryOpening.openToLook(place, known)
        }
        summary = await counting(from: summary) { counter, shouldStop in
            let dryRun = MigrationDryRun(
                input: input, written: catalog, store: known, library: library, shouldStop: shouldStop,
                counter: counter)
            try dryRun.run()
        }
    }

    private func migrate(
        _ input: MigrationInput, with catalog: Catalog, _ summary: inout MigrationSummary
    ) async throws(MigrationProblem) {
        let place = input.place
        let (lock, store): (FileLock, DownloadStore)
        do throws(Refusal) {
            (lock, store) = try await place.openForWriting(
                for: options.sync.shownCatalogs, wait: options.sync.wait
            ) { holder in observe(.waiting(holder)) }
        } catch { throw .refused(error) }
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        let library = try MigrationProblem.wrapping { () throws(Refusal) in
            _ = try place.requireSession(in: store)
            return try LibraryOpening.open(place, store)
        }
        do throws(LibraryError) {
            try await library.lock(
                user: place.user.text, catalogs: options.sync.shownCatalogs, wait: options.sync.wait
            ) { holder in observe(.waiting(holder)) }
        } catch { throw .refused(Refusal(error)) }
        defer { library.unlock() }
        summary = await counting(from: summary) { counter, shouldStop in
            let pass = MigrationPass(
                input: input, written: catalog, store: store, library: library, shouldStop: shouldStop,
                counter: counter)
            try pass.run()
        }
    }

    /// The summary after work on a thread for what blocks; an error of the work is the summary's problem.
    private func counting(
        from summary: MigrationSummary,
        _ work: @escaping @Sendable (MigrationCounter, @escaping () -> Bool) throws -> Void
    ) async -> MigrationSummary {
        await Blocking.run { shouldStop in
            withoutActuallyEscaping(shouldStop) { stop in
                let counter = MigrationCounter(summary, observe: observe)
                do { try work(counter, stop) } catch { counter.summary.problem = MigrationProblem(any: error) }
                return counter.summary
            }
        }
    }
}
