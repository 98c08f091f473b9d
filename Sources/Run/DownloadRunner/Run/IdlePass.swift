import CatalogComparison
import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import Logging
import RunAccess
import SyncFacts

/// A pass like the last one, which found nothing to do.
struct IdlePass {
    let pass: SyncPass
    /// Of the last run.
    let note: IdleNote

    /// Makes the pass without its catalogs, if the note still holds; nil if it doesn't, and then nothing has happened.
    func run(started: Date) async -> SyncSummary? {
        let (open, library, hub, history) = (pass.open, pass.library, pass.hub, pass.history)
        let holds = await Blocking.run { [note] _ in open.idle?.holds(note, open.store, library) ?? false }
        // What the user has logged in to in the meantime counts, as at the beginning of every pass.
        guard holds, pass.control.passStop == nil, (try? pass.credentials()) != nil else { return nil }
        pass.logger.debug("nothing has changed since the last run of these catalogs: they aren't read")
        let run: Int64
        do throws(Refusal) { run = try history.begin() } catch { return SyncSummary(error) }
        let warnedBefore = hub.warnings
        let plan = Reconciliation(counts: note.downloads, fromOtherSource: note.fromOtherSource)
        let list = FileListUpdater(store: open.store, library: library)
        pass.post(plan, run, titles: [:])
        list.begin(isGoingToChange: false)
        list.end()
        if let failure = list.failure { hub.post(.warning(.listNotKept(failure), nil)) }
        var summary = SyncPass.summary(plan, Dispatcher.Result(), [], stopReason: pass.control.passStop)
        summary.warnings = hub.warnings - warnedBefore
        summary.seconds = pass.clock.now.timeIntervalSince(started)
        if summary.stopReason == .logout { summary.noteLogout() }
        do throws(Refusal) { summary.libraryBytes = try history.end(run, summary) } catch { summary.add(error) }
        return summary
    }
}
