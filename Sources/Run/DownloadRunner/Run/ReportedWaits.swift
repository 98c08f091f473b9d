import DownloadStore
import FilePlacement
import Foundation
import SyncFacts
import Synchronization

/// Keeps in the state what the run leaves alone, for those who look at it.
final class ReportedWaits: Sendable {
    private let bookkeeper: Bookkeeper
    private let waits = Mutex<[RunWait]>([])

    init(_ bookkeeper: Bookkeeper) { self.bookkeeper = bookkeeper }

    /// Notes an event that tells of a wait.
    func note(_ event: SyncEvent, at now: Date) {
        let wait: RunWait
        switch event {
        case .providerWaiting(let name, let until, let kind, let server),
            .hostWaiting(let name, let until, let kind, let server):
            wait = RunWait(name: name, until: until, kind: kind, server: server)
        default: return
        }
        waits.withLock { waits in
            waits.removeAll { $0.until <= now || ($0.name == wait.name && $0.server == wait.server) }
            // Nobody reads through more; each time all are written.
            guard waits.count < RunWait.most else { return }
            waits.append(wait)
            bookkeeper.note(.waits(waits))
        }
    }

    /// The last turn is over.
    func end() {
        waits.withLock { waits in
            if !waits.isEmpty { bookkeeper.note(.waits([])) }
            waits = []
        }
    }
}
