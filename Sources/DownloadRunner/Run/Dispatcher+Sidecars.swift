import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import RunSchedule
import SyncFacts

/// What comes along with videos: what is known of it, and how it is fetched.
extension Dispatcher {
    /// What the catalog names beside a video, each with the file that it replaces. Its rows begin when it is there.
    func named(by wanted: WantedDownload, digest: [UInt8]) -> Schedule.Event {
        var wantedSidecars = SidecarPlan.wantedSidecars(of: wanted)
        if !wanted.isNew {
            let records = (try? services.store.sidecars(of: [wanted.id])) ?? []
            let open = Set(((try? services.store.openSidecars(of: [wanted.id])) ?? []).map(\.name))
            for index in wantedSidecars.indices {
                wantedSidecars[index].replace(one: records)
                guard let name = wantedSidecars[index].rowName, open.contains(name) else { continue }
                services.bookkeeper.note(.sidecar(.forgotten(wanted.id, name)))
            }
        }
        return .sidecars(note(wantedSidecars), of: wanted.id, digest: digest)
    }

    /// Gives each a number.
    func note(_ wantedSidecars: [WantedSidecar], failedRuns: [SidecarName: Int] = [:]) -> [SidecarQueue.Item] {
        wantedSidecars.map { sidecar in
            lastSidecar += 1
            sidecars[lastSidecar] = SidecarWork(sidecar: sidecar)
            let row = sidecar.isResolved ? sidecar.rowName : nil
            return SidecarQueue.Item(
                number: lastSidecar, download: sidecar.download, host: sidecar.host,
                row: row.map { SidecarQueue.Row($0, failedRuns: failedRuns[$0] ?? 0) })
        }
    }

    /// A provider has answered for a video: what it names is wanted from the next write of rows on, which is before the
    /// video's file is at its place.
    func resolved(_ id: DownloadID, _ media: ResolvedMedia) async {
        guard let wanted = wanted[id] else { return }
        guard schedule.sidecars.awaitsResolution(of: id) else { return _ = handle(.resolved(id, [])) }
        var (files, open): ([SidecarRecord], [OpenSidecar]) = ([], [])
        let wantedSidecars = SidecarPlan.wantedSidecars(of: wanted, resolved: media)
        let isAsked = schedule.isAskedAgain(id)
        if isAsked || !wanted.isNew {
            // What this run has noted counts, too.
            if schedule.isRenewed(id) { _ = await services.bookkeeper.commit([]) }
            files = ((try? services.store.sidecars(of: [id])) ?? []).filter { $0.kind != .stream }
            open = (try? services.store.openSidecars(of: [id])) ?? []
        }
        let named = NamedSidecars(
            wantedSidecars, of: id, catalogs: open.isEmpty ? [] : SidecarPlan.wantedSidecars(of: wanted), files: files,
            open: open,
            at: services.clock.now, isLost: isLost)
        for change in named.changes { services.bookkeeper.note(.sidecar(change)) }
        handle(.resolved(id, note(named.wantedSidecars, failedRuns: named.failedRuns)))
    }

    /// Whether its file is certainly not there any more.
    private func isLost(_ sidecar: SidecarRecord) -> Bool {
        do { return try services.library.facts(of: sidecar.path) == nil } catch { return false }
    }

    /// Asks the provider of a video that is there what comes along with it.
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

    /// A duplicate that was made without its provider having been asked gets its own sidecars, too: if that provider has named
    /// some for the other one, or if it is another provider, or asked for another thing.
    func noteUnasked(_ job: DownloadJob) async {
        guard let donor = works[job.id]?.donor, !donor.isStanding, await !job.hasBeenAnswered else { return }
        let isOther = donor.file.source != job.wanted.source
        guard
            isOther
                || (try? services.store.hasNamedSidecars(video: donor.video, path: donor.file.path)) ?? false
        else { return }
        services.bookkeeper.note(.sidecar(.unasked(job.id)))
        perform(.unasked(job.id))
    }

    func fetch(_ number: Int) {
        guard let sidecar = sidecars[number]?.sidecar else { return }
        let fetch = SidecarFetch(
            sidecar: sidecar, number: number, partialName: sidecar.partialName(ordinal: number), services: services)
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
