import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import MigrationSources
import RunAccess
import SyncFacts
import SystemPackage
import UserState

/// Brings another downloader's state over: adopts its finished files, and queues the rest.
///
/// The videos get their rows by the comparison of a sync, without a request. Files come in by the steps of a download.
/// It can be stopped or killed at any point, and run again.
package enum Migration {
    /// Runs a migration to its end, or until the task is cancelled. Never throws: the summary has everything.
    ///
    /// - Parameter observe: called on its own thread.
    package static func run(
        _ options: MigrationOptions, observe: @escaping @Sendable (MigrationEvent) -> Void
    ) async -> MigrationSummary {
        var summary = MigrationSummary()
        summary.isDryRun = options.isDryRun
        do throws(MigrationProblem) {
            try await MigrationRun(options: options, observe: observe).run(&summary)
        } catch { summary.problem = error }
        summary.conditions.formUnion(conditions(of: summary))
        return summary
    }

    /// The catalog of a source's list of streams, as text, and the number of entries without a name or an address, which
    /// it leaves out.
    package static func streams(_ source: String) throws(MigrationProblem) -> (text: String, leftOut: Int) {
        let streams: [HLSCatalogReader.Stream]
        do throws(SourceProblem) { streams = try HLSCatalogReader.streams(SourcePlace(source)) } catch {
            throw .source(error)
        }
        var catalog = NewCatalog(.hlscatalog)
        let usable = streams.filter { $0.fault == nil }
        for stream in usable {
            var record = SourceRecord(key: stream.name, state: .unfinished)
            (record.names, record.title, record.url) = ([stream.name], stream.name, stream.url)
            catalog.add(record, course: "streams", title: "Streams")
        }
        return (catalog.text, streams.count - usable.count)
    }

    private static func conditions(of summary: MigrationSummary) -> Set<SyncCondition> {
        switch summary.problem {
        case .source(let problem), .map(let problem):
            switch problem {
            case .missing, .unreadable: return [.unreadableCatalog]
            default: return [.invalidCatalog]
            }
        case .overlapping: return [.usage]
        case .refused(let refusal): return [refusal.condition]
        case nil: break
        }
        var conditions: Set<SyncCondition> = []
        if summary.isDiskFull { conditions.insert(.stateUnusable) }
        if summary.left > 0 || summary.isStopped { conditions.insert(.workLeft) }
        switch summary.removal {
        case .kept where summary.left == 0 && !summary.isStopped: conditions.insert(.workLeft)
        case .failed: conditions.insert(.stateUnusable)
        default: break
        }
        return conditions
    }
}

/// One run of a migration.
private struct MigrationRun: Sendable {
    var options: MigrationOptions
    let observe: @Sendable (MigrationEvent) -> Void

    func run(_ summary: inout MigrationSummary) async throws(MigrationProblem) {
        let place = try refusing { () throws(Refusal) in
            try StateLocation(
                user: options.sync.user, state: options.sync.state, library: options.sync.library
            ).resolve()
        }
        try refusing { () throws(Refusal) in try place.requireKnown() }
        let root = try libraryPath(place)
        let map = try options.map.map { path throws(MigrationProblem) in try Self.map(path) }
        let source = try OpenSource(options, library: root, state: place.folder.path)
        guard let (catalog, made) = try await catalog(source, map, place, &summary) else { return }
        defer {
            // One that contradicts the others would be read again by the next run.
            if let made, !summary.mistakes.isEmpty {
                unlink(made)
                summary.writtenCatalog = nil
            }
        }
        if options.isDryRun {
            let store = try refusing { () throws(Refusal) in try place.openForReading() }
            let known: DownloadStore
            do throws(StoreError) {
                if let store { known = store } else { known = try DownloadStore.empty() }
            } catch { throw .refused(Refusal(error)) }
            defer { known.close() }
            _ = try refusing { () throws(Refusal) in try place.requireSession(in: known) }
            let library = try refusing { () throws(Refusal) in try LibraryOpening.openToLook(place, known) }
            summary = await Blocking.run { [summary] shouldStop in
                withoutActuallyEscaping(shouldStop) { stop in
                    let tally = Tally(summary, observe: observe)
                    let canLink = source.isOnDisk(of: root)
                    do { try rehearse(catalog, known, library, source, map, canLink, stop, tally) } catch {
                        tally.summary.problem = MigrationProblem(any: error)
                    }
                    return tally.summary
                }
            }
        } else {
            let (lock, store) = try await refusing { () async throws(Refusal) in
                try await place.openForWriting(for: options.sync.shownCatalogs, wait: options.sync.wait) { holder in
                    observe(.waiting(holder))
                }
            }
            defer {
                store.close()
                withExtendedLifetime(lock) {}
            }
            _ = try refusing { () throws(Refusal) in try place.requireSession(in: store) }
            let library = try refusing { () throws(Refusal) in try LibraryOpening.open(place, store) }
            do throws(LibraryError) {
                try await library.lock(
                    user: place.user.text, catalogs: options.sync.shownCatalogs, wait: options.sync.wait
                ) { holder in observe(.waiting(holder)) }
            } catch { throw .refused(Refusal(error)) }
            defer { library.unlock() }
            summary = await Blocking.run { [summary] shouldStop in
                withoutActuallyEscaping(shouldStop) { stop in
                    let tally = Tally(summary, observe: observe)
                    do { try migrate(catalog, store, library, source, map, stop, tally) } catch {
                        tally.summary.problem = MigrationProblem(any: error)
                    }
                    return tally.summary
                }
            }
        }
    }

    // MARK: input

    private func refusing<T>(_ body: () throws(Refusal) -> T) throws(MigrationProblem) -> T {
        do throws(Refusal) { return try body() } catch { throw .refused(error) }
    }

    private func refusing<T: Sendable>(
        _ body: () async throws(Refusal) -> T
    ) async throws(MigrationProblem) -> T {
        do throws(Refusal) { return try await body() } catch { throw .refused(error) }
    }

    private func libraryPath(_ place: StateLocation.Place) throws(MigrationProblem) -> FilePath {
        let store = try refusing { () throws(Refusal) in try place.openForReading() }
        defer { store?.close() }
        do throws(StoreError) { return try place.library(in: store).path } catch { throw .refused(Refusal(error)) }
    }

    private static func map(_ path: String) throws(MigrationProblem) -> NameMap {
        do throws(SourceProblem) {
            let data = try SourcePlace(path).givenFile(upTo: NameMap.longest)
            return try NameMap(data: data, path: path)
        } catch { throw .map(error) }
    }

    /// The catalogs, with a new one for what is in none if that is wanted, and the path where this run has written it. Nil
    /// with the mistakes in the summary.
    private func catalog(
        _ source: OpenSource, _ map: NameMap?, _ place: StateLocation.Place, _ summary: inout MigrationSummary
    ) async throws(MigrationProblem) -> (catalog: Catalog, made: String?)? {
        var sync = options.sync
        var scratch: ScratchFile?
        var made: String?
        if let given = options.writeCatalog {
            let path = URL(filePath: given).path(percentEncoded: false)
            if FileManager.default.fileExists(atPath: path) {
                if !sync.catalogs.contains(path) { sync.catalogs.append(path) }
            } else {
                let written = try await newCatalog(source, map, sync, try Self.coursesOfState(place), &summary)
                guard let written else { return nil }
                if written.count > 0 {
                    summary.writtenCatalog = (given, written.count)
                    if options.isDryRun { scratch = ScratchFile() }
                    let file = scratch?.path ?? path
                    try refusing { () throws(Refusal) in try written.write(to: file) }
                    if scratch == nil { made = path }
                    sync.catalogs.append(file)
                }
            }
        }
        defer { scratch?.remove() }
        let (catalog, check) = await CatalogCheck.read(CatalogSources(sync), registry: nil)
        guard check.conditions.isEmpty else {
            summary.conditions = check.conditions
            summary.mistakes = check.diagnostics.errors
            if let made {
                unlink(made)
                summary.writtenCatalog = nil
            }
            return nil
        }
        return (catalog, made)
    }

    /// The ids of all courses that the state has.
    private static func coursesOfState(_ place: StateLocation.Place) throws(MigrationProblem) -> Set<String> {
        do throws(Refusal) {
            let store = try place.openForReading()
            defer { store?.close() }
            do throws(StoreError) { return Set(try store?.catalogs.courses().keys.map { $0 } ?? []) } catch {
                throw Refusal(error)
            }
        } catch { throw .refused(error) }
    }

    private func newCatalog(
        _ source: OpenSource, _ map: NameMap?, _ sync: SyncOptions, _ known: Set<String>,
        _ summary: inout MigrationSummary
    ) async throws(MigrationProblem) -> NewCatalog? {
        var index: CatalogIndex?
        var taken = known
        if !sync.catalogs.isEmpty {
            let (catalog, check) = await CatalogCheck.read(CatalogSources(sync), registry: nil)
            guard check.conditions.isEmpty else {
                summary.conditions = check.conditions
                summary.mistakes = check.diagnostics.errors
                return nil
            }
            index = CatalogIndex(catalog)
            taken.formUnion(catalog.courses.map(\.id))
        }
        do {
            var made = NewCatalog(source.kind, taken: taken)
            try source.read { record in
                guard record.fault == nil, map?.target(of: record) == nil,
                    (index?.find(record) ?? .nothing) == .nothing
                else { return }
                if case .held = record.state { return }
                made.add(record, in: source)
            }
            return made
        } catch let error as SourceProblem {
            throw .source(error)
        } catch { throw .refused(Refusal(any: error)) }
    }

    // MARK: work

    /// What ``migrate(_:_:_:_:_:_:_:)`` would do. Changes nothing.
    private func rehearse(
        _ written: Catalog, _ store: DownloadStore, _ library: LibraryFolder?, _ source: OpenSource, _ map: NameMap?,
        _ canLink: Bool, _ shouldStop: @escaping () -> Bool, _ tally: Tally
    ) throws {
        let catalog = try written.addingStoredListings(store)
        let plan = try Reconciliation(of: catalog, with: store, in: library, by: options.sync, at: Date())
        guard tally.accepts(plan) else { return }
        var judge = try judge(catalog, store, plan, plan, source, map)
        try tally.count(source, judge.journal, copies: options.method != .link)
        do {
            try source.read { record in
                if shouldStop() { throw MigrationWork.End.stopped }
                switch try judge.judge(record) {
                case .done(let result), .skip(let result, _): tally.note(result)
                case .adopt(var adoption):
                    if options.method == .link, !canLink {
                        adoption.result.code = .failed
                        (adoption.result.reason, adoption.result.bytes) = (.otherFileSystem, 0)
                    }
                    tally.note(adoption.result)
                case .queue(var result, let target, let partial):
                    result.bytes = try partial.flatMap { try source.bytes(of: $0, besides: target) } ?? 0
                    if options.method == .link, !canLink, partial?.isWholeFile == true {
                        (result.code, result.reason, result.bytes) = (.failed, .otherFileSystem, 0)
                    }
                    if options.requeues { result.code = .added }
                    result.isQueued = options.requeues || target.state.isOpen
                    tally.note(result)
                }
            }
        } catch MigrationWork.End.stopped { tally.summary.isStopped = true }
    }

    private func migrate(
        _ written: Catalog, _ store: DownloadStore, _ library: LibraryFolder, _ source: OpenSource, _ map: NameMap?,
        _ shouldStop: @escaping () -> Bool, _ tally: Tally
    ) throws {
        let now = Date()
        let settling = Settling(store: store, library: library)
        let unsettled = try settling.run(at: now).unsettled
        let catalog = try written.addingStoredListings(store)
        let plan = try Reconciliation(
            of: catalog, with: store, in: library, by: options.sync, at: now, unsettled: unsettled)
        guard tally.accepts(plan) else { return }
        var changes = plan.changes
        changes.moves = try plan.recordedMoves()
        try store.catalogs.apply(changes)
        try HeldCourse.record(plan.held, store)
        try settling.finishMoves(changes.moves)
        var judge = try judge(catalog, store, plan, nil, source, map)
        try tally.count(source, judge.journal, copies: options.method != .link)
        var work = MigrationWork(
            source: source, options: options, store: store, library: library, shouldStop: shouldStop,
            report: tally.note, copied: tally.copied)
        do {
            try source.read { record in
                if shouldStop() { throw MigrationWork.End.stopped }
                try work.add(judge.judge(record), of: record)
            }
            try work.end()
        } catch let end as MigrationWork.End {
            if end == .stopped { try? work.end() }
            tally.summary.isStopped = end == .stopped
            tally.summary.isDiskFull = end == .diskFull
        }
        let isWhole = !tally.summary.isStopped && !tally.summary.isDiskFull
        tally.summary.unusedMapEntries = isWhole ? map?.unused ?? [] : []
        guard options.removesSource else { return }
        tally.summary.removal = .kept(.incomplete)
        guard isWhole, tally.summary.left == 0 else { return }
        var removal = SourceRemoval(
            source: source, store: store, library: library, journal: try store.migrations.entries(of: source.name),
            shouldStop: shouldStop)
        do { tally.summary.removal = try removal.run() } catch LibraryError.stopped { tally.summary.isStopped = true }
    }

    private func judge(
        _ catalog: Catalog, _ store: DownloadStore, _ plan: Reconciliation, _ unwritten: Reconciliation?,
        _ source: OpenSource, _ map: NameMap?
    ) throws -> MigrationJudge {
        MigrationJudge(
            source: source, options: options, index: CatalogIndex(catalog),
            targets: try MigrationTargets(store, held: Set(plan.held.map(\.course)), plan: unwritten),
            journal: try store.migrations.entries(of: source.name), map: map)
    }
}
