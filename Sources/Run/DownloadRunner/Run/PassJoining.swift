import CatalogComparison
import CourseCatalog
import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import RunSchedule
import SyncFacts

/// Files that stand beside each other since there was no ffmpeg when they came.
struct PassJoining: Sendable {
    let store: DownloadStore
    let hub: EventHub
    let control: RunControl

    /// Whether there may be any.
    func mayBeNeeded(_ services: RunServices) -> Bool {
        LateJoining.isPossible(services) && (try? store.downloads.toBeJoined().isEmpty) != true
    }

    /// Joins those of the pass's videos, one after the other. Returns false if the pass had to end before the last one.
    func run(
        _ catalog: Catalog, _ plan: Reconciliation, with services: RunServices, list: FileListUpdater
    ) async throws(StoreError) -> Bool {
        guard LateJoining.isPossible(services) else { return true }
        let work = Task { () async -> Result<Bool, StoreError> in
            do throws(StoreError) { return .success(try await join(catalog, plan, with: services, list: list)) } catch {
                return .failure(error)
            }
        }
        control.onPassStop { work.cancel() }
        return try await work.value.get()
    }

    private func join(
        _ catalog: Catalog, _ plan: Reconciliation, with services: RunServices, list: FileListUpdater
    ) async throws(StoreError) -> Bool {
        let held = Set(plan.held.map(\.course))
        let courses = Set(catalog.courses.map(\.id)).subtracting(held)
        for record in try store.downloads.toBeJoined() {
            let reference = VideoReference(record)
            guard courses.contains(record.key.course),
                plan.only.isEmpty || plan.only.contains(where: { $0.matches(reference) })
            else { continue }
            guard !Task.isCancelled else { return false }
            guard let joining = try LateJoining(record, services) else { continue }
            switch await joining.run() {
            case .joined(let file):
                list.note([.recorded(record.id, file)])
                let joined = FinishedFile(path: file.path, bytes: file.size, sha256: file.sha256?.hex, seconds: 0)
                hub.post(.downloadJoined(reference, joined))
            case .left: break
            case .failed(let reason):
                hub.post(.warning(.stream(.notJoined(because: reason, again: true)), reference))
            case .unwritable(let error): throw error
            case .noSpace: return true
            case .stopped: return false
            }
        }
        return true
    }
}
