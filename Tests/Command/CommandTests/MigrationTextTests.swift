import ArgumentParser
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import MigrationSources
import SyncFacts
import SystemPackage
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Migration
@testable import Terminal

@Suite("The text of migrate")
struct MigrationTextTests {
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let video = VideoReference(course: "c", chapter: "k", video: "v", title: "Title")
    private static let address = "https://anna:pw-geheim@h.example/a/b.mp4?token=t-geheim#f-geheim"
    private static let formats: [FormatFault] = [
        .foreign, .truncated, .malformed, .tooDeep, .tooLarge, .notText, .line(3),
    ]
    private static let sources: [SourceProblem] =
        [
            .missing(path: address), .unreadable(path: address, errno: 13), .notAFolder(path: address),
            .notAFile(path: address), .missingField(path: address, "path"),
            .nothingFound(path: address, expected: ["a.db", "b.db"]), .nothingFound(path: address, expected: []),
        ] + formats.map { .badFormat(path: address, $0) }
    private static let reasons: [MigrationReason] =
        [
            .fault(.missing(field: "url")), .fault(.wrongType(field: "url")), .fault(.unknownValue(field: "state")),
            .fault(.badPath(address)), .fault(.badPath("")), .fault(.unreadable(path: address, nil)), .fault(.repeated),
            .hold(.preparing), .hold(.ofUser(address)), .hold(.unnamed), .noVideo, .ambiguous, .badMapEntry(address),
            .courseHeld, .cancelled, .missingFile(address), .wrongSize(found: 1, expected: 2), .wrongChecksum,
            .otherBytes, .sameVideo, .hasMore, .partial(bytes: 0), .partial(bytes: 9), .otherFileSystem,
            .library(.system(.write, path: "/l/a", .noSpace)), .library(.notAFolder(path: "/l")),
        ] + formats.map { .fault(.unreadable(path: "a", $0)) } + sources.map { .source($0) }

    private static func record(
        _ name: String, _ code: MigrationCode, _ reason: MigrationReason? = nil, of video: VideoReference? = nil,
        bytes: Int64 = 0, queued: Bool = false, earlier: Bool = false
    ) -> MigratedRecord {
        var record = MigratedRecord(name: name, code: code, reason: reason)
        record.reference = video
        record.bytes = bytes
        record.isQueued = queued
        record.isEarlier = earlier
        return record
    }

    private static func summary(_ records: [MigratedRecord]) -> MigrationSummary {
        var summary = MigrationSummary()
        for record in records { summary.counts[record.code, default: 0] += 1 }
        summary.earlier = records.count(where: \.isEarlier)
        summary.queued = records.count { $0.isQueued && !$0.isEarlier }
        if summary.left > 0 { summary.conditions = [.workLeft] }
        return summary
    }

    private static let command = ["migrate", "aria2", "/old stuff", "--catalog=my catalog.yaml", "--link"]

    private static func text(_ records: [MigratedRecord], isDryRun: Bool = false, command: [String] = command)
        -> String
    {
        var summary = summary(records)
        summary.isDryRun = isDryRun
        return text(records, summary, command: command)
    }

    private static func text(
        _ records: [MigratedRecord], _ summary: MigrationSummary, command: [String] = command
    ) -> String {
        var text = MigrationText(
            source: "/old stuff", command: command, isDryRun: summary.isDryRun,
            style: TerminalStyle(hasColor: false, hasUnicode: true))
        let lines = records.compactMap { text.line($0) }
        return (lines + text.summary(summary) + [text.last(summary, exit: ExitStatus(summary.conditions))])
            .joined(separator: "\n")
    }

    // MARK: words

    @Test("every reason has a sentence, a heading and a name of its own, and none of them shows a secret")
    func reasons() {
        var words: Set<String> = []
        for reason in Self.reasons {
            words.insert(reason.word)
            #expect(reason.word.wholeMatch(of: /[a-z_]+/) != nil, "\(reason.word)")
            #expect(!reason.heading.contains("geheim") && reason.heading.count > 10, "\(reason.heading)")
            for code in MigrationCode.allCases {
                for reference in [nil, Self.video] {
                    let record = Self.record(Self.address, code, reason, of: reference)
                    #expect((record.message ?? "").split(separator: " ").count >= 3, "\(reason)")
                    #expect(record.problem?.hasSuffix(".") == false)
                    #expect(code.isIn || record.remedy != nil, "\(reason)")
                    let shown = Self.text([record])
                    #expect(!shown.contains("geheim"), "\(shown)")
                    let json = String(decoding: MigrationJSON.line(record, now: Self.now), as: UTF8.self)
                    #expect(!json.contains("geheim"), "\(json)")
                }
            }
        }
        #expect(words.count == 24)
    }

    @Test("what isn't in has a sentence without a reason, too; what is in needs none")
    func codes() {
        for code in MigrationCode.allCases {
            let record = Self.record("a", code)
            #expect((record.message == nil) == code.isIn, "\(code)")
            #expect((record.remedy == nil) == code.isIn, "\(code)")
        }
    }

    @Test(
        "every problem of a source or a map has a sentence without secrets, and the code of what can't be read or used")
    func problems() {
        for problem in Self.sources {
            var summary = MigrationSummary()
            for whole in [MigrationProblem.source(problem), .map(problem)] {
                summary.problem = whole
                let text = MigrationText.problem(summary).joined(separator: "\n")
                #expect(text.hasPrefix("error: ") && text.count > 25 && !text.contains("geheim"), "\(text)")
            }
        }
        #expect(MigrationProblem.source(.missing(path: "/a")).message == "there is no file or folder /a")
        #expect(
            MigrationProblem.map(.badFormat(path: "m.yaml", .line(3))).message
                == "m.yaml:3: a map has lines such as 'name: course/video' (in CSV: name,course/video), and each name once"
        )
        #expect(
            MigrationProblem.source(.nothingFound(path: "/a", expected: ["x.db", "y.db"])).message
                == "/a has nothing of this kind: there is no x.db or y.db; is it the right folder, and the right kind?")
        #expect(
            MigrationProblem.source(.unreadable(path: "a b", errno: 13)).message
                == "can't read 'a b': Permission denied")
        #expect(MigrationProblem.refused(.held(nil)).message == Refusal.held(nil).message)
        #expect(ExitStatus([MigrationProblem.overlapping.condition]) == .usage)
        #expect(ExitStatus([MigrationProblem.map(.missing(path: "a")).condition]) == .unreadableCatalog)
        #expect(ExitStatus([MigrationProblem.source(.notAFile(path: "a")).condition]) == .invalidCatalog)
    }

    @Test("nothing from a source controls the terminal")
    func terminal() {
        let evil = "a\u{1B}]0;x\u{7}\u{202E}b\nc"
        let text = Self.text([
            Self.record(evil, .invalidRecord, .fault(.badPath(evil))),
            Self.record(evil, .notReady, .hold(.ofUser(evil))),
            Self.record(String(repeating: "x", count: 9000), .notReady, .noVideo),
        ])
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{202E}"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 300 })
    }

    // MARK: situations

    @Test("a first run: what isn't simply in, the sums, what is left with its next step, and the code")
    func first() {
        #expect(
            Self.text([
                Self.record("a.mp4", .added, of: Self.video, bytes: 3 << 20),
                Self.record("b.mp4", .added, bytes: 1 << 20),
                Self.record("c.mp4", .duplicate), Self.record("d.mp4", .notReady, .noVideo),
                Self.record("e.mp4", .notReady, .noVideo), Self.record("f.mp4", .uncompleted, of: Self.video),
                Self.record("g.mp4", .notReady, .cancelled, of: Self.video),
                Self.record("h.mp4", .failed, .otherFileSystem, of: Self.video),
                Self.record("i.mp4", .fileLost, .missingFile("x/i.mp4"), of: Self.video),
            ]) == """
                not_ready       d.mp4: no catalog has it
                not_ready       e.mp4: no catalog has it
                uncompleted     f.mp4 (c/k/v): the other downloader hadn't finished it
                not_ready       g.mp4 (c/k/v): you have cancelled this video; coursefetch retry c/k/v takes it back
                failed          h.mp4 (c/k/v): --link can't reach another disk
                file_lost       i.mp4 (c/k/v): its file 'x/i.mp4' isn't in the source
                2 files taken over (4.00 MiB), 1 in the library already
                6 of 9 records left:
                  2  not_ready: no catalog has it; name their videos in --map FILE, or write a catalog of the videos that no catalog has:
                       coursefetch migrate aria2 '/old stuff' --catalog='my catalog.yaml' --link --write-catalog migrated.yaml
                  1  uncompleted: the other downloader hadn't finished it; to queue it for the next sync:
                       coursefetch migrate aria2 '/old stuff' --catalog='my catalog.yaml' --link --requeue
                  1  not_ready: you have cancelled this video; to take it back:
                       coursefetch retry c/k/v
                  1  failed: --link can't reach another disk; to copy:
                       coursefetch migrate aria2 '/old stuff' --catalog='my catalog.yaml' --copy
                  1  file_lost: the file isn't in the source; to queue it for the next sync:
                       coursefetch migrate aria2 '/old stuff' --catalog='my catalog.yaml' --link --requeue
                exit code 75: 6 of 9 records left; do the above, then run it again
                """)
    }

    @Test("a second run says that nothing is left and nothing was changed")
    func second() {
        let records = [
            Self.record("a.mp4", .added, of: Self.video, earlier: true),
            Self.record("b.mp4", .duplicate, earlier: true),
            Self.record("c.mp4", .added, of: Self.video, queued: true, earlier: true),
        ]
        #expect(Self.text(records) == "nothing is left: all 3 records are in; nothing was changed")
        #expect(Self.text([]) == "'/old stuff' has no records; nothing was changed")
    }

    @Test("with --requeue it says what is queued, why, and what is kept of it")
    func requeued() {
        let records = [
            Self.record("a.mp4", .added, .partial(bytes: 2 << 20), of: Self.video, bytes: 2 << 20, queued: true),
            Self.record("b.mp4", .added, .wrongSize(found: 5, expected: 1234), of: Self.video, queued: true),
            Self.record("c.mp4", .added, of: Self.video, queued: true),
        ]
        #expect(
            Self.text(records) == """
                added           a.mp4 (c/k/v): 2.00 MiB are kept until the next sync has compared them with the server
                added           b.mp4 (c/k/v): its file has 5 bytes instead of 1,234; it is queued for the next sync
                3 videos queued for the next sync
                nothing is left: all 3 records are in
                """)
    }

    @Test("a dry run has a line for each record, and says would")
    func dryRun() {
        var added = Self.record("a.mp4", .added, of: Self.video, bytes: 3 << 20)
        added.path = "C/a"
        let records =
            [added, Self.record("b.mp4", .added, of: Self.video, bytes: 1 << 20, queued: true)]
            + (1...22).map { Self.record("\($0).mp4", .notReady, .noVideo) }
        let command = ["migrate", "aria2", "/old stuff", "--dry-run", "--json", "--map", "m.yaml"]
        let lines = Self.text(records, isDryRun: true, command: command).split(separator: "\n").map(String.init)
        #expect(
            Array(lines.prefix(3)) == [
                "would add       a.mp4 (c/k/v), 3.00 MiB -> C/a", "would queue     b.mp4 (c/k/v), 1.00 MiB",
                "not_ready       1.mp4: no catalog has it",
            ])
        #expect(lines[23] == "not_ready       22.mp4: no catalog has it")
        #expect(
            lines.dropFirst(24).joined(separator: "\n") == """
                1 file would be taken over (3.00 MiB), 1 video would be queued for the next sync
                22 of 24 records would be left:
                  22  not_ready: no catalog has it; name their videos in --map FILE, or write a catalog of the videos that no catalog has:
                        coursefetch migrate aria2 '/old stuff' --map m.yaml --write-catalog migrated.yaml
                exit code 75: 22 of 24 records would be left; nothing was changed
                """)
    }

    @Test("many records with one reason have twenty lines and a number")
    func many() {
        let text = Self.text((1...2000).map { Self.record("\($0).mp4", .uncompleted, of: Self.video) })
        let lines = text.split(separator: "\n")
        #expect(lines.count == 25)
        #expect(lines[19] == "uncompleted     20.mp4 (c/k/v): the other downloader hadn't finished it")
        #expect(lines[20] == "…               and 1,980 more: the other downloader hadn't finished it")
        #expect(lines[21] == "2,000 of 2,000 records left:")
    }

    @Test("a stop, a full disk, a catalog, unused entries of the map and the removal are told")
    func rest() {
        let records = [Self.record("a.mp4", .added, bytes: 1)]
        var summary = Self.summary(records)
        summary.writtenCatalog = ("my new.yaml", 2)
        summary.unusedMapEntries = ["x", "https://h/a?token=t-geheim"]
        summary.hasUnreadNames = true
        summary.removal = .removed(files: 3, left: 1)
        #expect(
            Self.text(records, summary) == """
                1 file taken over (1 B)
                the catalog 'my new.yaml' has 2 videos; look through it, then: coursefetch sync 'my new.yaml'
                2 entries of the map fit no record: 'x' and 'https://h/a?…'
                names in the source that aren't UTF-8, and folders beyond 32 levels, were left out
                3 files of '/old stuff' removed; 1 other file is still there
                nothing is left: the only record is in
                """)
        summary = Self.summary(records)
        summary.removal = .kept(.missing("b.mp4"))
        summary.conditions = [.workLeft]
        #expect(
            Self.text(records, summary) == """
                1 file taken over (1 B)
                '/old stuff' stays: the library's file of 'b.mp4' is missing or has changed; coursefetch verify --repair, sync, then run it again
                exit code 75: all records are in, but the source wasn't removed
                """)
        summary.removal = .kept(.incomplete)
        summary.isStopped = true
        #expect(
            Self.text(records, summary) == """
                1 file taken over (1 B)
                '/old stuff' stays: it is removed only when all records are in
                exit code 75: stopped; run it again for the rest
                """)
        summary = Self.summary(records)
        summary.isDiskFull = true
        summary.conditions = [.stateUnusable, .workLeft]
        #expect(
            Self.text(records, summary).hasSuffix(
                "\nexit code 73: the disk of the library is full; make room, and run it again for the rest"
            ))
        summary.removal = .failed(path: "/old stuff/a", errno: 13)
        #expect(
            Self.text(records, summary).contains(
                "\n'/old stuff/a' can't be removed: Permission denied; the rest stays\n"))
    }

    @Test("a catalog that was written and can't be used isn't recommended")
    func refusedCatalog() {
        var summary = MigrationSummary()
        summary.writtenCatalog = ("new.yaml", 2)
        summary.mistakes = [.refusal(.input("m"))]
        summary.conditions = [.invalidCatalog]
        #expect(
            Self.text([], summary) == """
                the catalog new.yaml was written, with 2 videos
                exit code 65: a catalog is invalid
                """)
        #expect(MigrationText.problem(summary) == ["error: m"])
    }

    @Test("the progress line has records, bytes, speed and time left, and fits")
    func progress() {
        var text = MigrationProgressText()
        let start = Date(timeIntervalSince1970: 1000)
        func line(_ records: Int, _ mebibytes: Int64, _ seconds: Double, columns: Int = 80) -> String {
            var progress = MigrationProgress()
            (progress.records, progress.allRecords, progress.bytes) = (records, 1234, mebibytes << 20)
            return text.line(progress, columns: columns, now: start.addingTimeInterval(seconds))
        }
        #expect(line(0, 0, 0) == " 0 of 1,234 records")
        #expect(line(100, 10, 2) == " 100 of 1,234 records, 10.0 MiB copied, 5.00 MiB/s")
        #expect(line(617, 60, 20).hasSuffix(", 20s left"))
        #expect(DisplayWidth.of(line(618, 61, 21, columns: 20)) <= 20)
    }

    @Test("it says for whom it waits")
    func waiting() {
        #expect(
            MigrationText.waiting(
                nil, until: Self.now.addingTimeInterval(30), now: Self.now, zone: .gmt,
                style: TerminalStyle(hasColor: false, hasUnicode: true))
                == "waiting   for another sync of this user, for 30 s at most")
    }

    // MARK: JSON

    @Test("a record and the end are one object each")
    func json() {
        var record = Self.record(
            "https://h/a?token=x", .added, .partial(bytes: 5), of: Self.video, bytes: 5, queued: true)
        record.path = "C/a.mp4"
        #expect(
            String(decoding: MigrationJSON.line(record, now: Self.now), as: UTF8.self)
                == #"{"event":"record_migrated","time":"2026-11-20T23:00:00Z","record":"https://h/a?…","result":"added","course":"c","chapter":"k","video":"v","title":"Title","selector":"c/k/v","path":"C/a.mp4","bytes":5,"queued":true,"earlier":false,"reason":"partial","message":"5 B are kept until the next sync has compared them with the server"}"#
                + "\n")
        var summary = Self.summary([record, Self.record("b", .failed)])
        summary.problem = .source(.missing(path: "/a"))
        #expect(
            String(decoding: MigrationJSON.summary(summary, exit: .workLeft, now: Self.now), as: UTF8.self)
                == #"{"event":"migrate_finished","time":"2026-11-20T23:00:00Z","exit":75,"results":{"added":1,"duplicate":0,"invalid_record":0,"uncompleted":0,"file_lost":0,"not_ready":0,"failed":1},"left":1,"earlier":0,"queued":1,"bytes":0,"catalog":null,"source_removed":false,"dry_run":false,"complete":false,"message":"there is no file or folder /a","errors":[]}"#
                + "\n")
    }

    /// Every reason, code and end, for the schema.
    static var lines: [[UInt8]] {
        var ends = [MigrationSummary(), summary([record("a", .added)])]
        ends[1].writtenCatalog = ("a.yaml", 1)
        ends[1].removal = .removed(files: 1, left: 0)
        ends[0].problem = .overlapping
        return reasons.map { MigrationJSON.line(record("a", .failed, $0), now: now) }
            + MigrationCode.allCases.map { MigrationJSON.line(record("a", $0, of: video, bytes: 3), now: now) }
            + ends.map { MigrationJSON.summary($0, exit: .success, now: now) }
    }
}
