import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadStore
import Foundation
import MediaLibrary
import MigrationSources
import RunAccess
import SyncFacts

/// What a migration would do: each record is decided, and nothing is changed.
struct MigrationDryRun {
    let input: MigrationInput
    /// The catalogs, without the listings of providers.
    let written: Catalog
    let store: DownloadStore
    let library: LibraryFolder?
    let shouldStop: () -> Bool
    let counter: MigrationCounter

    private var options: MigrationOptions { input.options }

    /// Reports each record's result to the counter.
    func run() throws {
        let catalog = try written.addingStoredListings(store)
        let plan = try Reconciliation(of: catalog, with: store, in: library, by: options.sync, at: Date())
        guard counter.accepts(plan) else { return }
        let records = try input.readRecords()
        var judge = MigrationJudge(
            input, CatalogIndex(catalog), try MigrationTargets(store, held: plan.held, plan: plan),
            journal: try store.migrations.entries(of: input.source.name))
        counter.count(records, of: input.source, journal: judge.journal, copies: options.method != .link)
        let canLink = input.source.isOnDisk(of: input.library)
        for record in records {
            if shouldStop() {
                counter.summary.isStopped = true
                return
            }
            counter.note(try result(of: judge.judge(record), canLink: canLink))
        }
    }

    private func result(of step: MigrationJudge.Step, canLink: Bool) throws -> MigratedRecord {
        let needsLink = options.method == .link && !canLink
        switch step {
        case .done(let result), .skip(let result, _): return result
        case .adopt(var adoption):
            if needsLink {
                adoption.result.code = .failed
                (adoption.result.reason, adoption.result.bytes) = (.otherFileSystem, 0)
            }
            return adoption.result
        case .queue(var result, let target, let partial):
            result.bytes = try partial.flatMap { try input.source.bytes(of: $0, size: target.size) } ?? 0
            if needsLink, partial?.isWholeFile == true {
                (result.code, result.reason, result.bytes) = (.failed, .otherFileSystem, 0)
            }
            if options.requeues { result.code = .added }
            result.isQueued = options.requeues || target.state.isOpen
            return result
        }
    }
}
