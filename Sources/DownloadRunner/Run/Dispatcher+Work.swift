import DownloadStore
import Foundation
import MediaLibrary
import MediaTransfer
import RunSchedule
import Synchronization

/// What takes time: turns, digests, places, sidecars. Each ends with an event.
extension Dispatcher {
    // MARK: turns

    func start(_ id: DownloadID, _ donor: Donor?, isProven: Bool) {
        guard let wanted = wanted[id] else { return }
        let isNew = works[id] == nil
        let job = works[id]?.job ?? DownloadJob(wanted, services: services)
        let task = Task {
            if let donor { await job.offer(donor, isProven: isProven) }
            let outcome = DescriptorLimit.judged(await job.run(self.connections(id)))
            await self.turnEnded(job, outcome)
        }
        works[id] = Work(job: job, task: task)
        services.bookkeeper.watch(job)
        startTicker()
        if isNew, let extras = wanted.extras {
            followUps.append(named(by: wanted, digest: extras))
        }
    }

    private nonisolated func connections(_ id: DownloadID) -> JobConnections {
        JobConnections(
            claim: { await self.handle(.claim(id, host: $0)) }, enter: { await self.handle(.enter(id, host: $0)) },
            leave: { _ = await self.handle(.leave(id, host: $0)) }, resolved: { await self.resolved(id, $0) })
    }

    private func resolved(_ id: DownloadID, _ media: ResolvedMedia) {
        guard let wanted = wanted[id] else { return }
        var wishes: [SidecarWish] = []
        if schedule.sidecars.awaitsResolution(of: id) {
            wishes = SidecarPlan.wishes(of: wanted, resolved: media)
            if !wanted.isNew, !wishes.isEmpty {
                let recorded = (try? services.store.sidecars(of: [id])) ?? []
                let there = recorded.filter { !isLost($0) }
                wishes.removeAll { $0.isAmong(there) }
            }
        }
        handle(.resolved(id, note(wishes)))
    }

    /// Whether its file is certainly not there any more.
    private func isLost(_ sidecar: SidecarRecord) -> Bool {
        do { return try services.library.facts(of: sidecar.path) == nil } catch { return false }
    }

    private func turnEnded(_ job: DownloadJob, _ outcome: JobOutcome) async {
        let end: Schedule.TurnEnd
        switch outcome {
        case .complete(let video):
            works[job.id]?.complete = video
            end = .complete
        case .waits(let error, let delay, let failedHost):
            end = .waits(
                error, delay: delay, attempt: await job.attempts, failedHost: failedHost, began: await job.lastStart)
        case .parked(let host): end = .parked(host: host)
        case .providerWaits(let error, let delay): end = .providerWaits(error, delay: delay)
        case .loginNeeded(let error): end = .loginNeeded(error)
        case .notReady(let error, let retryAfter): end = .notReady(error, retryAfter: retryAfter)
        case .differs(let donor): end = .differs(donor)
        case .failed(let error): end = .failed(error, isFinal: error.isFinal)
        case .gaveUp(let error, let rest, let host):
            end = .gaveUp(error, isFinal: error.isFinal, rest: rest, host: host, began: await job.lastStart)
        case .suspended(let reason, let error): end = .suspended(reason, error)
        case .stopped: end = .stopped
        }
        // Measured as it ends: its last bytes would count as still to be written, and another one end for want of room.
        measure()
        works[job.id]?.task = nil
        perform(.turnEnded(job.id, end))
    }

    func dropEmptyPartial(_ id: DownloadID) {
        guard let work = works[id], work.job.progress.bytes == 0, wanted[id]?.resume == nil else { return }
        for name in DownloadKind.partials(of: id) { try? services.library.removePartial(name) }
    }

    // MARK: complete files

    /// Waits for the digest and compares it.
    func hash(_ id: DownloadID) {
        guard let video = works[id]?.complete else { return }
        Task {
            do {
                let sha256 = try await video.partial?.sha256() ?? video.sha256
                var complete = video
                for number in complete.media.parts.indices {
                    complete.media.parts[number].sha256 = try await complete.parts[number].partial?.sha256()
                }
                complete.media.sha256 = sha256
                works[id]?.complete = complete
                let isWrong = video.expectedSHA256.map { $0 != sha256 } ?? false
                handle(.hashed(id, isWrong ? .wrong : .right))
            } catch {
                let error = DownloadError(kind: .disk, message: "what arrived can't be read back: \(error)")
                handle(.hashed(id, .unreadable(error)))
            }
        }
    }

    /// Hands a complete file to the bookkeeper.
    func place(_ id: DownloadID) {
        guard let video = works[id]?.complete, let wanted = wanted[id] else { return }
        Task {
            let proof = await video.job.proof
            services.bookkeeper.place(
                ArrivedFile(
                    role: .video(id, source: wanted.source),
                    partialName: video.partialName ?? PartialName(download: id.rawValue), partial: video.partial,
                    size: video.size, sha256: video.sha256,
                    path: video.path ?? "\(wanted.stem).\(video.fileExtension.text)", id: wanted.reference.video,
                    old: wanted.oldFile, parts: video.parts, keepsName: video.path != nil, hasPast: !wanted.isNew,
                    proof: proof))
        }
    }

    func restart(_ id: DownloadID) {
        guard let video = works[id]?.complete, let partial = video.partial else { return }
        Task {
            switch await video.job.checksumFailed(partial) {
            case nil: handle(.restarted(id, nil))
            case .failed(let error): handle(.restarted(id, error))
            // The state can't be written.
            default:
                handle(.stop(.disk))
                handle(.restarted(id, nil))
            }
        }
    }

    func dropPartial(_ id: DownloadID) {
        guard let job = works[id]?.job else { return }
        Task { handle(.partialDropped(id, losses: await job.dropPartial())) }
    }

    /// What the bookkeeper tells.
    nonisolated var callbacks: Bookkeeper.Callbacks {
        Bookkeeper.Callbacks(
            placed: { files in Task { await self.placed(files) } },
            notPlaced: { file, failure in Task { await self.notPlaced(file, failure) } },
            flushFailed: { id, _ in Task { await self.handle(.flushFailed(id)) } },
            storeFailed: { Task { await self.handle(.stop(.disk)) } })
    }

    private func placed(_ files: [PlacedFile]) {
        for placed in files {
            if let number = placed.file.sidecar {
                handle(.sidecarPlaced(number, of: placed.file.role.download, isStored: true))
            } else if let id = placed.file.role.download, let job = works[id]?.job {
                works[id]?.placed = placed
                // What it was made of.
                job.clearAway()
                let request = job.live.withLock { $0.request }
                handle(.placed(id, placed.stored, request: request, isWhole: placed.parts.isEmpty))
            }
        }
    }

    private func notPlaced(_ file: ArrivedFile, _ failure: PlacingFailure) {
        if let number = file.sidecar {
            services.events.post(.warning("\(file.path) could not be placed: \(failure.sentence)", nil))
            try? services.library.removePartial(file.partialName)
            handle(.sidecarPlaced(number, of: file.role.download, isStored: false))
        } else if let id = file.role.download {
            handle(.notPlaced(id, trouble(failure)))
        }
    }

    private func trouble(_ failure: PlacingFailure) -> Schedule.PlacingTrouble {
        switch failure {
        case .flush(let error):
            return .lost(DownloadError(kind: .disk, message: "its data didn't reach the disk: \(error)"))
        case .store: return .store
        case .library(let error):
            if DescriptorLimit.isExhausted(error.errno),
                case .suspended(let reason, let facts) = DescriptorLimit.outcome
            {
                return .suspended(reason, facts)
            }
            let loss = services.library.loss()
            let facts = DownloadError(kind: .disk, message: loss.map { Refusal($0).message } ?? error.sentence)
            return loss != nil || error.isFull ? .suspended(.disk, facts) : .failed(facts)
        }
    }

    // MARK: sidecars

    func fetch(_ number: Int) {
        guard let wish = sidecars[number]?.wish else { return }
        let fetch = SidecarFetch(
            wish: wish, number: number, partialName: wish.partialName(ordinal: number), services: services)
        sidecars[number]?.task = Task {
            switch await fetch.run() {
            case .success(let file):
                handle(.sidecarFetched(number, nil))
                services.bookkeeper.place(file)
            case .failure(let error): handle(.sidecarFetched(number, error))
            }
        }
    }
}

extension PlacingFailure {
    /// For the messages.
    var sentence: String {
        switch self {
        case .flush: "its data didn't reach the disk"
        case .library(let error): error.sentence
        case .store: "the state can't be written"
        }
    }
}
