import CourseCatalog
package import DownloadJobs
package import DownloadStore
package import FileSystem
import Foundation
package import Logging
import MediaLibrary
import MediaTransfer
import ProviderKit
import RunAccess
package import SyncFacts
import Synchronization
import SystemPackage
import UserState
import YAMLSource

/// One sync: brings the library up to date with the catalogs, once, or again and again while it watches them.
///
/// ``events`` is read beside ``run()``, by any number of readers; each gets its own sequence. Events and
/// summary have everything that the user has to know; nothing is printed here.
package final class SyncRun: Sendable {
    package let options: SyncOptions
    package let logger: Logger
    let clock: any RunClock
    let hub = EventHub()
    let control: RunControl
    private let space: (@Sendable () -> VolumeSpace?)?
    private let wording: @Sendable (Refusal) -> String
    /// While it may have to wait for another sync to end.
    private let opening = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - space: of the disk of the partials; nil asks the library.
    ///   - wording: the sentence of a refusal, for another process's request.
    package init(
        _ options: SyncOptions, logger: Logger, clock: any RunClock = SystemClock(),
        space: (@Sendable () -> VolumeSpace?)? = nil, wording: @escaping @Sendable (Refusal) -> String
    ) {
        self.space = space
        self.wording = wording
        control = RunControl(options)
        self.options = options
        self.logger = logger
        self.clock = clock
    }

    /// The events from now on, for one reader.
    package var events: SyncEvents { hub.subscribe() }

    /// Suspends active downloads and ends the run. Returns at once; ``run()`` returns when everything is durable.
    package func stop(_ reason: SuspendReason) {
        control.stop(reason)
        opening.withLock { $0 }?()
    }

    /// Runs to the end. The summary of a run that was refused at its start has no seconds. A watching run posts one
    /// after each pass.
    package func run() async -> SyncSummary {
        let summary: SyncSummary
        let started = clock.now
        let limits = RunLimits(options, startedAt: started, clock: clock, logger: logger) { [weak self] reason in
            self?.stop(reason)
        }
        control.limits = limits
        limits.watchWindow()
        defer { limits.end() }
        do {
            summary = try await runThrowing(started: started, limits)
        } catch {
            summary = SyncSummary(error)
        }
        hub.post(.finished(summary))
        hub.finish()
        return summary
    }

    private func runThrowing(started: Date, _ limits: RunLimits) async throws(Refusal) -> SyncSummary {
        try options.requireMeans()
        if let hours = options.window.between, let opens = options.window.opens(after: started, in: options.zone) {
            throw .run(.outsideHours(hours, opens: opens, options.zone))
        }
        let registry = ProviderCheck.registry(options.plugins)
        let sources = CatalogSources(options)
        let (catalog, check) = try await untilStopped { () async throws(Refusal) in
            await CatalogCheck.read(sources, registry: registry)
        }
        let files = options.watchEvery.map { _ in watch(catalog, sources) }
        guard check.conditions.isEmpty else { return SyncSummary(check) }
        let place = try StateLocation(user: options.user, state: options.state, library: options.library).resolve()
        try place.requireKnown()
        let (lock, store) = try await open(place)
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        do {
            // At once: requests from now on are meant for this run.
            try store.requests.clear()
        } catch {
            throw Refusal(error)
        }
        let session = try place.requireSession(in: store)
        let open = OpenState(
            place: place, registry: registry, store: store, library: RunLibrary(place, store), session: session)
        // From here on a logout waits neither for another process's library nor for a comparison.
        let server: ControlServer
        do { server = try ControlServer(open, control, wording: wording) } catch { throw Refusal(error) }
        let outcome: Result<SyncSummary, Refusal>
        do throws(Refusal) {
            outcome = .success(try await passes(open, catalog, check, files, started: started, limits))
        } catch {
            outcome = .failure(error)
        }
        await server.close()
        open.library.close()
        return try outcome.get()
    }

    /// Opens the library, and makes one pass, or several in a watching run. The library stays open.
    private func passes(
        _ open: OpenState, _ catalog: Catalog, _ check: CheckReport, _ files: CatalogWatch?, started: Date,
        _ limits: RunLimits
    ) async throws(Refusal) -> SyncSummary {
        let library: LibraryFolder
        do {
            library = try await self.library(open)
        } catch  where error.condition == .workLeft {
            throw error
        } catch {
            throw .run(.notStarted(error))
        }
        let first = pass(open, library, limits)
        if let every = options.watchEvery, let files {
            return await watch(first, catalog, check, files, every: every, started: started)
        }
        await control.beginPass()
        defer { control.endPass() }
        return try await first.run(catalog, check, started: started)
    }

    /// Watches the files among the catalogs.
    private func watch(_ catalog: Catalog, _ sources: CatalogSources) -> CatalogWatch {
        CatalogWatch(sources.files + catalog.files.filter(\.isFile).map(\.path))
    }

    private func pass(
        _ open: OpenState, _ library: LibraryFolder, _ limits: RunLimits, isFirst: Bool = true
    ) -> SyncPass {
        var options = options
        // Later passes of a watching run are unattended.
        if !isFirst { options.retryFailed = false }
        return SyncPass(
            options: options, logger: logger, clock: clock, hub: hub, control: control, limits: limits, open: open,
            library: library, space: space ?? { try? library.space() })
    }

    /// Takes the lock, waiting for it if requested, and opens the state. ``stop(_:)`` ends the wait.
    private func open(_ place: StateLocation.Place) async throws(Refusal) -> (FileLock, DownloadStore) {
        let (options, hub, clock) = (options, hub, clock)
        return try await untilStopped { () async throws(Refusal) in
            try await place.openForWriting(for: options.shownCatalogs, wait: options.wait) { holder in
                hub.post(.lockWaiting(holder, until: clock.now.advanced(by: options.wait)))
            }
        }
    }

    /// Opens the library, waiting for another process that writes to it if requested.
    private func library(_ open: OpenState) async throws(Refusal) -> LibraryFolder {
        let (options, hub, clock) = (options, hub, clock)
        return try await untilStopped { () async throws(Refusal) in
            try await open.library.open(for: options.shownCatalogs, wait: options.wait) { holder in
                hub.post(.lockWaiting(holder, until: clock.now.advanced(by: options.wait)))
            }
        }
    }

    private func untilStopped<T: Sendable>(
        _ body: @escaping @Sendable () async throws(Refusal) -> T
    ) async throws(Refusal) -> T {
        let task = Task { () -> Result<T, Refusal> in
            do throws(Refusal) { return .success(try await body()) } catch { return .failure(error) }
        }
        opening.withLock { $0 = { task.cancel() } }
        if control.runStop != nil { task.cancel() }
        defer { opening.withLock { $0 = nil } }
        return try await task.value.get()
    }

    /// Makes pass after pass: after an interval, a change of a catalog, a request, or a login.
    private func watch(
        _ first: SyncPass, _ catalog: Catalog, _ check: CheckReport, _ files: CatalogWatch, every: Duration,
        started: Date
    ) async -> SyncSummary {
        var (catalog, check, files, started) = (catalog, check, files, started)
        let (open, limits) = (first.open, first.limits)
        var next: SyncPass? = first
        var summary: SyncSummary
        repeat {
            var isLibraryAway = false
            // Before the library is opened: a request being carried out may have it open.
            await control.beginPass()
            if check.conditions.isEmpty {
                do throws(Refusal) {
                    // Somebody may have moved, unmounted or replaced it, or renamed a folder in it, since the last
                    // pass.
                    let pass: SyncPass
                    if let ready = next {
                        pass = ready
                    } else {
                        do throws(Refusal) {
                            let library = try await open.library.open(for: options.shownCatalogs)
                            pass = self.pass(open, library, limits, isFirst: false)
                        } catch {
                            isLibraryAway = true
                            if let session = try? open.place.session(in: open.store) { control.goBy(session) }
                            throw error
                        }
                    }
                    summary = try await pass.run(catalog, check, started: started)
                } catch {
                    summary = SyncSummary(error)
                }
            } else {
                summary = SyncSummary(check)
            }
            next = nil
            open.library.close()
            control.endPass()
            if control.runStop != nil { break }
            let until = clock.now.advanced(by: every)
            if control.isLoggedOut {
                hub.post(.warning(.loggedOut, nil))
            }
            hub.post(.resting(summary, until: until))
            await rest(open, files, until: until, isLibraryAway: isLibraryAway)
            if control.runStop != nil { break }
            let sources = CatalogSources(options)
            (catalog, check) = await CatalogCheck.read(sources, registry: open.registry)
            // An unreadable one is read again when it changes.
            if check.conditions.isEmpty { files = watch(catalog, sources) }
            started = clock.now
        } while true
        if control.isLoggedOut { summary.conditions.insert(.workLeft) }
        return summary
    }

    /// Waits until it is time for the next pass, and the user is logged in. Meanwhile a missing library is looked for.
    private func rest(_ open: OpenState, _ files: CatalogWatch, until: Date, isLibraryAway: Bool) async {
        let alarm = Task { [clock, control] in
            try await clock.sleep(until: until)
            control.wake(.time)
        }
        let lookout = Task { [control] in
            await files.changed()
            if !Task.isCancelled { control.wake(.catalogs) }
        }
        let search = Task { [control, clock] in
            guard isLibraryAway else { return }
            repeat {
                try await clock.sleep(until: clock.now + 2)
            } while await !Blocking.run { _ in open.library.isFree }
            control.wake(.library)
        }
        defer {
            alarm.cancel()
            lookout.cancel()
            search.cancel()
        }
        while true {
            let wake = await control.wait()
            if wake == .stop { return }
            // The pass reports an unreadable state; it is read again after the next rest.
            guard let session = try? open.place.session(in: open.store) else { return }
            // Events while nobody is logged in are handled after the login.
            if session.isOpen, wake != .session || control.isLoggedOut { return }
        }
    }
}
