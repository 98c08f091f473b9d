import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import Synchronization

extension Dispatcher {
    /// What the bookkeeper tells.
    nonisolated var callbacks: Bookkeeper.Callbacks {
        Bookkeeper.Callbacks(
            placed: { files in Task { await self.placed(files) } },
            notPlaced: { file, failure in Task { await self.notPlaced(file, failure) } },
            flushFailed: { id, _ in Task { await self.flushFailed(id) } },
            storeFailed: { Task { await self.storeUnusable() } })
    }

    /// Waits for the digest, compares it, and hands the file to the bookkeeper.
    func finish(_ video: CompletedVideo) async {
        let id = video.job.id
        do {
            let sha256 = try await video.partial?.sha256() ?? video.sha256
            var parts = video.parts
            for number in parts.indices { parts[number].sha256 = try await parts[number].partial?.sha256() }
            // The run was stopped in the meantime.
            guard digesting.remove(id) != nil else { return }
            if let expected = video.expectedSHA256, expected != sha256 {
                return await checksumFailed(video)
            }
            let proof = await video.job.proof
            guard let wanted = wanted[id] else { return }
            services.bookkeeper.place(
                ArrivedFile(
                    role: .video(id, source: wanted.source),
                    partialName: video.partialName ?? PartialName(download: id.rawValue), partial: video.partial,
                    size: video.size, sha256: sha256,
                    path: video.path ?? "\(wanted.stem).\(video.fileExtension.text)", id: wanted.reference.video,
                    old: wanted.oldFile, parts: parts, keepsName: video.path != nil, hasPast: !wanted.isNew,
                    proof: proof))
        } catch {
            guard digesting.remove(id) != nil else { return }
            await lostPartial(id, DownloadError(kind: .disk, message: "what arrived can't be read back: \(error)"))
        }
    }

    private func checksumFailed(_ video: CompletedVideo) async {
        let id = video.job.id
        guard let wanted = wanted[id], let partial = video.partial else { return }
        let verdict = await video.job.checksumFailed(partial)
        placing.remove(id)
        switch verdict {
        case nil:
            services.bookkeeper.note(.putBack(id, retryAt: nil, error: nil))
            queue.add(wanted.entry)
        case .failed(let error): fail(wanted, error)
        default: storeUnusable()
        }
        fill()
    }

    /// The bytes on the disk can't be trusted any more: they are fetched again, but not for ever.
    func lostPartial(_ id: DownloadID, _ error: DownloadError) async {
        guard let wanted = wanted[id], let job = jobs[id] else { return }
        unsettled += 1
        let losses = await job.dropPartial()
        unsettled -= 1
        placing.remove(id)
        if losses > 2 {
            fail(wanted, error)
        } else {
            let until = services.clock.now + 1
            services.bookkeeper.note(.putBack(id, retryAt: until, error: error))
            services.bookkeeper.unwatch(job)
            queue.add(wanted.entry, dueAt: until)
        }
        fill()
    }

    private func placed(_ files: [PlacedFile]) {
        for placed in files {
            switch placed.file.role {
            case .video(let id, _): finished(id, placed.stored, isWhole: placed.parts.isEmpty)
            case .sidecar(let id, let kind, let name): sidecarSettled(.video(id, kind, name: name), isStored: true)
            case .courseCover(let course, let digest): sidecarSettled(.course(course, digest: digest), isStored: true)
            case .chapterCover(let course, let chapter, let digest):
                sidecarSettled(.chapter(course: course, chapter: chapter, digest: digest), isStored: true)
            }
        }
        fill()
    }

    /// `isWhole`: the file is all there is of it, so that it can be linked.
    private func finished(_ id: DownloadID, _ file: StoredFile, isWhole: Bool) {
        placing.remove(id)
        guard let wanted = wanted[id], let job = jobs[id] else { return }
        result.finished += 1
        services.events.post(
            .downloadFinished(
                wanted.reference,
                FinishedFile(
                    path: file.path, bytes: file.size, sha256: file.sha256?.hex,
                    seconds: services.clock.now.timeIntervalSince(job.startedAt))))
        // What it was made of.
        job.clearAway()
        let donor = Donor(
            file: file, video: wanted.reference.video, request: job.live.withLock { $0.request })
        settle(wanted, .finished)
        if isWhole {
            for (path, other) in otherwise where other.leader == id { otherwise[path]?.donor = donor }
            for follower in followers.finished(id) { enqueueFollower(follower, donor: donor) }
        } else if let next = followers.failed(id) {
            enqueueFollower(next, donor: nil)
        }
    }

    private func notPlaced(_ file: ArrivedFile, _ failure: PlacingFailure) async {
        switch (file.role, failure) {
        case (.video(let id, _), .flush(let error)):
            await lostPartial(id, DownloadError(kind: .disk, message: "its data didn't reach the disk: \(error)"))
        case (.video(let id, _), .library(let error)):
            placing.remove(id)
            guard let wanted = wanted[id] else { break }
            if DescriptorLimit.isExhausted(error.errno),
                case .suspended(let reason, let facts) = DescriptorLimit.outcome
            {
                result.diskError = facts
                suspend(wanted, jobs[id], reason)
                stop(reason)
                break
            }
            let loss = services.library.loss()
            let facts = DownloadError(
                kind: .disk, message: loss.map { Refusal($0).message } ?? error.sentence)
            if loss != nil || error.isFull {
                result.diskError = facts
                suspend(wanted, jobs[id], .disk)
                stop(.disk)
            } else {
                fail(wanted, facts)
            }
        case (.video(let id, _), .store):
            placing.remove(id)
        case (_, let failure): sidecarNotPlaced(file, failure)
        }
        fill()
    }

    private func flushFailed(_ id: DownloadID) async {
        guard let turn = active[id] else { return }
        // The turn ends as stopped; its partial is dropped before the next one.
        turn.task.cancel()
        lostFlush.insert(id)
    }

    private func storeUnusable() { stop(.disk) }

    // MARK: sidecars

    /// Starts what can run beside the videos.
    func fillSidecars(at now: Date) {
        if active.isEmpty, !sidecars.isIdle { lookAtSpace() }
        let limit = now.advanced(by: services.options.maxWait)
        for item in sidecars.hopeless({ queue.blockedUntil($0).map { $0 > limit } == true }) {
            sidecarFailed(item.wish, DownloadError(kind: .network, message: "its host isn't answering"))
        }
        // A connection that a video of this run may want soon is left free.
        let isDue = queue.nextDue(after: now).map { $0 <= limit } ?? false
        let reserved = isDue ? max(0, services.knobs.jobs - active.count) : 0
        while placing.count + sidecarsPlacing < Self.placingLimit,
            let item = sidecars.next(room: { host in
                host.map { queue.room($0, at: now) > reserved } ?? true
            })
        {
            let host = item.wish.host
            if let host { queue.occupy(host) }
            let fetch = SidecarFetch(
                wish: item.wish, partialName: item.wish.partialName(ordinal: item.ordinal), services: services)
            sidecarTasks[item.ordinal] = Task {
                let result = await fetch.run()
                sidecarTasks[item.ordinal] = nil
                sidecarEnded(item.wish, host: host, result)
            }
        }
    }

    private func sidecarEnded(_ wish: SidecarWish, host: String?, _ result: Swift.Result<ArrivedFile, DownloadError>) {
        sidecars.fetchEnded()
        if let host { queue.release(host) }
        switch result {
        case .success(let file):
            sidecarsPlacing += 1
            services.bookkeeper.place(file)
        case .failure(let error): sidecarFailed(wish, error)
        }
        fill()
    }

    private func sidecarSettled(_ owner: SidecarWish.Owner, isStored: Bool) {
        if isStored { sidecarsPlacing -= 1 }
        if let (id, digest) = sidecars.settled(owner, isStored: isStored) {
            services.bookkeeper.note(.extrasStored(id, digest))
        }
    }

    private func sidecarFailed(_ wish: SidecarWish, _ error: DownloadError) {
        if stopReason == nil {
            services.events.post(.warning("\(wish.title) was not fetched: \(error.message)", wish.video))
        }
        sidecarSettled(wish.owner, isStored: false)
    }

    private func sidecarNotPlaced(_ file: ArrivedFile, _ failure: PlacingFailure) {
        sidecarsPlacing -= 1
        services.events.post(.warning("\(file.path) could not be placed: \(failure.sentence)", nil))
        try? services.library.removePartial(file.partialName)
        let owner: SidecarWish.Owner
        switch file.role {
        case .video: return
        case .sidecar(let id, let kind, let name): owner = .video(id, kind, name: name)
        case .courseCover(let course, let digest): owner = .course(course, digest: digest)
        case .chapterCover(let course, let chapter, let digest):
            owner = .chapter(course: course, chapter: chapter, digest: digest)
        }
        _ = sidecars.settled(owner, isStored: false)
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
