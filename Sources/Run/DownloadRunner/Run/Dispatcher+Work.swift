import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import Hooks
import MediaLibrary
import MediaTransfer
import RunSchedule
import SyncFacts
import Synchronization
import SystemPackage

/// The asynchronous work: turns, digests, placing, sidecars. Each ends with an event.
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
        works[id] = Work(job: job, task: task, donor: donor)
        services.bookkeeper.watch(job)
        startTicker()
        if isNew, let extras = wanted.extras {
            followUps.append(named(by: wanted, digest: extras))
        }
    }

    nonisolated func connections(_ id: DownloadID) -> JobConnections {
        JobConnections(
            claim: { await self.handle(.claim(id, host: $0)) }, enter: { await self.handle(.enter(id, host: $0)) },
            widen: { await self.handle(.widen(id, host: $0)) }, keeps: { await self.handle(.keeps(id)) },
            leave: { _ = await self.handle(.leave(id, host: $0)) }, resolved: { await self.resolved(id, $0) })
    }

    private func turnEnded(_ job: DownloadJob, _ outcome: JobOutcome) async {
        let end = await end(of: outcome, job)
        if case .complete(let video) = outcome {
            works[job.id]?.complete = video
            await noteUnasked(job)
        } else {
            job.claim.release()
        }
        // Measured at its end: otherwise its last bytes would count as still to be written, and another one would end
        // for lack of space.
        let usableUntil = await job.usableUntil
        let measurement = measurement
        works[job.id]?.task = nil
        perform([measurement, .turnEnded(job.id, end, usableUntil: usableUntil)].compactMap(\.self))
    }

    func end(of outcome: JobOutcome, _ job: DownloadJob) async -> Schedule.TurnEnd {
        switch outcome {
        case .complete: .complete
        case .elsewhere: .elsewhere
        case .answered: .answered
        case .waits(let error, let delay, let failedHost):
            .waits(
                error, delay: delay, attempt: await job.attempts, failedHost: failedHost, began: await job.lastStart)
        case .parked(let host): .parked(host: host)
        case .providerWaits(let error, let delay, let server): .providerWaits(error, delay: delay, server: server)
        case .unavailable(let error, let retryAfter, let server):
            .unavailable(error, retryAfter: retryAfter, server: server)
        case .loginNeeded(let error, let server): .loginNeeded(error, server: server)
        case .notReady(let error, let retryAfter): .notReady(error, retryAfter: retryAfter)
        case .differs(let donor, let seen): .differs(donor, seen)
        case .failed(let error): .failed(error, isFinal: error.isFinal)
        case .gaveUp(let error, let rest, let host):
            .gaveUp(error, isFinal: error.isFinal, rest: rest, host: host, began: await job.lastStart)
        case .suspended(let reason, let error): .suspended(reason, error)
        case .stopped: .stopped
        }
    }

    func dropEmptyPartial(_ id: DownloadID) {
        guard let work = works[id], work.job.progress.bytes == 0, wanted[id]?.resume == nil else { return }
        for name in DownloadKind.partials(of: id) { try? services.library.partials.remove(name) }
    }

    // MARK: complete files

    /// Waits for the digest and compares it.
    func hash(_ id: DownloadID) {
        guard let video = works[id]?.complete else { return }
        Task {
            do {
                let sha256 = try await video.partial?.checksum() ?? video.sha256
                var complete = video
                for number in complete.media.parts.indices {
                    guard let partial = complete.parts[number].partial else { continue }
                    complete.media.parts[number].sha256 = try await partial.checksum()
                }
                complete.media.sha256 = sha256
                works[id]?.complete = complete
                var rejection: FileRejection?
                var isWrong = video.expectedSHA256.map { $0 != sha256 } ?? false
                if !isWrong, let partial = video.partial, let checksums = video.checksums,
                    let wrong = try await partial.contradiction(to: checksums)
                {
                    isWrong = true
                    rejection = FileRejection(.wrongChecksum(wrong), isFinal: false)
                }
                if rejection == nil, let partial = video.partial {
                    rejection = await video.job.pageRejection(
                        partial, as: video.fileExtension, isProven: video.expectedSHA256 != nil && !isWrong)
                }
                if !isWrong, rejection == nil { rejection = await judged(complete) }
                works[id]?.rejection = rejection
                handle(.hashed(id, isWrong || rejection != nil ? .wrong : .right))
            } catch {
                handle(.hashed(id, .unreadable(.arrivedUnreadable(error))))
            }
        }
    }

    /// The rejection of the user's hook commands about a file; nil for none. Files already in the library were judged
    /// before.
    private func judged(_ video: CompletedVideo) async -> FileRejection? {
        guard let hooks = services.hooks, hooks.has(.afterDownload), video.hasNewBytes,
            let wanted = wanted[video.job.id]
        else { return nil }
        let name = video.partialName ?? PartialName(download: video.job.id.rawValue)
        let place = video.path ?? LibraryName.file(wanted.stem, video.fileExtension)
        var files = [(name: name, place: place, size: video.size, sha256: video.sha256)]
        if video.partial == nil { files = [] }
        // Tracks and other views, not the playlists of a package.
        for part in video.parts where part.partial != nil && !part.path.hasSuffix(".m3u8") {
            files.append((part.partialName, part.path, part.size, part.sha256))
        }
        let library = services.library
        for file in files {
            let facts = DownloadedFacts(
                HookSubject(wanted.reference), path: library.partials.path(of: file.name).string,
                finalPath: library.root.appending(file.place).string, bytes: file.size, sha256: file.sha256?.hex)
            switch await hooks.afterDownload(facts, stamp: { try? library.partials.facts(of: file.name) }) {
            case .accepted: continue
            case .rejected(let reason): return FileRejection(.rejectedByHook(reason), isFinal: true)
            case .again(let reason): return FileRejection(.unwantedByHook(reason), isFinal: false)
            case .trouble(let trouble): return FileRejection(.brokenHook(.afterDownload, trouble), isFinal: true)
            }
        }
        return nil
    }

    /// Passes a complete file to the bookkeeper.
    func place(_ id: DownloadID) {
        guard let video = works[id]?.complete, let wanted = wanted[id] else { return }
        Task {
            let proof = await video.job.proof
            var file = ArrivedFile(
                role: .video(id, source: wanted.source),
                partialName: video.partialName ?? PartialName(download: id.rawValue), partial: video.partial,
                size: video.size, sha256: video.sha256,
                path: video.path ?? LibraryName.file(wanted.stem, video.fileExtension), id: wanted.reference.video,
                old: video.settles == nil ? wanted.oldFile : nil, parts: video.parts, keepsName: video.path != nil,
                hasPast: !wanted.isNew, proof: proof, checksums: video.checksums)
            file.isAwaited = video.job.claim.isHeld
            file.settles = video.settles
            file.view = video.view
            file.joining = video.joining
            services.bookkeeper.place(file)
        }
    }

    func restart(_ id: DownloadID) {
        guard let video = works[id]?.complete, video.hasNewBytes else { return }
        let rejection = works[id]?.rejection
        video.job.claim.release()
        Task {
            switch await video.job.refuse(rejection) {
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
        job.claim.release()
        Task { handle(.partialDropped(id, losses: await job.dropPartial())) }
    }

    nonisolated var callbacks: Bookkeeper.Callbacks {
        Bookkeeper.Callbacks(
            placed: { files in Task { await self.placed(files) } },
            notPlaced: { file, failure in Task { await self.notPlaced(file, failure) } },
            flushFailed: { id, _ in Task { await self.handle(.flushFailed(id)) } },
            storeFailed: { Task { await self.handle(.stop(.disk)) } })
    }

    private func placed(_ files: [PlacedFile]) {
        var events: [Schedule.Event] = []
        for placed in files {
            if let number = placed.file.sidecar {
                events.append(.sidecarPlaced(number, of: placed.file.role.download, isStored: true))
            } else if let id = placed.file.role.download, let job = works[id]?.job {
                works[id]?.placed = placed
                job.claim.release()
                // Its source files.
                job.clearAway()
                let request = job.live.withLock { $0.request }
                let isWhole = placed.parts.isEmpty && placed.file.settles == nil
                events.append(.placed(id, placed.stored, request: request, isWhole: isWhole))
            }
        }
        handle(events)
    }

    private func notPlaced(_ file: ArrivedFile, _ failure: PlacingFailure) {
        if let number = file.sidecar {
            if let reason = SyncWarning.Placing(failure) {
                services.events.post(.warning(.notPlaced(path: file.path, reason), nil))
            }
            try? services.library.partials.remove(file.partialName)
            handle(.sidecarPlaced(number, of: file.role.download, isStored: false))
        } else if let id = file.role.download {
            works[id]?.job.claim.release()
            handle(.notPlaced(id, trouble(failure)))
        }
    }

    private func trouble(_ failure: PlacingFailure) -> Schedule.PlacingProblem {
        switch failure {
        case .flush(let error):
            return .lost(.notOnDisk(error))
        // Only sidecars get this error.
        case .store, .unwanted: return .store
        case .library(let error):
            if DescriptorLimit.isExhausted(error.errno),
                case .suspended(let reason, let facts) = DescriptorLimit.outcome
            {
                return .suspended(reason, facts)
            }
            let loss = services.library.loss()
            let facts = loss.map { DownloadError(loss: $0) } ?? DownloadError(error)
            return loss != nil || error.isFull ? .suspended(.disk, facts) : .failed(facts)
        }
    }

    // MARK: sidecars

    /// The sidecars that the catalog names for a video, each with the file that it replaces. Their rows are written
    /// when they are stored.
    func named(by wanted: WantedDownload, digest: ExtrasDigest) -> Schedule.Event {
        var wantedSidecars = SidecarPlan.wantedSidecars(of: wanted)
        if !wanted.isNew {
            let records = (try? services.store.sidecars.files(of: [wanted.id])) ?? []
            let open = Set(((try? services.store.sidecars.open(of: [wanted.id])) ?? []).map(\.name))
            for index in wantedSidecars.indices {
                wantedSidecars[index].replace(one: records)
                guard let name = wantedSidecars[index].rowName, open.contains(name) else { continue }
                services.bookkeeper.note(.sidecar(.forgotten(wanted.id, name)))
            }
        }
        return .sidecars(note(wantedSidecars), of: wanted.id, digest: digest)
    }

    /// Gives each wanted sidecar its number in the schedule.
    ///
    /// - Parameter answer: names their URLs; nil if the catalog does.
    func note(
        _ wantedSidecars: [WantedSidecar], of answer: ResolvedMedia? = nil, failedRuns: [SidecarName: Int] = [:]
    ) -> [SidecarQueue.Item] {
        wantedSidecars.map { sidecar in
            lastSidecar += 1
            sidecars[lastSidecar] = SidecarWork(sidecar: sidecar, answer: answer)
            let row = sidecar.isResolved ? sidecar.rowName : nil
            return SidecarQueue.Item(
                number: lastSidecar, download: sidecar.download, host: sidecar.host,
                row: row.map { SidecarQueue.Row($0, failedRuns: failedRuns[$0] ?? 0) })
        }
    }

    /// Handles a provider's answer for a video: its sidecars are wanted from the next write of rows on, which is before
    /// the video's file is in place.
    func resolved(_ id: DownloadID, _ media: ResolvedMedia) async {
        guard let wanted = wanted[id] else { return }
        let answer = Schedule.Answer(usableUntil: media.usableUntil, isSingleUse: media.isSingleUse)
        guard schedule.sidecars.awaitsResolution(of: id) else { return _ = handle(.resolved(id, [], answer)) }
        var (files, open): ([SidecarRecord], [MissingSidecar]) = ([], [])
        let wantedSidecars = SidecarPlan.wantedSidecars(of: wanted, resolved: media.resolution)
        let isAsked = schedule.isAskedAgain(id)
        if isAsked || !wanted.isNew {
            // Rows noted in this run count, too.
            if schedule.isRenewed(id) { _ = await services.bookkeeper.commit([]) }
            files = ((try? services.store.sidecars.files(of: [id])) ?? []).filter { $0.kind != .stream }
            open = (try? services.store.sidecars.open(of: [id])) ?? []
        }
        let named = ProviderSidecars(
            wantedSidecars, of: id, catalogs: open.isEmpty ? [] : SidecarPlan.wantedSidecars(of: wanted), files: files,
            open: open,
            at: services.clock.now, isLost: isLost)
        for change in named.changes { services.bookkeeper.note(.sidecar(change)) }
        handle(.resolved(id, note(named.wantedSidecars, of: media, failedRuns: named.failedRuns), answer))
    }

    /// Whether its file is certainly missing.
    private func isLost(_ sidecar: SidecarRecord) -> Bool {
        do { return try services.library.files.facts(of: sidecar.path) == nil } catch { return false }
    }

    /// Asks the provider of a finished video for its sidecars.
    func ask(_ id: DownloadID) {
        guard let wanted = wanted[id] else { return }
        let job = asks[id]?.job ?? DownloadJob(wanted, services: services)
        let refusal = refusals.removeValue(forKey: id)
        asks[id] = Work(
            job: job,
            task: Task {
                let outcome = DescriptorLimit.judged(await job.ask(self.connections(id), refused: refusal))
                let end = await self.end(of: outcome, job)
                self.answered(id, end)
            })
    }

    private func answered(_ id: DownloadID, _ end: Schedule.TurnEnd) {
        asks[id]?.task = nil
        handle(.turnEnded(id, end))
    }

    /// A duplicate made without asking its provider gets its own sidecars, too: if that provider has named some for the
    /// other one, or if it is another provider, or has other parameters.
    func noteUnasked(_ job: DownloadJob) async {
        let ofOtherShard = await job.donorOfOtherShard
        guard let donor = ofOtherShard ?? works[job.id]?.donor, !donor.isInPlace, await !job.hasBeenAnswered else {
            return
        }
        let isOther = donor.isOfOtherShard || donor.file.source != job.wanted.source
        guard
            isOther
                || (try? services.store.sidecars.hasNamed(video: donor.video, path: donor.file.path)) ?? false
        else { return }
        services.bookkeeper.note(.sidecar(.unasked(job.id)))
        perform([.unasked(job.id)])
    }

    func fetch(_ number: Int) {
        guard let work = sidecars[number] else { return }
        let sidecar = work.sidecar
        let fetch = SidecarFetch(
            sidecar: sidecar, answer: work.answer, number: number,
            partialName: sidecar.partialName(ordinal: number), services: services)
        let mayRenew = schedule.mayRenew(sidecar: number)
        sidecars[number]?.task = Task {
            switch await fetch.run(mayRenew: mayRenew) {
            case .arrived(let file, let bytes):
                received += bytes
                handle(.sidecarFetched(number, .arrived))
                services.bookkeeper.place(file)
            case .ended(let end, let bytes):
                received += bytes
                if mayRenew, case .refused(let error, _) = end, let id = sidecar.download { refusals[id] = error }
                handle(.sidecarFetched(number, end))
            }
        }
    }
}

extension SyncWarning.Placing {
    /// Nil for a failure that the user wanted.
    init?(_ failure: PlacingFailure) {
        switch failure {
        case .flush: self = .flush
        case .library(let error): self = .library(error)
        case .store: self = .store
        case .unwanted: return nil
        }
    }
}
