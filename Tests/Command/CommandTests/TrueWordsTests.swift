import DownloadStore
import Foundation
import MediaLibrary
import Operations
import RunAccess
import SyncFacts
import SystemPackage
import Testing

@testable import CommandOutput
@testable import SyncDisplay
@testable import Terminal

/// Words that once said what wasn't so.
@Suite("words that are true")
struct TrueWordsTests {
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)

    private static func row(_ id: String, _ state: DownloadState) -> StatusRow {
        StatusRow(
            reference: VideoReference(course: "c", chapter: nil, video: id, title: id), courseTitle: "Course",
            chapterTitle: nil, state: state, size: 9, path: state == .finished ? "c/\(id).mp4" : nil, updatedAt: now,
            provider: "direct", file: "/c.yaml", sha256: nil)
    }

    private static func status(_ report: StatusReport, _ selection: Selection? = nil) -> String {
        StatusTable(
            form: StatusTable.Form(style: TerminalStyle(hasColor: false, hasUnicode: true), width: nil), zone: .gmt
        ).lines(report, selection: selection, now: now).joined(separator: "\n")
    }

    @Test("status doesn't say that all is there where the library isn't")
    func unmounted() {
        var report = StatusReport(user: "anna", library: "/l", running: nil, rows: [Self.row("a", .finished)])
        #expect(!Self.status(report).contains("reached"))
        report.isLibraryAnother = true
        let text = Self.status(report)
        #expect(
            text.contains("/l isn't the library that the state knows: is its disk mounted? No sync starts without it"))
        #expect(text.contains("\nrecorded so; the files can't be reached"))
    }

    @Test("of a selection, status counts what is selected")
    func selected() throws {
        let rows = [Self.row("a", .finished), Self.row("b", .failed)]
        let report = StatusReport(user: "anna", library: "/l", running: nil, rows: rows)
        let selection = Selection(selectors: [try Selector("c/*/b")])
        #expect(Self.status(report, selection).contains("c  Course  0 of 1 selected finished"))
        #expect(Self.status(report).contains("c  Course  1 of 2 finished"))
    }

    @Test("why a course was left unchanged is said once: by the live view, else by the errors of the summary")
    func heldOnce() {
        let held = HeldCourse(course: "c", title: "C", reason: .unreadable("its folder can't be read"))
        let summary = SyncSummary(
            conditions: [.stateUnusable], errors: [.held(held), .refusal(.unexpected("something else"))])
        #expect(SummaryText.errors(summary) == ["error: \(held.message)", "error: something else"])
        #expect(SummaryText.errors(summary, hasLiveView: true) == ["error: something else"])
    }

    @Test("a list of files that can't be written is told with one reason")
    func listNotKept() {
        let text = SyncWarning.listNotKept(.library(.notAFolder(path: ".coursefetch"))).message
        #expect(text == "the library's list of files isn't complete: .coursefetch isn't a folder")
    }

    @Test("the summary is broken at blanks to a terminal's width; a command at its end stays whole")
    func wrapped() {
        func lines(_ text: String) -> [String] { SummaryText.wrapped(text, to: 40) }
        #expect(lines("exit code 75: 3 videos left") == ["exit code 75: 3 videos left"])
        #expect(
            lines("exit code 75: 3 videos left for the next sync; h is left alone for another 1h00m") == [
                "exit code 75: 3 videos left for the next", "sync; h is left alone for another 1h00m",
            ])
        #expect(
            lines(
                "videos of provider p wait for a login, as was said before: coursefetch login --provider p --state /s")
                == [
                    "videos of provider p wait for a login,", "as was said before:",
                    "    coursefetch login --provider p --state /s",
                ])
        #expect(
            lines("2 courses of provider feed wait: coursefetch login --set endpoint=a and coursefetch login --set b")
                == [
                    "2 courses of provider feed wait:", "    coursefetch login --set endpoint=a",
                    "    coursefetch login --set b",
                ])
        let excerpt = "/a/very/long/path/to/a/catalog.yaml:4:15: error: no provider\n  \"provider\": \"x\"\n  ^"
        #expect(lines(excerpt) == [excerpt])
    }

    @Test("a run that left a course unchanged has done nothing, rather than found nothing new")
    func held() {
        var summary = SyncSummary(downloads: [.finished: 45])
        #expect(SummaryText.line(summary) == "nothing new: 45 videos finished")
        summary.errors = [
            .held(HeldCourse(course: "c", title: "C", reason: .unreadable("its folder can't be read")))
        ]
        summary.conditions = [.stateUnusable]
        #expect(SummaryText.line(summary) == "nothing done; 1 course left unchanged")
        summary.movedNow = 3
        #expect(SummaryText.line(summary) == "3 moved; 1 course left unchanged")
    }

    @Test("forgetting a catalog promises files only where there are some")
    func forgotten() {
        var catalog = ForgottenCatalog(file: "/c.yaml", courses: ["c"], downloads: 0)
        #expect(LibraryText.forgotten(catalog) == "forgot /c.yaml: 1 course with 0 videos (c)")
        (catalog.downloads, catalog.files) = (2, 1)
        #expect(
            LibraryText.forgotten(catalog)
                == "forgot /c.yaml: 1 course with 2 videos (c); the files stay until a sync with --prune")
    }

    @Test("a file that can't be removed is named with the reason, and isn't said to be removed, nor changed")
    func notRemoved() {
        func report(_ errno: CInt?) -> SteeringReport {
            let outcome = SteeringOutcome(
                id: DownloadID(rawValue: 1), before: .finished, after: .finished, verdict: .fileNotRemoved,
                obstacle: .init(path: "a/x.mp4", errno: errno))
            let reference = VideoReference(course: "c", chapter: nil, video: "v", title: "V")
            return SteeringReport(items: [.init(reference: reference, outcome: outcome)], isLive: false)
        }
        let failed = report(Errno.readOnlyFileSystem.rawValue)
        let lines = SteeringText.lines(failed, StateTransition.remove)
        #expect(lines.first?.text == "1 couldn't be removed")
        let reason = lines.last?.text ?? ""
        #expect(lines.count == 2 && reason.contains("a/x.mp4") && reason.contains("Read-only file system"))
        #expect(!lines.contains { $0.text.contains("changed") } && lines.last?.isComplaint == true)
        #expect(SteeringText.failures(failed, .remove).count == 1, "it ends with 1")
        #expect(SteeringText.lines(report(nil), StateTransition.remove).last?.text.contains("sync again") == true)
    }

    @Test("what runs already isn't said to start")
    func running() {
        func line(_ before: [DownloadState]) -> String? {
            let items = before.enumerated().map { index, state in
                SteeringReport.Item(
                    reference: VideoReference(course: "c", chapter: nil, video: "v\(index)", title: "V"),
                    outcome: SteeringOutcome(
                        id: DownloadID(rawValue: Int64(index)), before: state, after: state, verdict: .changed),
                    isNamed: true)
            }
            return SteeringText.lines(SteeringReport(items: items, isLive: true), PriorityChange.now).first?.text
        }
        #expect(line([.waiting]) == "1 video starts now, or as soon as its host has room")
        #expect(line([.active]) == "1 video is running already, and goes on")
        #expect(
            line([.waiting, .active, .waiting])
                == "3 videos start now, or as soon as their hosts have room; 1 of them is running already")
    }

    @Test("a run that stays for a resume says so, also with --quiet")
    func paused() {
        for isQuiet in [false, true] {
            var log = PlainLog(isQuiet: isQuiet, zone: .gmt, style: TerminalStyle(hasColor: false, hasUnicode: true))
            let lines = log.lines(for: .resumeWaiting(until: Self.now.addingTimeInterval(600)), now: Self.now)
            #expect(lines.count == 1 && lines[0].text.contains("coursefetch resume --paused: everything is paused"))
        }
    }
}
