import DownloadStore
import Foundation
import Hooks
import SyncFacts
import Testing

@testable import CommandOutput

@Suite("The failures of a run for those who are told of them")
struct FailureLogTests {
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let broken = DownloadError(kind: .providerFailed, message: "plugin p ended.")

    private static func video(_ id: String) -> VideoReference {
        VideoReference(course: "c", chapter: "k", video: id, title: "Title \(id)")
    }

    private static func report(_ summary: SyncSummary) -> RunReport {
        RunReport(user: "anna", catalogs: ["a.yaml"], started: now, ended: now, summary: summary)
    }

    /// What failed in a run: a video for good, one that is tried again, three of a provider, an attachment.
    static func facts() -> FailureFacts {
        var log = FailureLog()
        log.receive(
            .downloadFailed(video("a"), error: DownloadError(kind: .notFound, message: "no such video."), retryAt: nil))
        log.receive(
            .downloadFailed(
                video("b"), error: DownloadError(kind: .network, message: "no route"),
                retryAt: now.addingTimeInterval(3600)))
        for id in ["x", "y", "z"] { log.receive(.downloadFailed(video(id), error: broken, retryAt: now)) }
        log.receive(
            .warning(
                .sidecarMissed(
                    .ofVideo(.attachment, name: "s.pdf"), DownloadError(kind: .gone, message: "gone"), isFailure: true),
                video("b")))
        // Retried by hand.
        log.receive(.downloadFailed(video("c"), error: DownloadError(kind: .gone, message: "gone"), retryAt: nil))
        log.receive(.downloadFinished(video("c"), FinishedFile(path: "c.mp4", bytes: 1, sha256: nil, seconds: 1)))
        var summary = SyncSummary(
            downloads: [.finished: 1, .failed: 5], finishedNow: 1, failedNow: 5, bytes: 0, seconds: 60,
            conditions: [.downloadsFailed, .providerBroken],
            errors: [
                .mistake(LocatedMessage(file: "/a.yaml", line: 3, column: 4, message: "no title")),
                .refusal(.input("no room")),
            ])
        summary.hasOlderFailures = true
        return log.facts(of: report(summary), shard: nil, host: "desk", zone: .gmt)
    }

    @Test("each has the sentence and the next step of the sync's output; those of a provider are one")
    func failures() {
        let facts = Self.facts()
        #expect(facts.count == 6)
        #expect(
            facts.failures.map { $0.problem + ($0.advice.map { "; \($0)" } ?? "") } == [
                """
                c/k/a  Title a: no such video; correct or remove it in the catalog; to see the provider's answer: \
                coursefetch resolve a.yaml c/k/a
                """,
                "c/k/b  Title b: no route; next try after 21 Nov 00:00, or now: coursefetch retry --failed --now",
                "3 videos: plugin p ended; the next sync will try again; check the plugin: coursefetch plugins check FOLDER",
                "c/k/b  Title b: attachment s.pdf wasn't downloaded: gone",
            ])
        #expect(facts.failures.map(\.count) == [1, 1, 3, 1])
    }

    @Test("the whole has the exit code, the errors with their places, and further steps")
    func whole() {
        let facts = Self.facts()
        #expect(facts.exit == 69 && facts.meaning == "a provider doesn't work; others continued")
        #expect(facts.message.hasPrefix("the sync of anna on desk failed; exit code 69: "), "\(facts.message)")
        #expect(facts.errors == ["/a.yaml:3:4: no title", "no room"])
        #expect(facts.advice == ["for details: coursefetch status --failed"])
        let refused = FailureLog().facts(
            of: Self.report(SyncSummary(.input("no catalog"))), shard: "2/4", host: "desk", zone: .gmt)
        #expect(
            refused.message == """
                the sync of anna, shard 2/4, on desk failed; exit code 64: wrong usage, or a selector that matches nothing
                """)
        #expect(refused.failures.isEmpty && refused.count == 0)
    }
}
