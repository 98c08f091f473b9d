import ArgumentParser
import DownloadStore
import Foundation
import SyncFacts
import Testing
import YAMLSource

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import SyncDisplay

@Suite("The plain log and the summary")
struct PlainLogTests {
    private static func asBob(_ body: () -> [String]) -> [String] {
        SuggestedCommand.$scoped.withValue(SuggestedCommand.Places(user: "bob"), operation: body)
    }

    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let video = VideoReference(course: "phys101", chapter: "kin", video: "v1", title: "Position\u{1B}")
    private static let file = FinishedFile(path: "M/01 Position.mp4", bytes: 5_242_880, sha256: nil, seconds: 3)
    private static let events: [SyncEvent] = [
        .started(
            SyncStart(user: "a", run: 1, catalogs: ["c.yaml"], library: "/l", downloads: [:], waitingBytes: nil)),
        .resolved(video, attempt: 1, reason: .first, expiresAt: nil),
        .downloadFinished(video, file), .downloadMoved(video, from: "a", path: "b"), .downloadGone(video, path: "c"),
        .downloadRemoved(video), .warning(.stream(.separateSound), video),
        .downloadFailed(video, error: DownloadError(kind: .gone, message: "taken down"), retryAt: nil),
        .finished(SyncSummary()),
    ]

    private static func lines(_ log: PlainLog) -> [PlainLog.Line] {
        var log = log
        return events.flatMap { log.lines(for: $0, now: now) }
    }

    private static let failed = PlainLog.Line(
        .diagnostics,
        "failed    phys101/kin/v1  Position�: taken down; correct or remove it in the catalog; "
            + "to see the provider's answer: coursefetch resolve c.yaml phys101/kin/v1")

    @Test("one line for each download that finished or failed")
    func normal() {
        #expect(
            Self.lines(PlainLog(isQuiet: false, zone: .gmt)) == [
                .init(.output, "finished  M/01 Position.mp4 (5.00 MiB in 3s)"), .init(.output, "moved     a -> b"),
                .init(.output, "gone      phys101/kin/v1  Position�: no longer listed; the file stays"),
                .init(.output, "removed   phys101/kin/v1  Position�"),
                .init(
                    .diagnostics,
                    "warning: phys101/kin/v1  Position�: its sound is in a separate file, "
                        + "since there is no ffmpeg; the first sync with one joins them"),
                Self.failed,
            ])
    }

    @Test("of very many failures a hundred are written, and what lists all of them; again in the next run")
    func manyFailures() {
        var log = PlainLog(isQuiet: true, zone: .gmt)
        let failure = SyncEvent.downloadFailed(
            Self.video, error: DownloadError(kind: .gone, message: "taken down"), retryAt: nil)
        for _ in 0..<2 {
            let lines = ([Self.events[0]] + Array(repeating: failure, count: 300)).flatMap {
                log.lines(for: $0, now: Self.now)
            }
            #expect(lines.count == 101 && lines.prefix(100).allSatisfy { $0 == Self.failed })
            #expect(
                lines.last?.text
                    == "failed    more videos, which aren't listed here; for all of them: coursefetch status --failed")
        }
    }

    @Test("a warning about a catalog has its source line below it, as an error has; with --quiet there is none")
    func doubtful() {
        let place = SourceLocation(file: "c.yaml", line: 1, column: 3)
        var diagnostic = Diagnostic(.warning, at: place, "unknown key 'foo'")
        diagnostic.excerpt = Array("  foo: 1\n".utf8).withUnsafeBytes { SourceExcerpt(of: place.position, in: $0) }
        var log = PlainLog(isQuiet: false, zone: .gmt)
        #expect(
            log.lines(for: .warning(.doubtful(diagnostic), nil), now: Self.now).map(\.text) == [
                "c.yaml:1:3: warning: unknown key 'foo'", "      foo: 1", "      ^",
            ])
        var quiet = PlainLog(isQuiet: true, zone: .gmt)
        #expect(quiet.lines(for: .warning(.doubtful(diagnostic), nil), now: Self.now) == [])
    }

    @Test("with --quiet only what failed")
    func quiet() {
        #expect(Self.lines(PlainLog(isQuiet: true, zone: .gmt)) == [Self.failed])
    }

    @Test("--quiet also prints a line for a failed sidecar, but not for what makes no run fail")
    func quietSidecars() {
        var log = PlainLog(isQuiet: true, zone: .gmt)
        let video = VideoReference(course: "c", chapter: nil, video: "v", title: "Position")
        let missing = DownloadError(kind: .notFound, message: "404", status: 404)
        func lines(_ warning: SyncWarning) -> [PlainLog.Line] {
            log.lines(for: .warning(warning, video), now: Date(timeIntervalSince1970: 0))
        }
        let slides = SyncWarning.Sidecar.ofVideo(.attachment, name: "Slides")
        #expect(
            lines(.sidecarMissed(slides, missing, isFailure: true)) == [
                .init(.diagnostics, "failed    'c/*/v'  Position: attachment Slides wasn't downloaded: 404")
            ])
        #expect(
            lines(.sidecarsUnknown(missing)) == [
                .init(.diagnostics, "failed    'c/*/v'  Position: subtitles and attachments weren't downloaded: 404")
            ])
        #expect(
            lines(.sidecarMissed(.courseCover("phys 1"), missing)) == [
                .init(.diagnostics, "warning: 'c/*/v'  Position: cover of phys%201 wasn't downloaded: 404")
            ])
        #expect(lines(.sidecarMissed(slides, missing, isNew: false)) == [], "it was told once")
        var summary = SyncSummary(downloads: [.finished: 1])
        #expect(SummaryText.remedies(summary) == [])
        summary.hasOlderFailures = true
        #expect(SummaryText.remedies(summary) == ["for details: coursefetch status --failed"])
    }

    @Test("if several partials fill the disk, the message lists them and the remedies")
    func fullOfPartials() {
        var summary = SyncSummary(downloads: [.suspended: 4])
        let videos = ["a", "b x", "d", "e"].map { VideoReference(course: "c", chapter: nil, video: $0, title: "T") }
        summary.partials = [(videos[0], 3 << 20)]
        #expect(SummaryText.remedies(summary) == [], "it is too large by itself")
        summary.partials = Array(zip(videos, [4 << 20, 3 << 20, 2 << 20, 1 << 20]))
        #expect(
            Self.asBob { SummaryText.remedies(summary) } == [
                """
                4 unfinished videos use 10.0 MiB of the disk: c/*/a 4.00 MiB, c/*/b%20x 3.00 MiB, c/*/d 2.00 MiB and \
                1 more; make room, or cancel one: coursefetch cancel 'c/*/a' --user bob; to finish them one after the \
                other: --jobs 1
                """
            ])
    }

    @Test(
        "a night that used up its window or quota ended as planned, if something arrived and nothing else happened"
    )
    func planned() {
        var summary = SyncSummary(
            downloads: [.waiting: 3], bytes: 5, conditions: [.workLeft], stopReason: .window)
        #expect(SummaryText.endsAsPlanned(summary))
        summary.stopReason = .quota
        #expect(SummaryText.endsAsPlanned(summary))
        summary.bytes = 0
        #expect(!SummaryText.endsAsPlanned(summary), "nothing arrived all night")
        summary.finishedNow = 1
        #expect(SummaryText.endsAsPlanned(summary))
        summary.conditions.insert(.downloadsFailed)
        #expect(!SummaryText.endsAsPlanned(summary))
        summary.conditions = [.workLeft]
        summary.stopReason = .signal
        #expect(!SummaryText.endsAsPlanned(summary))
    }

    @Test("thirty videos of a provider that doesn't work are one sentence and a number")
    func brokenProvider() {
        var log = PlainLog(isQuiet: false, zone: .gmt)
        let error = DownloadError(kind: .providerFailed, message: "plugin bad doesn't work: it ended with exit code 1")
        for number in 1...30 {
            let video = VideoReference(course: "c", chapter: "k", video: "\(number)", title: "T")
            #expect(log.lines(for: .downloadFailed(video, error: error, retryAt: nil), now: Self.now).isEmpty)
        }
        let other = VideoReference(course: "c", chapter: "k", video: "x", title: "Other")
        let alone = DownloadError(kind: .providerFailed, message: "plugin odd failed: no")
        #expect(log.lines(for: .downloadFailed(other, error: alone, retryAt: nil), now: Self.now + 1).isEmpty)
        #expect(log.lines(for: .downloadStarted(other, resumeFrom: 0), now: Self.now + 1.9).isEmpty)
        #expect(
            log.lines(for: .downloadStarted(other, resumeFrom: 0), now: Self.now + 2).map(\.text) == [
                """
                failed    30 videos: plugin bad doesn't work: it ended with exit code 1; check the plugin: \
                coursefetch plugins check FOLDER
                """
            ])
        #expect(
            log.lines(for: .finished(SyncSummary()), now: Self.now + 2).map(\.text) == [
                """
                failed    c/k/x  Other: plugin odd failed: no; check the plugin: coursefetch plugins check FOLDER
                """
            ])
    }

    @Test("a provider mentioned by a failed video isn't a separate error")
    func brokenOnce() {
        var summary = SyncSummary(
            errors: [.refusal(.provider(.broken("bad", reason: "it ended")))],
            failures: [
                (
                    VideoReference(course: "c", chapter: nil, video: "v", title: "T"),
                    DownloadError(kind: .providerFailed, message: "plugin bad doesn't work: it ended")
                )
            ])
        #expect(SummaryText.errors(summary) == [])
        summary.failures = []
        #expect(SummaryText.errors(summary).count == 1)
    }

    private static var leftAlone: SyncSummary {
        var summary = SyncSummary(downloads: [.waiting: 3], conditions: [.workLeft])
        summary.leftAlone = [
            ServerCooldown(provider: "feed", server: "https://a.example:8443", until: now, seconds: 7200, videos: 2),
            ServerCooldown(server: "http://h:81", until: now, seconds: 41, videos: 1),
            ServerCooldown(provider: "p", server: nil, until: now, seconds: 5, videos: 1),
        ]
        return summary
    }

    @Test(
        "the exit line names what happened",
        arguments: [
            (SyncSummary(), nil),
            (SyncSummary(downloads: [.failed: 1], conditions: [.downloadsFailed]), "exit code 1: 1 video failed"),
            (
                SyncSummary(
                    downloads: [.waiting: 2, .suspended: 1], conditions: [.workLeft], stopReason: .window),
                "exit code 75: stopped at the end of the time window; 3 videos left for the next sync"
            ),
            (
                SyncSummary(
                    downloads: [.failed: 30], conditions: [.providerBroken, .downloadsFailed],
                    errors: [.refusal(.provider(.broken("bad", reason: "it ended")))]),
                "exit code 69: provider bad doesn't work; 30 videos failed"
            ),
            (SyncSummary(conditions: [.stateUnusable], stopReason: .disk), "exit code 73: too little free disk space"),
            (SyncSummary(conditions: [.bug]), "exit code 70: a bug in coursefetch"),
            (
                leftAlone,
                "exit code 75: 3 videos left for the next sync; feed at a.example:8443 is left alone for another 2h00m; h:81 is left alone for another 41s; 1 other server, too"
            ),
        ] as [(SyncSummary, String?)])
    func exitLine(summary: SyncSummary, text: String?) { #expect(ExitText.line(summary) == text) }

    @Test("beside the live view only results")
    func besideLive() {
        let lines = Self.lines(PlainLog(isQuiet: false, hidesDiagnostics: true, zone: .gmt))
        #expect(lines.count == 4 && lines.allSatisfy { $0.stream == .output })
    }

    @Test("the summary is one line")
    func summary() {
        #expect(SummaryText.line(SyncSummary()) == "nothing done")
        #expect(SummaryText.line(SyncSummary(downloads: [.finished: 1234])) == "nothing new: 1,234 videos finished")
        #expect(
            SummaryText.line(
                SyncSummary(
                    downloads: [.finished: 12, .failed: 3, .waiting: 2, .paused: 1], finishedNow: 12, failedNow: 1,
                    bytes: 1_288_490_189, seconds: 130))
                == "12 videos finished (1.20 GiB in 2m10s), 1 failed; now 2 waiting, 1 paused; 2 failed earlier")
        #expect(
            SummaryText.line(
                SyncSummary(downloads: [.finished: 1, .failed: 1], finishedNow: 1, failedNow: 1, seconds: 2))
                == "1 video finished (in 2s), 1 failed")
    }

    @Test("moves and removals count as work, and the state afterwards is reported")
    func movedAndRemoved() {
        func line(_ downloads: [DownloadState: Int], moved: Int = 0, removed: Int = 0, finished: Int = 0) -> String {
            var summary = SyncSummary(downloads: downloads, finishedNow: finished, seconds: 2)
            summary.movedNow = moved
            summary.removedNow = removed
            return SummaryText.line(summary)
        }
        #expect(line([.finished: 8], moved: 8) == "8 moved; all 8 videos are there")
        #expect(line([.finished: 1], moved: 1) == "1 moved; the only video is there")
        #expect(line([.finished: 1234], removed: 6) == "6 removed; all 1,234 videos are there")
        #expect(line([:], removed: 6) == "6 removed")
        #expect(line([.finished: 8, .paused: 2], moved: 8, removed: 1) == "8 moved, 1 removed; now 2 paused")
        #expect(
            line([.finished: 10], moved: 8, finished: 2)
                == "2 videos finished (in 2s), 8 moved; all 10 videos are there")
        var stopped = SyncSummary(downloads: [.waiting: 1], conditions: [.workLeft], stopReason: .signal)
        stopped.movedNow = 3
        #expect(
            SummaryText.line(stopped)
                == "stopped by Ctrl-C or a signal: 3 moved, no video finished yet; now 1 waiting")
    }

    @Test(
        "the summary says what ended the run early, and what arrived",
        arguments: [
            (.logout, "stopped by a logout"), (.signal, "stopped by Ctrl-C or a signal"),
            (.window, "stopped at the end of the time window"), (.quota, "stopped when --max-transfer was used up"),
            (.disk, "stopped because of too little free disk space"),
        ] as [(SuspendReason, String)])
    func stopped(_ reason: SuspendReason, _ text: String) {
        var summary = SyncSummary(
            downloads: [.waiting: 6, .suspended: 3], bytes: 3_565_158, conditions: [.workLeft], stopReason: reason)
        #expect(
            SummaryText.line(summary)
                == "\(text): 3.40 MiB received, no video finished yet; now 6 waiting, 3 stopped")
        summary.downloads[.finished] = 1
        summary.finishedNow = 1
        #expect(
            SummaryText.line(summary)
                == "\(text): 1 video finished (3.40 MiB in 0s); now 6 waiting, 3 stopped")
        // A window that closed when all was done has stopped nothing.
        summary = SyncSummary(downloads: [.finished: 2], stopReason: .window)
        #expect(SummaryText.line(summary) == "nothing new: 2 videos finished")
    }

    @Test("after a logout it says how to continue; an old failure has a pointer to its details")
    func remedies() {
        let summary = SyncSummary(
            downloads: [.failed: 2], failedNow: 1, conditions: [.workLeft], stopReason: .logout)
        #expect(
            Self.asBob { SummaryText.remedies(summary) } == [
                "to continue: coursefetch login --user bob", "for details: coursefetch status --failed --user bob",
            ])
        #expect(SummaryText.remedies(SyncSummary(downloads: [.failed: 1], failedNow: 1)) == [])
    }

    @Test("and the advice on what to do about it")
    func advice() {
        #expect(SummaryText.advice(SyncSummary()) == [])
        #expect(
            SummaryText.advice(
                SyncSummary(conditions: [.loginNeeded, .workLeft], fromOtherSource: 2, providersToLogIn: ["b", "a"]))
                == [
                    "videos of provider a wait for a login: coursefetch login --provider a",
                    "videos of provider b wait for a login: coursefetch login --provider b",
                    "2 finished files come from another source than the catalog names now; the files stay",
                    "exit code 77: a and b want a login",
                ])
        #expect(
            Self.asBob { SummaryText.advice(SyncSummary(providersToLogIn: ["a"])) }
                == ["videos of provider a wait for a login: coursefetch login --provider a --user bob"])
        var unlisted = SyncSummary(providersToLogIn: ["a", "b"])
        unlisted.coursesToLogIn = ["a": 1, "b": 2]
        unlisted.providersOfCoursesOnly = ["b"]
        #expect(
            SummaryText.advice(unlisted) == [
                "videos of provider a, and the listing of 1 course, wait for a login: coursefetch login --provider a",
                "2 courses of provider b couldn't be listed without a login: coursefetch login --provider b",
            ])
    }

    @Test("located errors come with their source line, others stand for themselves")
    func errors() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "version: 1\ncourse: []\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(
            SummaryText.errors([
                .mistake(LocatedMessage(file: file, line: 2, column: 1, message: "unknown key")),
                .mistake(LocatedMessage(file: "gone.yaml", line: nil, column: nil, message: "no such file")),
                .refusal(.input("the library isn't mounted;\nmount it")),
            ]) == [
                "\(file):2:1: error: unknown key\n    course: []\n    ^", "gone.yaml: error: no such file",
                "error: the library isn't mounted;\nmount it",
            ])
    }

    @Test(
        "who reads the events",
        arguments: [
            // progress, quiet, json, stdout is a terminal, stderr is a terminal; live, results
            (nil, false, false, true, true, true, false), (nil, false, false, false, true, true, true),
            (nil, false, false, false, false, false, true), (nil, true, false, true, true, false, true),
            (nil, false, true, false, true, false, false), (true, false, true, false, true, true, false),
            (false, false, false, true, true, false, true), (true, false, false, false, false, false, true),
        ] as [(Bool?, Bool, Bool, Bool, Bool, Bool, Bool)])
    func readers(
        progress: Bool?, quiet: Bool, json: Bool, outputIsTerminal: Bool, errorIsTerminal: Bool, isLive: Bool,
        hasResults: Bool
    ) {
        let choice = RunReaders.Choice(
            progress: progress, quiet: quiet, json: json, outputIsTerminal: outputIsTerminal,
            errorIsTerminal: errorIsTerminal, canMoveCursor: true)
        #expect(choice.isLive == isLive && choice.hasResults == hasResults && choice.isJSON == json)
    }
}
