import DownloadStore
package import Foundation
package import Hooks
package import SyncFacts

/// The failures of a run so far, for those who are told of them at its end. Its events tell what its summary doesn't:
/// when each is tried again.
package struct FailureLog: Sendable {
    private struct Entry {
        var reference: VideoReference?
        /// Of a video.
        var error: DownloadError?
        var retryAt: Date?
        /// The number of videos that failed for the same reason.
        var count = 1
        /// Of anything else, such as an attachment.
        var warning: SyncWarning?
    }

    /// The limit on failures that are told one by one.
    private static let most = 100

    private var entries: [Entry] = []
    /// The number of all, those that aren't kept included.
    private var count = 0

    package init() {}

    package mutating func receive(_ event: SyncEvent) {
        switch event {
        case .downloadFailed(let reference, let error, let retryAt):
            count += 1
            // Thirty videos of a provider that doesn't work are one sentence.
            let isOfProvider = error.kind == .providerFailed
            if isOfProvider, let index = entries.firstIndex(where: { $0.error == error }) {
                entries[index].count += 1
            } else {
                keep(Entry(reference: reference, error: error, retryAt: retryAt))
            }
        case .warning(let warning, let reference) where warning.isFailure:
            count += 1
            keep(Entry(reference: reference, warning: warning))
        // One that was retried by hand.
        case .downloadFinished(let reference, _):
            let earlier = entries.firstIndex { $0.reference == reference && $0.error != nil }
            guard let index = earlier else { return }
            count -= 1
            if entries[index].count > 1 { entries[index].count -= 1 } else { entries.remove(at: index) }
        default: break
        }
    }

    private mutating func keep(_ entry: Entry) { if entries.count < Self.most { entries.append(entry) } }

    /// What a run that has ended with failures tells of them.
    ///
    /// - Parameter host: the name of this machine.
    package func facts(of report: RunReport, shard: String?, host: String, zone: TimeZone) -> FailureFacts {
        let status = ExitStatus(report.summary.conditions)
        let run = FailureFacts.Run(
            user: report.user, shard: shard, host: host, catalogs: report.catalogs, started: report.started.rfc3339,
            ended: report.ended.rfc3339)
        let who = (report.user.map { " of \($0)" } ?? "") + (shard.map { ", shard \($0)," } ?? "")
        var facts = FailureFacts(
            run, exit: Int(status.rawValue), meaning: status.meaning,
            message: "the sync\(who) on \(host) failed; \(ExitText.line(report.summary) ?? status.meaning)",
            summary: SummaryText.line(report.summary), errors: report.summary.errors.map(Self.text),
            advice: SummaryText.remedies(report.summary))
        facts.count = count
        let explainer = Explainer(catalogs: report.catalogs)
        facts.failures = entries.map { entry in
            let subject = entry.reference.map {
                HookSubject(course: $0.course, chapter: $0.chapter, video: $0.video, title: $0.title)
            }
            guard let reference = entry.reference, let error = entry.error else {
                let name = entry.reference.map { "\(Explainer.name($0)): " } ?? ""
                return .init(subject, problem: name + (entry.warning?.message ?? ""), advice: nil)
            }
            let explanation = explainer.failure(
                of: reference, error, retryAt: entry.retryAt, count: entry.count, now: report.ended, zone: zone)
            return .init(subject, problem: explanation.problem, advice: explanation.advice, count: entry.count)
        }
        return facts
    }

    /// In one line, with its place.
    private static func text(_ problem: SyncProblem) -> String {
        let error = problem.located
        guard !error.file.isEmpty else { return error.message }
        let place = [error.line, error.column].compactMap { $0.map { ":\($0)" } }.joined()
        return "\(error.file)\(place): \(error.message)"
    }
}
