import DownloadStore
import Foundation
import Operations
import RunAccess
import SyncFacts
import Testing
import YAMLSource

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Terminal

@Suite("Output of the commands")
struct ReportTests {
    static let now = Date(timeIntervalSince1970: 1_795_215_600)

    static func video(_ course: String, _ chapter: String?, _ id: String, _ title: String) -> VideoReference {
        VideoReference(course: course, chapter: chapter, video: id, title: title)
    }

    private static func row(
        _ reference: VideoReference, _ state: DownloadState, reason: SuspendReason? = nil, bytes: Int64 = 0,
        size: Int64? = nil, rate: Int64? = nil, error: DownloadError? = nil, retryAt: Date? = nil, gone: Bool = false
    ) -> StatusRow {
        StatusRow(
            reference: reference, courseTitle: reference.course == "phys101" ? "Classical Mechanics" : reference.course,
            chapterTitle: reference.chapter.map { $0.capitalized }, state: state, reason: reason, bytes: bytes,
            size: size,
            bytesPerSecond: rate, error: error, retryAt: retryAt, updatedAt: now, provider: "direct", file: "c.yaml",
            gone: gone)
    }

    private static let report = {
        var report = plain
        report.diskBytes["phys101"] = 6_396_314
        return report
    }()

    private static let plain = StatusReport(
        user: "alice", library: "/l", running: RunningSync(pid: 42, host: "desk", since: now),
        rows: [
            row(video("phys101", "kin", "v1", "Position"), .finished, bytes: 5_242_880, size: 5_242_880),
            row(video("phys101", "kin", "v 2", "Velocity"), .active, bytes: 1_048_576, size: 2_097_152, rate: 524_288),
            row(
                video("phys101", "dyn", "v3", "Newton"), .failed, bytes: 10,
                error: DownloadError(kind: .drm, message: "encrypted for a player")),
            row(video("zoo", nil, "v4", "v4"), .waiting), row(video("zoo", nil, "v5", "Apes"), .paused),
            row(
                video("zoo", nil, "v6", "Bats"), .waiting, error: DownloadError(kind: .notReady, message: "upcoming"),
                retryAt: now.addingTimeInterval(3600)),
        ], fromOtherSource: 1)

    private static let plainStyle = TerminalStyle(hasColor: false, hasUnicode: true)
    private static let table = StatusTable(form: .init(style: plainStyle, width: 80), zone: .gmt)

    @Test("status without a selector lists downloads that need attention and counts the rest")
    func overview() {
        #expect(
            Self.table.lines(Self.report, selection: nil, now: Self.now).joined(separator: "\n") == """
                user alice, library /l
                syncing since 23:00 (process 42 on desk)

                phys101  Classical Mechanics                                     1 of 3 finished
                                            1 left (1.00 MiB, 2s at 512 KiB/s), 6.10 MiB on disk
                  phys101/kin  Kin           1 of 2 finished, 1 left (1.00 MiB, 2s at 512 KiB/s)
                    active     phys101/kin/v%202  1.00 MiB of 2.00 MiB, 512 KiB/s, 2s left
                  phys101/dyn  Dyn                                         0 of 1 finished, 10 B
                    failed     phys101/dyn/v3  Newton  10 B
                               encrypted for a player
                               remove it from the catalog: coursefetch can't download
                               DRM-protected videos

                zoo                                                      0 of 3 finished, 2 left
                    paused     'zoo/*/v5'  Apes
                    waiting    'zoo/*/v6'  Bats  next try after 21 Nov 00:00
                               upcoming

                6 videos: 1 finished, 1 active, 2 waiting, 1 paused, 1 failed
                3 left (at least 1.00 MiB, 16s at 512 KiB/s), 6.10 MiB on disk
                1 finished file comes from another source than the catalog names now; the files stay.
                """)
    }

    @Test("the reason of a wait or stop is in words")
    func reasons() {
        func line(_ reason: SuspendReason) -> String? {
            var report = StatusReport(user: "alice", library: nil, running: nil, rows: [])
            report.rows = [Self.row(Self.video("c", nil, "v", "v"), .suspended, reason: reason)]
            return Self.table.lines(report, selection: nil, now: Self.now).first { $0.contains("c/*/v") }
        }
        #expect(line(.auth) == "    stopped    'c/*/v'  waits for a login at direct")
        #expect(line(.window) == "    stopped    'c/*/v'  stopped at 23:00")
        #expect(line(.signal) == "    stopped    'c/*/v'  stopped by Ctrl-C or a signal")
        #expect(line(.disk) == "    stopped    'c/*/v'  stopped because of too little free disk space")
        #expect(line(.interrupted) == "    stopped    'c/*/v'  interrupted by a crash or a kill")
    }

    @Test("cancelled downloads are listed; nothing is promised for downloads that are gone")
    func cancelledAndGone() {
        let error = DownloadError(kind: .notFound, message: "no such video")
        var report = StatusReport(user: "alice", library: "/l", running: nil, rows: [])
        report.rows = [
            Self.row(Self.video("zoo", "a", "v1", "Apes"), .cancelled),
            Self.row(Self.video("zoo", "a", "v2", "Bats"), .failed, error: error, gone: true),
        ]
        let lines = Self.table.lines(report, selection: Selection(), now: Self.now)
        #expect(lines.contains { $0.contains("cancelled") && $0.contains("zoo/a/v1") })
        #expect(!lines.contains { $0.contains("next try") || $0.contains("coursefetch resolve") })
    }

    @Test("downloads gone from their catalog are one line with the command; a selection lists them")
    func gone() throws {
        var report = StatusReport(user: "alice", library: nil, running: nil, rows: [])
        report.rows = [
            Self.row(Self.video("c", nil, "a", "A"), .finished, bytes: 1024, size: 1024),
            Self.row(Self.video("c", nil, "b", "B"), .finished, bytes: 2048, size: 2048, gone: true),
            Self.row(Self.video("c", nil, "d", "D"), .failed, gone: true),
        ]
        report.onlyCatalog = "c.yaml"
        let lines = Self.table.lines(report, selection: nil, now: Self.now)
        #expect(!lines.contains { $0.contains("c/*/") })
        #expect(
            lines.last == """
                2 videos are no longer in the catalogs (1 file, 2.00 KiB); to remove them: coursefetch sync c.yaml --prune \
                --max-delete 2
                """)
        #expect(lines.contains("1 video: 1 finished"))
        let all = Self.table.lines(report, selection: Selection(), now: Self.now)
        #expect(all.contains { $0.contains("'c/*/b'") && $0.hasSuffix("no longer listed") })
    }

    @Test("in a pipe nothing is cut or broken; bars are drawn only on a terminal")
    func forms() {
        let pipe = StatusTable(form: .init(style: Self.plainStyle, width: nil), zone: .gmt)
        let lines = pipe.lines(Self.report, selection: nil, now: Self.now)
        #expect(
            lines.contains(
                "phys101  Classical Mechanics  1 of 3 finished, 1 left (1.00 MiB, 2s at 512 KiB/s), 6.10 MiB on disk"))
        #expect(
            lines.contains(
                "               remove it from the catalog: coursefetch can't download DRM-protected videos"))
        let watch = StatusTable(form: .init(style: Self.plainStyle, width: 100, hasBars: true), zone: .gmt)
        let watched = watch.lines(Self.report, selection: nil, now: Self.now)
        #expect(watched.contains { $0.hasPrefix("    active     ━━━━━━────── 50%  phys101/kin/v%202  ") })
    }

    @Test("an overview of very many videos names courses, and only chapters with something to show")
    func many() {
        var report = StatusReport(user: "alice", library: nil, running: nil, rows: [])
        report.rows = [
            Self.row(
                Self.video("c7", "k1", "v", "V"), .failed, error: DownloadError(kind: .gone, message: "deleted"))
        ]
        report.groups = (0..<50).flatMap { course in
            (0..<2).map { chapter in
                var group = StatusGroup(
                    course: "c\(course)", courseTitle: "Course \(course)", chapter: "k\(chapter)", chapterTitle: nil)
                group.totals = StatusTotals([
                    Self.row(Self.video("c\(course)", "k\(chapter)", "x", "X"), .finished, bytes: 1, size: 1)
                ])
                return group
            }
        }
        report.hiddenRows = 1200
        let lines = Self.table.lines(report, selection: nil, now: Self.now)
        #expect(lines.count { $0.hasPrefix("c") } == 50)
        #expect(lines.filter { $0.hasPrefix("  c") }.map { $0.prefix(7) } == ["  c7/k1"])
        #expect(lines.contains("… and 1,200 more: coursefetch status --all"))
        #expect(lines.contains("100 videos: 100 finished"))
    }

    @Test("with a selection every video of it is listed")
    func selection() throws {
        let lines = Self.table.lines(
            Self.report, selection: Selection(selectors: [try Selector("phys101/kin")]), now: Self.now)
        #expect(
            lines.dropFirst(2).dropLast().joined(separator: "\n") == """

                phys101  Classical Mechanics                            1 of 2 selected finished
                                                              1 left (1.00 MiB, 2s at 512 KiB/s)
                  phys101/kin  Kin  1 of 2 selected finished, 1 left (1.00 MiB, 2s at 512 KiB/s)
                    finished   phys101/kin/v1  Position  5.00 MiB
                    active     phys101/kin/v%202  1.00 MiB of 2.00 MiB, 512 KiB/s, 2s left

                2 videos: 1 finished, 1 active
                1 left (1.00 MiB, 2s at 512 KiB/s)
                """)
        #expect(
            Self.table.lines(Self.report, selection: Selection(), now: Self.now).count { $0.contains("zoo/*/v4") } == 1)
    }

    @Test("a logged-out user is told so")
    func loggedOut() {
        var report = Self.report
        report.isLoggedOut = true
        report.loggedOutSince = Self.now.addingTimeInterval(-600)
        #expect(
            Self.table.lines(report, selection: nil, now: Self.now)[2]
                == "logged out since 22:50, so no sync starts; to log in: coursefetch login")
    }

    @Test(
        "the holder of the lock says what it is doing",
        arguments: [
            (.syncing, "syncing since 23:00 (process 42 on desk)"),
            (.watching, "watching since 23:00 (process 42 on desk)"),
            (.waitingForLogin, "a sync waits for a login (process 42 on desk)"),
            (.stopping, "a sync is stopping (process 42 on desk)"),
        ] as [(RunningSync.Activity, String)])
    func running(_ activity: RunningSync.Activity, _ text: String) {
        var report = Self.report
        report.running?.activity = activity
        #expect(Self.table.lines(report, selection: nil, now: Self.now)[1] == text)
    }

    @Test("a missing library is reported at once; commands to paste are for the given user")
    func header() {
        var report = Self.report
        report.isLibraryMissing = true
        let lines = Self.table.lines(report, selection: nil, now: Self.now)
        #expect(lines[1] == "the library /l doesn't exist: no sync starts without it")
        report.rows = [
            Self.row(
                Self.video("p", "k", "v", "V"), .failed, error: DownloadError(kind: .notMedia, message: "a page"))
        ]
        let text = SuggestedCommand.$scoped.withValue(SuggestedCommand.Places(user: "bob")) {
            Self.table.lines(report, selection: nil, now: Self.now).joined(separator: "\n")
        }
        #expect(text.contains("\n               coursefetch resolve c.yaml p/k/v --user bob\n"))
    }

    @Test("on a terminal the table fits: the header and the last line stay, colours end where a line is cut")
    func fitting() {
        let lines = (1...9).map { "\u{1B}[2mline number \($0)\u{1B}[0m" }
        let shown = RedrawnLines.fitting(lines, TerminalSize(columns: 9, rows: 5))
        #expect(
            shown == [
                "\u{1B}[2mline nu…\u{1B}[0m", "\u{1B}[2mline nu…\u{1B}[0m", "… 6 mor…", "\u{1B}[2mline nu…\u{1B}[0m",
            ])
        #expect(RedrawnLines.fitting(["a", "b"], TerminalSize(columns: 80, rows: 24)) == ["a", "b"])
    }

    @Test("bytes of unknown total aren't shown as a fraction")
    func unknownSizes() {
        var report = StatusReport(user: "alice", library: nil, running: nil, rows: [])
        report.rows = [
            Self.row(Self.video("c", nil, "1", "1"), .finished, bytes: 100_000, size: 100_000),
            Self.row(Self.video("c", nil, "2", "2"), .waiting),
        ]
        report.diskBytes["c"] = 100_000
        let lines = Self.table.lines(report, selection: nil, now: Self.now)
        #expect(lines.last == "1 left, 97.7 KiB on disk")
        #expect(!lines.joined().contains("known"))
    }

    @Test("nothing yet")
    func empty() {
        let report = StatusReport(user: "alice", library: nil, running: nil, rows: [])
        #expect(
            Self.table.lines(report, selection: nil, now: Self.now) == [
                "user alice", "no sync is running", "", "No videos yet. To begin: coursefetch sync CATALOG", "",
                "0 videos",
            ])
    }

    @Test("a dry run lists its actions with reasons")
    func dryRun() {
        let first = Self.video("p", "k", "v1", "One")
        let lines = [
            DryRunItem(reference: first, action: .download, why: .new, size: 1_048_576),
            DryRunItem(reference: first, action: .resume(from: 1024), why: .unfinished, size: 2048),
            DryRunItem(reference: first, action: .move(from: "a", to: "b"), why: .renamed, size: nil),
            DryRunItem(reference: first, action: .remove(path: "b\u{1B}"), why: .gone, size: nil),
            DryRunItem(reference: first, action: .keep, why: .goneHeld, size: nil),
            DryRunItem(reference: first, action: .finish, why: .arrived, size: 0),
            DryRunItem(
                reference: first, action: .wait(until: Self.now.addingTimeInterval(3600)),
                why: .putOff(DownloadError(kind: .rateLimited, message: "too many requests", status: 429)), size: nil),
            DryRunItem(
                reference: first, action: .download, why: .notBefore(Self.now.addingTimeInterval(120), or: .notBegun),
                size: nil),
            DryRunItem(
                reference: first, action: .keep,
                why: .failed(DownloadError(kind: .notFound, message: "no such video."), retryAt: nil), size: nil),
            DryRunItem(
                reference: first, action: .keep,
                why: .failed(
                    DownloadError(kind: .network, message: "no route"), retryAt: Self.now.addingTimeInterval(60)),
                size: nil),
            DryRunItem(reference: first, action: .keep, why: .paused, size: nil),
        ]
        #expect(
            lines.map { DryRunText.line($0, now: Self.now, zone: .gmt) } == [
                "download  p/k/v1  One, 1.00 MiB (new)", "resume    p/k/v1  One from 1.00 KiB of 3.00 KiB (unfinished)",
                "move      p/k/v1  One: a -> b (its title, position or layout changed)",
                "remove    p/k/v1  One: b� (no longer listed)",
                "keep      p/k/v1  One (no longer listed, but --max-delete holds it)",
                "finish    p/k/v1  One (all of it had arrived when a sync was killed)",
                "wait      p/k/v1  One until 21 Nov 00:00 (too many requests (HTTP 429))",
                "download  p/k/v1  One (not begun; not before 23:02)",
                "keep      p/k/v1  One (failed: no such video; no sync will try it again by itself)",
                "keep      p/k/v1  One (failed: no route; next try after 23:01)", "keep      p/k/v1  One (paused)",
            ])
        var plan = DryRunPlan()
        plan.items = lines
        #expect(
            DryRunText.summary(plan)
                == "would download 2, resume 1, finish 1, move 1 and remove 1; at least 1.00 MiB to transfer; left alone: "
                + "1 gone, 1 waiting, 2 failed, 1 paused")
        plan.items = [lines[4]]
        plan.summary.downloads = [.finished: 1]
        #expect(DryRunText.summary(plan) == "nothing to do: 1 video up to date; left alone: 1 gone")
        plan.items = []
        #expect(DryRunText.summary(plan) == "nothing to do: 1 video up to date")
        let time = #""time":"2026-11-20T23:00:00Z""#
        let ids = #""course":"p","chapter":"k","video":"v1","title":"One","selector":"p/k/v1""#
        func json(_ index: Int) -> String {
            String(decoding: DryRunText.json(lines[index], now: Self.now, zone: .gmt), as: UTF8.self)
        }
        #expect(
            json(1)
                == #"{"event":"would_resume",\#(time),\#(ids),"why":"unfinished","reason":"unfinished","resume_from":1024,"size":2048}"#
                + "\n")
        #expect(
            json(6)
                == #"{"event":"would_wait",\#(time),\#(ids),"why":"too many requests (HTTP 429)","reason":"put_off","until":"2026-11-21T00:00:00Z","error":{"kind":"rate_limited","message":"too many requests","status":429},"size":null}"#
                + "\n")
        #expect(
            json(8).contains(#""reason":"failed","error":{"kind":"not_found""#) && json(8).contains(#""retry_at":null"#)
        )
    }
}
