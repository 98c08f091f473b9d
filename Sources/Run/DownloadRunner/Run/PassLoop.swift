import CourseCatalog
import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import RunAccess
import SyncFacts

/// Carries out what ``PassCycle`` decides: makes the passes of a run, and rests between them.
struct PassLoop {
    /// The catalogs as they were read last.
    struct Catalogs {
        var catalog: Catalog
        var check: CheckReport
        /// When the reading began.
        var readAt: Date
    }

    /// What the first pass begins with.
    enum Beginning {
        case catalogs(Catalogs)
        /// The catalogs are the ones of the last run, which began to be compared then.
        case recalled(IdleNote, at: Date)
    }

    private let sync: SyncRun
    private let open: RunResources
    private let limits: RunLimits
    private var cycle: PassCycle
    /// Nil before they are read.
    private var catalogs: Catalogs?
    /// Of the last run, for the first pass.
    private var recalled: (note: IdleNote, at: Date)?
    /// Watches the files of the last valid catalogs; nil in a run that doesn't watch.
    private var files: CatalogWatch?
    /// While it is open.
    private var library: LibraryFolder?
    /// In a run of a shard.
    private var copier: StateCopier?
    private var alarms: RestAlarms?
    /// Of the last pass.
    private var summary = SyncSummary(conditions: [])

    init(_ sync: SyncRun, open: RunResources, limits: RunLimits, from beginning: Beginning, files: CatalogWatch?) {
        (self.sync, self.open, self.limits, self.files) = (sync, open, limits, files)
        switch beginning {
        case .catalogs(let read): catalogs = read
        case .recalled(let note, let time): recalled = (note, time)
        }
        cycle = PassCycle(isWatching: files != nil)
    }

    /// Makes the passes. Returns the summary of the last one; the library may still be open.
    mutating func run() async -> SyncSummary {
        var actions = cycle.handle(.started)[...]
        while let action = actions.popFirst() {
            if let event = await carryOut(action) { actions += cycle.handle(event) }
        }
        return summary
    }

    /// Copies a shard's state for the last time.
    mutating func end() async { await endCopies() }

    private mutating func endCopies() async {
        await copier?.finish()
        copier = nil
    }

    /// Returns what follows from it, if anything does.
    private mutating func carryOut(_ action: PassCycle.Action) async -> PassCycle.Event? {
        switch action {
        case .openLibrary(let mayWait): return await openLibrary(mayWait: mayWait)
        case .beginPass:
            await sync.control.beginPass()
            return .passBegun
        case .runPass(let isFirst):
            await runPass(isFirst: isFirst)
            return .passDone
        case .reportCatalogs: if let catalogs { summary = SyncSummary(catalogs.check) }
        case .readSession:
            if let session = try? open.place.session(in: open.store) { sync.control.goBy(session) }
        case .closeLibrary:
            await endCopies()
            library = nil
            open.library.close()
        case .endPass:
            sync.control.endPass()
            return .passEnded(isStopped: sync.control.runStop != nil, isLoggedOut: sync.control.isLoggedOut)
        case .rest(let warnsOfLogout, let awaitsLibrary):
            rest(warnsOfLogout: warnsOfLogout, awaitsLibrary: awaitsLibrary)
        case .sleep: return await sleep()
        case .endRest:
            alarms?.cancel()
            alarms = nil
        case .readCatalogs: return await readCatalogs()
        case .end(let isWorkLeft):
            if isWorkLeft { summary.conditions.insert(.workLeft) }
        }
        return nil
    }

    private mutating func openLibrary(mayWait: Bool) async -> PassCycle.Event {
        do throws(Refusal) {
            let library =
                mayWait
                ? try await sync.openFirstLibrary(open)
                : try await open.library.open(for: sync.options.shownCatalogs)
            copier = try await sync.beginShard(open, library)
            self.library = library
            return .libraryOpened
        } catch {
            // A stop while the list of files is read is no fault of the library.
            summary = error == .library(.stopped) ? SyncSummary(conditions: [.workLeft]) : SyncSummary(error)
            // The state of a shard changes only together with its copy in the library.
            if open.place.shard == nil { sync.history(in: open).note(summary) }
            // No later pass would begin with the state of the other machine; a new run does.
            if case .run(.overtaken) = error { sync.stop(.interrupted) }
            return .libraryRefused
        }
    }

    private mutating func runPass(isFirst: Bool) async {
        guard let library else { return }
        let pass = sync.pass(open, library, limits, copier: copier, isFirst: isFirst)
        if let (note, time) = recalled {
            recalled = nil
            if let idle = await IdlePass(pass: pass, note: note).run(started: time) {
                summary = idle
                return
            }
            // As if they had been read at the beginning.
            let (catalog, check) = await CatalogCheck.read(CatalogSources(sync.options), registry: open.registry)
            catalogs = Catalogs(catalog: catalog, check: check, readAt: time)
        }
        guard let catalogs else { return }
        guard catalogs.check.conditions.isEmpty else {
            summary = SyncSummary(catalogs.check)
            return
        }
        summary = await pass.run(catalogs.catalog, catalogs.check, started: catalogs.readAt)
        if let refusal = copier?.overtaken { summary.add(refusal) }
    }

    private mutating func rest(warnsOfLogout: Bool, awaitsLibrary: Bool) {
        guard let every = sync.options.watchEvery, let files else { return }
        let until = sync.clock.now.advanced(by: every)
        if warnsOfLogout { sync.hub.post(.warning(.loggedOut, nil)) }
        sync.hub.post(.resting(summary, until: until))
        alarms = RestAlarms(
            sync.control, sync.clock, until: until, files: files, library: awaitsLibrary ? open.library : nil)
    }

    private func sleep() async -> PassCycle.Event {
        let wake = await sync.control.wait()
        let session = wake == .stop ? nil : try? open.place.session(in: open.store)
        return .woken(
            wake, isSessionOpen: session?.isOpen, isStopped: sync.control.runStop != nil,
            isLoggedOut: sync.control.isLoggedOut)
    }

    private mutating func readCatalogs() async -> PassCycle.Event {
        let sources = CatalogSources(sync.options)
        let (catalog, check) = await CatalogCheck.read(sources, registry: open.registry)
        // An unreadable one is read again when it changes.
        if check.conditions.isEmpty { files = CatalogWatch(sources, catalog) }
        catalogs = Catalogs(catalog: catalog, check: check, readAt: sync.clock.now)
        return .catalogsRead(areValid: check.conditions.isEmpty)
    }
}

/// What wakes a resting run by itself: the time, a changed catalog, and a library that is there again.
private struct RestAlarms {
    private let tasks: [Task<Void, any Error>]

    /// - Parameter library: one that is looked for; nil for none.
    init(_ control: RunControl, _ clock: any RunClock, until: Date, files: CatalogWatch, library: RunLibrary?) {
        let time = Task {
            try await clock.sleep(until: until)
            control.wake(.time)
        }
        let catalogs = Task<Void, any Error> {
            await files.changed()
            if !Task.isCancelled { control.wake(.catalogs) }
        }
        let search = library.map { library in
            Task {
                repeat {
                    try await clock.sleep(until: clock.now + 2)
                } while await !Blocking.run { _ in library.isFree }
                control.wake(.library)
            }
        }
        tasks = [time, catalogs] + (search.map { [$0] } ?? [])
    }

    func cancel() { for task in tasks { task.cancel() } }
}

extension CatalogWatch {
    /// Watches the files among the catalogs.
    convenience init(_ sources: CatalogSources, _ catalog: Catalog) {
        self.init(sources.files + catalog.files.filter(\.isFile).map(\.path))
    }
}
