import DownloadStore
import FileSystem
import Foundation
import Hooks
import MediaLibrary
import MediaTransfer
import ProviderHost
import SyncFacts
import SystemPackage

/// Notifies commands and webhooks of videos that are new in the library, course by course.
///
/// A video is new once: when it first has its file. That is recorded after all notifications, so that a killed run
/// repeats them; a failed command or post is a warning, and isn't repeated.
struct NewVideoNotifier: Sendable {
    /// The waits between attempts to post.
    private static let pauses: [Duration] = [.seconds(1), .seconds(4)]

    let store: DownloadStore
    let library: LibraryFolder
    let settings: HookSettings
    let jobs: Int
    let userAgent: String
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
        for notification in settings.notifications {
            if let trouble = await post(news, to: notification) { troubles.append(trouble) }
        }
        return troubles.map { .notificationFailed(course: news.title, $0) }
    }

    /// Retries failures that may be temporary.
    private func post(_ news: NewVideoFacts, to notification: NotificationReceiver) async -> NotificationProblem? {
        let host = Origin(url: notification.url)?.host ?? ""
        let (bytes, contentType) = notification.body(news)
        for pause in Self.pauses.map(Optional.some) + [nil] {
            if isStopped() { return nil }
            let (userAgent, caFile) = (userAgent, caFile)
            let result = await Blocking.run { _ -> Result<Int, TransferFailure> in
                do throws(TransferFailure) {
                    return .success(
                        try Webhook.post(
                            bytes, contentType: contentType, to: notification.url, userAgent: userAgent, caFile: caFile)
                    )
                } catch { return .failure(error) }
            }
            let trouble: NotificationProblem
            switch result {
            case .success(200..<300): return nil
            case .success(let status):
                trouble = .status(status, host: host)
                guard status >= 500 || status == 429 || status == 408 else { return trouble }
            case .failure(let failure): trouble = .unreachable(host: host, failure.sentence)
            }
            guard let pause else { return trouble }
            try? await Task.sleep(for: pause)
        }
        return nil
    }
}
