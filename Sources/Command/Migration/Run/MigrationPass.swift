import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import FilePlacement
import Foundation
import MediaLibrary
import MigrationSources
import RunAccess
import SyncFacts

/// A migration with the user's state and library open and locked: from the comparison with the catalogs to the removal
/// of the source.
struct MigrationPass {
    let input: MigrationInput
    /// The catalogs, without the listings of providers.
    let written: Catalog
    let store: DownloadStore
    let library: LibraryFolder
    let shouldStop: () -> Bool
    let counter: MigrationCounter

    private var options: MigrationOptions { input.options }
    private var source: OpenSource { input.source }

    /// Brings each record over, and reports its result to the counter.
    func run() throws {
        guard var judge = try compare() else { return }
        let records = try input.readRecords()
        counter.count(records, of: source, journal: judge.journal, copies: options.method != .link)
        var work = MigrationWork(
            source: source, options: options, store: store, library: library, shouldStop: shouldStop,
            report: counter.note, copied: counter.copied)
        do {
            for record in records {
                if shouldStop() { throw MigrationWork.End.stopped }
                try work.add(judge.judge(record), of: record)
            }
            try work.end()
        } catch let end as MigrationWork.End {
            if end == .stopped { try? work.end() }
            counter.summary.isStopped = end == .stopped
            counter.summary.isDiskFull = end == .diskFull
        }
        let isWhole = !counter.summary.isStopped && !counter.summary.isDiskFull
        counter.summary.unusedMapEntries = isWhole ? input.map?.unused ?? [] : []
        guard options.removesSource else { return }
        counter.summary.removal = .kept(.incomplete)
        guard isWhole, counter.summary.left == 0 else { return }
        try removeSource()
    }

    /// Gives the videos their rows; nil with mistakes of the catalogs in the summary.
    private func compare() throws -> MigrationJudge? {
        let now = Date()
        let recovery = CrashRecovery(store: store, library: library)
        let unsettled = try recovery.run(at: now).unsettled
        let catalog = try written.addingStoredListings(store)
        let plan = try Reconciliation(
            of: catalog, with: store, in: library, by: options.sync, at: now, unsettled: unsettled)
        guard counter.accepts(plan) else { return nil }
        var changes = plan.changes
        changes.moves = try plan.recordedMoves()
        try store.catalogs.apply(changes)
        try HeldCourse.record(plan.held, store)
        try RecordedMoves(store: store, library: library).finish(changes.moves)
        return MigrationJudge(
            input, CatalogIndex(catalog), try MigrationTargets(store, held: plan.held, plan: nil),
            journal: try store.migrations.entries(of: source.name))
    }

    private func removeSource() throws {
        var removal = SourceRemoval(
            source: source, store: store, library: library, journal: try store.migrations.entries(of: source.name),
            shouldStop: shouldStop)
        do { counter.summary.removal = try removal.run() } catch LibraryError.stopped {
            counter.summary.isStopped = true
        }
    }
}
