import DownloadStore
import Foundation
import Synchronization

/// What the person asks for while the run goes on.
///
/// It goes the same way for all: turns that are in the way end and are held, what waits is taken out of the queue, the rows
/// change in one transaction, and then the run learns what has become of each.
extension Dispatcher {
    /// Pause, resume, cancel, retry or remove. Nil if the last turn is over: nothing was done.
    func steer(_ transition: StateTransition, _ ids: [DownloadID]) async throws -> [SteeringOutcome]? {
        guard !hasEnded else { return nil }
        unsettled += 1
        defer {
            unsettled -= 1
            fill()
        }
        var busy: Set<DownloadID> = []
        var pulled: [DownloadID: DownloadQueue.Entry] = [:]
        switch transition {
        case .pause, .cancel, .remove: pulled = await hold(ids)
        // What is in play stays there; a retry comes at once.
        case .retry:
            busy = Set(ids.filter(isInPlay))
            pulled = pull(ids)
        default: busy = Set(ids.filter(isInPlay))
        }
        _ = await services.bookkeeper.commit([])
        do {
            let result = try await steering.apply(transition, to: ids.filter { !busy.contains($0) })
            for (record, before) in result.changed { steered(record, before) }
            for outcome in result.outcomes where [.same, .refused].contains(outcome.verdict) {
                giveBack(outcome.id, pulled)
            }
            return result.outcomes
                + busy.map { id in
                    SteeringOutcome(
                        id: id.rawValue, before: .active, after: .active,
                        verdict: DownloadState.active.after(transition) == nil ? .refused : .same)
                }
        } catch {
            // The state can't be read or written: the run ends of that by itself.
            for id in ids { giveBack(id.rawValue, pulled) }
            throw error
        }
    }

    /// Gives downloads another priority; with `now` they start at once, if need be in the place of others. Nil if the last
    /// turn is over: nothing was done.
    func prioritize(_ wish: PriorityWish, _ ids: [DownloadID]) async throws -> [SteeringOutcome]? {
        guard !hasEnded else { return nil }
        unsettled += 1
        defer {
            unsettled -= 1
            fill()
        }
        let pulled = pull(ids)
        _ = await services.bookkeeper.commit([])
        do {
            let result = try await steering.prioritize(wish, ids)
            for (record, _) in result.changed {
                wanted[record.id]?.priority = record.priority
                guard var entry = pulled[record.id] else { continue }
                entry.priority = record.priority
                queue.add(entry, dueAt: wish == .now ? nil : record.retryAt)
            }
            let changed = Set(result.changed.map(\.record.id))
            for (id, entry) in pulled where !changed.contains(id) { queue.add(entry, dueAt: wanted[id]?.retryAt) }
            if wish == .now { await makeRoom(for: changed.compactMap { pulled[$0] }) }
            return result.outcomes
        } catch {
            for (id, entry) in pulled { queue.add(entry, dueAt: wanted[id]?.retryAt) }
            throw error
        }
    }

    /// How many may be active at once from now on. Those beyond it go back to waiting, the lowest priority first.
    func setJobs(_ jobs: Int) async {
        services.knobs.jobs = jobs
        queue.hostCap = services.hostConnections
        await putBack(lowest(active.count - jobs))
        fill()
    }

    /// Suspends what comes from a provider whose credentials were forgotten.
    func providerLoggedOut(_ provider: String) async {
        unsettled += 1
        queue.stop(provider: provider)
        let pulled = await hold(wanted.values.filter { $0.provider == provider }.map(\.id))
        let stopped = Array(pulled.keys) + held.filter { wanted[$0]?.provider == provider }
        for id in stopped {
            held.remove(id)
            if let wanted = wanted[id] { suspend(wanted, jobs[id], .auth) }
        }
        if !stopped.isEmpty { result.providersToLogIn.insert(provider) }
        await services.providers.forgetCredentials(of: provider)
        _ = await services.bookkeeper.commit([])
        unsettled -= 1
        fill()
    }

    /// Goes on with what waited for a login at a provider. False if the last turn is over.
    func providerLoggedIn(_ provider: String) async throws -> Bool {
        guard !hasEnded else { return false }
        unsettled += 1
        defer {
            unsettled -= 1
            fill()
        }
        await services.providers.reloadCredentials(of: provider)
        logins[provider, default: 0] += 1
        result.providersToLogIn.remove(provider)
        queue.resume(provider: provider)
        let suspended = wanted.values.filter { $0.provider == provider && result.states[$0.id] == .suspended }
        _ = try await steer(.resume, suspended.map(\.id))
        return true
    }

    // MARK: turns

    /// Taking its turn, at the end of it, or complete and on its way to its place.
    func isInPlay(_ id: DownloadID) -> Bool { active[id] != nil || ending.contains(id) || placing.contains(id) }

    /// Takes these out of the queue and ends the turns of those that are active. On return none of them is in play or will
    /// be: they were pulled, are held, or are over.
    func hold(_ ids: [DownloadID]) async -> [DownloadID: DownloadQueue.Entry] {
        // First those that wait: the slot of one that is ended must not go to another one of them.
        var pulled = pull(ids)
        while !hasEnded {
            let inPlay = ids.filter(isInPlay)
            if inPlay.isEmpty { break }
            for id in inPlay {
                guard let turn = active[id], orders.insert(id).inserted else { continue }
                turn.task.cancel()
            }
            await withCheckedContinuation { holders.append($0) }
            // One that was complete and wrong, or backed off just then, is in the queue again.
            pulled.merge(pull(inPlay)) { first, _ in first }
        }
        orders.subtract(ids)
        return pulled
    }

    /// Somebody's turn has ended.
    func wakeHolders() {
        let holders = holders
        self.holders = []
        for holder in holders { holder.resume() }
    }

    /// Takes those that wait out of the queue, so that none of them starts while rows change.
    private func pull(_ ids: [DownloadID]) -> [DownloadID: DownloadQueue.Entry] {
        let waiting = Set(ids.filter { wanted[$0] != nil && result.states[$0] == nil && !isInPlay($0) })
        guard !waiting.isEmpty else { return [:] }
        return Dictionary(queue.remove(waiting).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func giveBack(_ raw: Int64, _ pulled: [DownloadID: DownloadQueue.Entry]) {
        let id = DownloadID(rawValue: raw)
        let wasHeld = held.remove(id) != nil
        guard let wanted = wanted[id], result.states[id] == nil, !isInPlay(id) else { return }
        if let entry = pulled[id] ?? (wasHeld ? wanted.entry : nil) { queue.add(entry, dueAt: wanted.retryAt) }
    }

    private var steering: Steering {
        let bookkeeper = services.bookkeeper
        return Steering(store: services.store, library: services.library) { await bookkeeper.commit($0) }
    }

    /// The row has changed: so does what this run makes of it.
    private func steered(_ record: DownloadRecord, _ before: DownloadState) {
        let id = record.id
        held.remove(id)
        let known = wanted[id]
        let reference = known?.reference ?? VideoReference(record)
        switch record.state {
        case .paused, .cancelled:
            services.events.post(record.state == .paused ? .downloadPaused(reference) : .downloadCancelled(reference))
            if record.state == .cancelled, before == .finished { services.events.post(.downloadRemoved(reference)) }
            followers.remove(id)
            if record.state == .cancelled { sidecars.drop(id) }
            if let known {
                forgetOutcome(id)
                settle(known, record.state)
                if let next = followers.failed(id) { enqueueFollower(next, donor: nil) }
            }
        case .waiting:
            services.events.post(.downloadWaiting(reference))
            guard stopReason == nil, let again = wantedAgain?.wanted(record) else { break }
            forgetOutcome(id)
            if let job = jobs.removeValue(forKey: id) { result.received += job.received.load(ordering: .relaxed) }
            followers.remove(id)
            wanted[id] = again
            // Whoever says so may have mended the login in another way.
            queue.resume(provider: again.provider)
            result.providersToLogIn.remove(again.provider)
            queue.add(again.entry, dueAt: record.retryAt)
        default: break
        }
        if known == nil || result.steered[id] != nil, wantedAgain?.wanted(record) != nil {
            result.steered[id] = (result.steered[id]?.first ?? before, record.state)
        }
    }

    /// It isn't over after all.
    private func forgetOutcome(_ id: DownloadID) {
        guard let last = result.states.removeValue(forKey: id) else { return }
        result.notReady.remove(id)
        guard last == .failed, let reference = wanted[id]?.reference else { return }
        result.failed -= 1
        result.failures.removeAll { $0.0 == reference }
    }

    // MARK: room

    /// Puts back as many active downloads of lower priority as these need slots.
    private func makeRoom(for entries: [DownloadQueue.Entry]) async {
        let now = services.clock.now
        let urgent = Set(entries.map(\.id))
        var victims: [DownloadID] = []
        // A host at its cap gives a connection of its own; else any slot will do.
        let capped = entries.filter { entry in
            entry.host.map { !queue.isFree($0, at: now) && queue.blockedUntil($0) ?? now <= now } ?? false
        }
        for host in Set(capped.compactMap(\.host)) {
            let count = capped.count { $0.host == host }
            victims += lowest(count) { active[$0]?.host == host && !urgent.contains($0) }
        }
        let ready = entries.count { queue.canRun($0, at: now) }
        let missing = active.count - victims.count + ready + capped.count - services.knobs.jobs
        victims += lowest(min(missing, ready)) { !urgent.contains($0) && !victims.contains($0) }
        await putBack(victims)
    }

    /// Active downloads, the one whose turn came last by priority and order first.
    private func lowest(_ count: Int, where isMeant: (DownloadID) -> Bool = { _ in true }) -> [DownloadID] {
        guard count > 0 else { return [] }
        let entries = active.keys.filter(isMeant).compactMap { wanted[$0]?.entry }.sorted()
        return entries.prefix(count).map(\.id)
    }

    /// Back to waiting, partial kept.
    private func putBack(_ ids: [DownloadID]) async {
        guard !ids.isEmpty else { return }
        let pulled = await hold(ids)
        for (_, entry) in pulled { queue.add(entry) }
        for id in ids where held.remove(id) != nil {
            guard let wanted = wanted[id] else { continue }
            services.bookkeeper.note(.putBack(id, retryAt: nil, error: nil))
            services.events.post(.downloadWaiting(wanted.reference))
            queue.add(wanted.entry)
        }
    }
}

extension VideoReference {
    /// Of a row.
    init(_ record: DownloadRecord) {
        self.init(
            course: record.key.course, chapter: record.catalog.chapter, video: record.key.video,
            title: record.catalog.title)
    }
}
