import Checkout
import DownloadStore
import Foundation
import Hooks
import Operations
import RunAccess
import SyncFacts
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("JSON output and the published schemas")
struct JSONSchemaTests {
    private static let root = Checkout.path()
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let video = VideoReference(course: "phys101", chapter: "kin", video: "v1", title: "Position")
    private static let failure = DownloadError(kind: .notFound, message: "not there", status: 404)

    /// What Python's jsonschema finds wrong with lines, where no field may stand that the schema doesn't name.
    private static func mistakes(_ schema: String, _ lines: [[UInt8]]) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("lines-\(UUID().uuidString)")
        try Data(lines.joined()).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let ending = try await BuiltProgram.run(
            root + "contrib/check-json", ["--closed", "\(root)docs/schemas/\(schema).schema.json", file.path],
            environment: ProcessInfo.processInfo.environment, folder: root)
        return ending.code == 0 ? "" : ending.output + ending.diagnostics
    }

    @Test("every event of a sync fits")
    func sync() async throws {
        let lines = JSONEventsTests.events.map { JSONEvents.line($0.0, now: Self.now) }
        #expect(try await Self.mistakes("sync", lines) == "")
    }

    @Test("what is left out of an answer about all shards fits")
    func leftOut() async throws {
        let refusal = Refusal.run(.shardLeftOut("2/4", .store(.corrupt(path: "/s", detail: "d"))))
        for schema in ["status", "path", "history", "search"] {
            #expect(try await Self.mistakes(schema, [JSONEvents.leftOut(refusal, now: Self.now)]) == "")
        }
        var report = SteeringReport(items: [], isLive: false)
        report.refusals = [refusal]
        let steered = SteeringText.json(report, "retry", exit: .stateUnusable, now: Self.now)
        #expect(try await Self.mistakes("changes", [steered]) == "")
        var verification = Verification(progress: VerificationProgress(files: 0, allFiles: 0, bytes: 0, allBytes: 0))
        verification.leftOut = [refusal]
        #expect(ExitStatus(verification.conditions) == .stateUnusable)
        let verified = VerifyJSON.summary(verification, exit: .stateUnusable, now: Self.now)
        #expect(try await Self.mistakes("verify", [verified]) == "")
        #expect(String(decoding: verified, as: UTF8.self).contains(#""left_out":[{"shard":"2/4","exit":73,"#))
    }

    @Test("what history tells of a run fits, however it ended")
    func history() async throws {
        var lines = HistoryTextTests.runs.map(HistoryText.json)
        var run = HistoryTextTests.run(7)
        run.shard = "2/4"
        lines.append(HistoryText.json(run))
        #expect(try await Self.mistakes("history", lines) == "")
    }

    @Test("a hit of a search fits")
    func search() async throws {
        var inTitle = SearchTextTests.hit
        inTitle.isInTitle = true
        inTitle.moments = []
        inTitle.chapterTitle = nil
        #expect(try await Self.mistakes("search", [SearchTextTests.hit, inTitle].map(SearchText.json)) == "")
    }

    @Test("an unknown or missing field is found")
    func found() async throws {
        let more = Array(#"{"event":"warning","time":"2026-11-20T23:00:00Z","message":"m","more":1}"#.utf8 + [10])
        #expect(try await Self.mistakes("sync", [more]).contains("'more' was unexpected"))
        let less = Array(#"{"event":"warning","time":"2026-11-20T23:00:00Z"}"#.utf8 + [10])
        #expect(try await Self.mistakes("sync", [less]).contains("'message' is a required property"))
    }

    @Test("a download as in status fits, whatever its state and error")
    func status() async throws {
        var rows: [StatusRow] = []
        for state in DownloadState.allCases {
            for kind in DownloadError.Kind.allCases {
                var row = StatusRow(
                    reference: Self.video, courseTitle: "Mechanics", chapterTitle: nil, state: state,
                    error: .init(kind: kind, message: "m", status: nil), updatedAt: Self.now, provider: "p", file: "/c")
                row.path = "a/b.mp4"
                row.finishedAt = Self.now
                row.mediaSeconds = 1.5
                row.sidecarsFailed = 1
                rows.append(row)
            }
        }
        #expect(try await Self.mistakes("status", rows.map { StatusJSON.line($0, library: "/l") }) == "")
        #expect(
            String(decoding: StatusJSON.line(rows[0], library: "/l"), as: UTF8.self).contains(
                #""absolute_path":"/l/a/b.mp4","finished_at":"2026-11-20T23:00:00Z""#))
    }

    @Test("what list prints fits, whatever becomes of a video")
    func listing() async throws {
        let fates: [ListingReport.Fate] = [
            .new, .known(.finished), .renamed(from: "Former", .waiting), .notIncluded, .excluded(pattern: "Talk*"),
            .older(newest: 3), .gone(.finished),
        ]
        let lines = fates.map { fate in
            ListingText(zone: .gmt).json(
                ListingReport.Item(
                    reference: Self.video, fate: fate, publishedAt: Self.now, duration: 61.5, isWritten: true))
        }
        #expect(try await Self.mistakes("list", lines) == "")
        #expect(
            String(decoding: lines[2], as: UTF8.self).contains(#""fate":"renamed","state":"waiting","was":"Former""#))
    }

    @Test("the output of a dry run fits")
    func rehearsal() async throws {
        let actions: [(DryRunItem.Action, DryRunItem.Reason)] = [
            (.download, .new), (.download, .notBefore(Self.now, or: .notBegun)),
            (.download, .failedBefore(Self.failure)),
            (.resume(from: 3), .unfinished), (.finish, .arrived), (.move(from: "a", to: "b"), .renamed),
            (.link(to: "a"), .sameFile), (.adopt(path: "a"), .fileInPlace), (.remove(path: "a"), .gone),
            (.refetch, .contradicted), (.ask, .incomplete), (.wait(until: Self.now), .putOff(Self.failure)),
            (.keep, .failed(Self.failure, retryAt: nil)), (.keep, .paused),
        ]
        let lines = actions.map { action, why in
            DryRunText.json(
                DryRunItem(reference: Self.video, action: action, why: why, size: nil), now: Self.now, zone: .gmt)
        }
        #expect(try await Self.mistakes("dry-run", lines) == "")
    }

    @Test("what migrate prints fits, whatever becomes of a record")
    func migration() async throws {
        #expect(try await Self.mistakes("migrate", MigrationTextTests.lines) == "")
    }

    @Test("the report fits")
    func report() async throws {
        var summary = SyncSummary(conditions: [.downloadsFailed])
        summary.failures = [(Self.video, Self.failure)]
        let report = RunReport(user: nil, catalogs: ["a"], started: Self.now, ended: Self.now, summary: summary)
        #expect(try await Self.mistakes("report", [report.json]) == "")
    }

    @Test("what a failure tells fits")
    func failures() async throws {
        let encoder = JSONEncoder()
        var shard = FailureLogTests.facts()
        shard.run.shard = "2/4"
        shard.run.user = nil
        let lines = try [FailureLogTests.facts(), shard].map { Array(try encoder.encode($0)) + [10] }
        #expect(try await Self.mistakes("failure", lines) == "")
    }

    @Test("the output of commands that change downloads fits, and a program can use it")
    func changes() async throws {
        let items = DownloadState.allCases.map { state in
            SteeringReport.Item(
                reference: Self.video,
                outcome: SteeringOutcome(id: DownloadID(rawValue: 1), before: state, after: .waiting, verdict: .changed)
            )
        }
        let report = SteeringReport(items: items, isLive: false)
        var made = CatalogFromProvider.Written(provider: "p", text: "version: 1\n")
        made.videos = 2
        let opened = try #require(FilesTextTests.files([FilesTextTests.row("a", .finished, path: "a.mp4")]).first)
        made.refused = [.init(provider: "q", mistake: nil, count: 1)]
        let lines =
            items.map { SteeringText.json($0, "retry", .retry, isLive: false, now: Self.now) }
            + [
                SteeringText.json(report, "prioritize", exit: .failures, now: Self.now),
                LibraryText.json(
                    LibraryChange(library: "/a", previous: nil, files: 3), "library move", now: Self.now),
                LibraryText.json(ForgottenCatalog(file: "/c", courses: ["a"], downloads: 2), now: Self.now),
                SteeringText.json(RunSettings(jobs: 2), now: Self.now),
                SessionText.json(UserLogin(user: "bob", wasOpen: false), now: Self.now),
                SessionText.json(
                    UserLogin(
                        user: "bob", wasOpen: true, provider: "p", expiresAt: Self.now, resumed: 3,
                        trouble: .silent(nil)), now: Self.now),
                SessionText.json(UserLogout(user: "bob", wasOut: false, ending: .stopped), now: Self.now),
                AdditionText.json(
                    AddedCourse(
                        provider: "p", course: "c", title: "T", videos: 2, file: "/c", isThere: false, text: ""),
                    isTrial: true, now: Self.now),
                FirstFilesText.json(
                    try #require(FirstCatalog(title: "T", source: "peertube")), catalog: "/c", settings: "/s",
                    now: Self.now),
                FilesText.opened(.page(course: "c", path: "/c/index.html"), program: "mpv", now: Self.now),
                FilesText.opened(.file(opened), program: "xdg-open", now: Self.now),
                ListingText.json(.init(provider: "p", text: "version: 1\n"), now: Self.now),
                ListingText.json(made, now: Self.now),
            ]
        #expect(try await Self.mistakes("changes", lines) == "")
        #expect(
            String(decoding: lines[0], as: UTF8.self)
                == #"{"event":"download_changed","time":"2026-11-20T23:00:00Z","command":"retry","course":"phys101","chapter":"kin","video":"v1","title":"Position","selector":"phys101/kin/v1","result":"changed","was":"waiting","by_running_sync":false}"#
                + "\n")
    }

    @Test(
        "the output of the built program fits",
        arguments: [
            ("check", "echo 'version: 1' > a.yaml; \"$0\" check a.yaml --json; \"$0\" check gone.yaml --json; true"),
            ("doctor", "\"$0\" doctor --json || true"), ("users", "\"$0\" users --json"),
            ("plugins", "\"$0\" plugins list --json"),
            (
                "plugin-check",
                "mkdir p; echo 'protocol: 1' > p/plugin.yaml; \"$0\" plugins check p --json; printf 'name: p\nprotocol: 1\nrun: [cat]\n' > p/plugin.yaml; \"$0\" plugins check p --json || true"
            ), ("verify", "\"$0\" verify --json || true"),
        ])
    func program(schema: String, script: String) async throws {
        let ending = try await BuiltProgram.run("coursefetch", [], shell: script)
        #expect(ending.code == 0, "\(ending)")
        if schema != "verify" { #expect(!ending.output.isEmpty) }
        #expect(try await Self.mistakes(schema, [Array(ending.output.utf8)]) == "")
    }
}
