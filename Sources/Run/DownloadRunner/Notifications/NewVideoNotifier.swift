import DownloadStore
import FileSystem
import Foundation
import Hooks
import MediaLibrary
import ProviderHost
import SyncFacts
import SystemPackage

/// Notifies commands and webhooks of videos that are new in the library, course by course.
///
/// A video is new once: when it first has its file. That is recorded after all notifications, so that a killed run
/// repeats them; a failed command or post is a warning, and isn't repeated.
struct NewVideoNotifier: Sendable {
    let store: DownloadStore
    let library: LibraryFolder
    let settings: HookSettings
    let jobs: Int
    let caFile: String?
    let log: @Sendable (String) -> Void
    /// Whether the run has to end.
    let isStopped: @Sendable () -> Bool

    /// Returns warnings, with the titles of the courses. A run that is stopped records nothing.
    func notify() async throws(StoreError) -> [SyncWarning] {
        guard settings.tellsNews else {
            try store.downloads.announceAll()
            return []
        }
        let records = try store.downloads.unannounced()
        guard !records.isEmpty else { return [] }
        let titles = try store.catalogs.courses().mapValues(\.title)
        let courses = Dictionary(grouping: records, by: \.key.course)
        let news = courses.keys.sorted().map { facts(of: $0, titles[$0] ?? $0, courses[$0] ?? []) }
        let warnings = await notify(news)
        if isStopped() { return warnings }
        try store.downloads.announce(records.map(\.id))
        return warnings
    }

    private func facts(of course: String, _ title: String, _ records: [DownloadRecord]) -> NewVideoFacts {
        NewVideoFacts(
            course: course, title: title,
            videos: records.map { record in
                let path = record.file.map { library.root.appending($0.path).string } ?? ""
                return .init(
                    chapter: record.catalog.chapter, video: record.key.video, title: record.catalog.title, path: path,
                    bytes: record.file?.size ?? 0)
            })
    }

    private func notify(_ news: [NewVideoFacts]) async -> [SyncWarning] {
        let jobs = jobs
        let watchdog = OrphanWatchdog()
        let runner = HookRunner(settings, jobs: { jobs }, watch: watchdog.groupWatch, log: log)
        let watch = Task {
            while !isStopped() { try await Task.sleep(for: .milliseconds(200)) }
            runner.shutDown()
        }
        defer { watch.cancel() }
        let warnings = await withTaskGroup(of: [SyncWarning].self) { group in
            var warnings: [SyncWarning] = []
            for (number, item) in news.enumerated() {
                if number >= jobs, let done = await group.next() { warnings += done }
                group.addTask { await notify(item, runner) }
            }
            for await done in group { warnings += done }
            return warnings
        }
        await watchdog.close()
        return warnings
    }

    private func notify(_ news: NewVideoFacts, _ runner: HookRunner) async -> [SyncWarning] {
        var troubles: [NotificationProblem] = []
        if let trouble = await runner.onNew(news), trouble != .hook(.cancelled) { troubles.append(trouble) }
        let post = NotificationPost(caFile: caFile, isHurried: isStopped)
        for receiver in settings.notifications where receiver.isTold(of: .new) && !isStopped() {
            let trouble = await post.send(receiver.body(news), to: receiver.url)
            // After a stop the next run tells it again.
            if let trouble, !isStopped() { troubles.append(trouble) }
        }
        return troubles.map { .notificationFailed(course: news.title, $0) }
    }
}
