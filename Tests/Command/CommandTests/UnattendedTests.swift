import DownloadStore
import FileSystem
import Foundation
import SyncFacts
import SystemPackage
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import SyncDisplay

@Suite("Unattended runs")
struct UnattendedTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "unattended-\(UUID().uuidString)")

    init() throws {
        // As the program does: commands need not read what they are given.
        signal(SIGPIPE, SIG_IGN)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    private static func settings(_ options: [String: String] = [:], file: String = "") throws -> SyncSettings {
        try SyncSettings(
            SettingLayers(
                options: options.mapValues { [$0] }, environment: ["HOME": "/home/alice"],
                file: SettingsFile(bytes: Array(file.utf8), path: "/home/alice/.config/coursefetch/config.yaml")))
    }

    // MARK: options

    @Test("without settings nothing is limited, and it waits for another sync only when unattended")
    func defaults() throws {
        let options = try Self.settings().options(catalogs: [])
        #expect(options.bandwidth == .unlimited && options.window == RunWindow() && options.watchEvery == nil)
        #expect(options.maxTransfer == nil && options.minFreeSpace == .standard)
        #expect(options.wait == .seconds(3600))
        #expect(try Self.settings().options(catalogs: [], onTerminal: true).wait == .zero)
        for onTerminal in [true, false] {
            let said = try Self.settings(["wait": "90s"]).options(catalogs: [], onTerminal: onTerminal)
            #expect(said.wait == .seconds(90))
        }
    }

    @Test("each has its option and its key in the settings file")
    func values() throws {
        let texts = [
            "max-duration": "4h", "until": "06:00", "between": "22:00-6:00", "max-transfer": "50G",
            "min-free-space": "5G", "wait": "0",
            "bwlimit": "08:00,512K 23:00,off", "every": "30m", "watch": "true", "on-finish": "mail -s done me",
            "metrics-file": "/m.prom",
        ]
        let file = texts.map { "\($0): \"\($1)\"\n" }.joined() + "report: ~/report.json\n"
        for settings in [try Self.settings(texts), try Self.settings(file: file)] {
            let options = settings.options(catalogs: [])
            #expect(
                options.window
                    == RunWindow(
                        maxDuration: .seconds(14_400), until: RunWindow.End("06:00"),
                        between: RunWindow.Hours("22:00-06:00")))
            #expect(options.maxTransfer == 50 << 30 && options.minFreeSpace == .bytes(5 << 30) && options.wait == .zero)
            #expect(options.bandwidth == BandwidthTimetable("08:00,512K 23:00,off"))
            #expect(options.watchEvery == .seconds(1800))
            #expect(settings.onFinish.value == "mail -s done me" && settings.metricsFile.value == "/m.prom")
        }
        #expect(try Self.settings(file: file).report.value == "/home/alice/report.json")
        #expect(try Self.settings(["every": "30m"]).options(catalogs: []).watchEvery == nil)
        #expect(try Self.settings(["min-free-space": "0"]).minFreeSpace.value == .bytes(0))
        #expect(try Self.settings(["min-free-space": "off", "max-transfer": "off"]).minFreeSpace.value == .off)
        #expect(try Self.settings(["until": "2026-11-22T06:00:00Z"]).until.value != nil)
    }

    @Test(
        "timetables have the format of rclone",
        arguments: [
            ("10M", "10M"), ("1.5M", "1536K"), ("off", "off"), ("0", "off"), ("10M/s", "10M"),
            (
                "08:00,512k 12:00,10M 13:00,512k 18:00,30M 23:00,off",
                "08:00,512K 12:00,10M 13:00,512K 18:00,30M 23:00,off"
            ),
            (
                "mon-00:00,512K FRIDAY-23:59,10M sat-10:00,1M Sun-20:00,off",
                "Sun-20:00,off Mon-00:00,512K Fri-23:59,10M Sat-10:00,1M"
            ),
            ("08:00,1M;20:00,off", "08:00,1M 20:00,off"), ("  08:00,1M   20:00,2M ", "08:00,1M 20:00,2M"),
        ])
    func timetables(text: String, expected: String) throws {
        #expect(try BandwidthParser.parse(text).description == expected)
    }

    @Test(
        "a wrong value is reported with a correct one",
        arguments: [
            ("bwlimit", "08:00", "'08:00' isn't a size: write a number with B, K, M, G or T, such as 500K or 1.5M"),
            (
                "bwlimit", "8h,1M",
                "'8h,1M' isn't a timetable entry: write 08:00,512K or Mon-08:00,512K, with spaces between entries"
            ),
            ("bwlimit", "Mo-08:00,1M", "'Mo' isn't a weekday: write Mon, Tue, Wed, Thu, Fri, Sat or Sun"),
            ("bwlimit", "08:00,1M:2M", "'1M:2M' has two rates: only downloads are limited, so write one"),
            (
                "bwlimit", "08:00,512 23:00,off",
                "'512' has no unit: write 512B, 512K, 512M, 512G or 512T (powers of 1024)"
            ),
            ("until", "6", "'6' isn't a time: write 06:00, or 2026-11-22T06:00:00Z"),
            ("every", "0", "0 is less than 1s"),
            ("max-duration", "4", "'4' isn't a duration: write 30s, 10m, 4h, 2d or 1h30m"),
            ("report", "", "it is empty"),
        ])
    func wrong(name: String, text: String, message: String) {
        #expect {
            try Self.settings([name: text])
        } throws: { error in
            (error as? SettingsError)?.problems.map(\.text) == ["error: --\(name): \(message)"]
        }
    }

    // MARK: waiting for another sync

    @Test("the wait is one line with holder, start time, catalogs and limit; none with --quiet")
    func waiting() {
        let now = Date(timeIntervalSince1970: 1_795_215_600)
        let holder = LockHolder(host: "nas", pid: 42, since: now - 1200, catalogs: ["a.yaml", "b.yaml"])
        var log = PlainLog(isQuiet: false, zone: .gmt)
        #expect(
            log.lines(for: .lockWaiting(holder, until: now + 3600), now: now) == [
                .init(
                    .diagnostics,
                    "waiting   for the sync of a.yaml, b.yaml, running since 22:40 (process 42 on nas), "
                        + "until 21 Nov 00:00 at most")
            ])
        #expect(
            log.lines(for: .lockWaiting(nil, until: now), now: now).map(\.text)
                == ["waiting   for another sync of this user, for 0 s at most"])
        var quiet = PlainLog(isQuiet: true, zone: .gmt)
        #expect(quiet.lines(for: .lockWaiting(holder, until: now), now: now) == [])
    }

    // MARK: the report

    private static let report = RunReport(
        user: "alice", catalogs: ["a.yaml"], started: Date(timeIntervalSince1970: 1_795_215_600),
        ended: Date(timeIntervalSince1970: 1_795_215_660),
        summary: SyncSummary(
            downloads: [.suspended: 2, .finished: 1, .failed: 1], finishedNow: 1, failedNow: 1, bytes: 3, seconds: 60,
            conditions: [.workLeft, .downloadsFailed],
            failures: [
                (
                    VideoReference(course: "c", chapter: nil, video: "v 1", title: "One"),
                    DownloadError(kind: .httpStatus, message: "no", status: 500)
                )
            ], providersToLogIn: ["p"], stopReason: .window))

    @Test("the report is the last event with additions")
    func json() throws {
        let text = String(decoding: Self.report.json, as: UTF8.self)
        #expect(
            text == #"{"schema":1,"version":"\#(Version.text)","user":"alice","catalogs":["a.yaml"],"#
                + #""started":"2026-11-20T23:00:00Z","ended":"2026-11-20T23:01:00Z","exit":75,"downloads":{"waiting":0,"#
                + #""active":0,"paused":0,"suspended":2,"finished":1,"failed":1,"cancelled":0},"finished_now":1,"#
                + #""failed_now":1,"moved_now":0,"removed_now":0,"bytes":3,"seconds":60,"warnings":0,"stop_reason":"window","errors":[],"#
                + #""meaning":"stopped, or some work is left for the next sync","#
                + #""summary":"stopped at the end of the time window: 1 video finished (3 B in 1m00s), 1 failed; now 2 stopped","#
                + #""failures":[{"course":"c","chapter":null,"video":"v 1","title":"One","selector":"c/*/v%201","#
                + #""error":{"kind":"http_status","message":"no","status":500}}],"providers_to_log_in":["p"],"logins_needed":[],"#
                + #""from_other_source":0}"# + "\n")
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    }

    @Test("the command gets the report, and needn't read it")
    func command() async {
        let both = RunEnding(report: path("r"), command: FinishCommand("cat > '\(path("got"))'"))
        #expect(both.write(Self.report) == [])
        #expect(await both.runCommand(Self.report) == [])
        #expect(text("got") == String(decoding: Self.report.json, as: UTF8.self))
        #expect(text("r") == text("got"))
        #expect(await RunEnding(command: FinishCommand("exec <&-; true")).runCommand(Self.report) == [])
        var large = Self.report
        large.catalogs = [String(repeating: "x", count: 1 << 20)]
        #expect(await RunEnding(command: FinishCommand("true")).runCommand(large) == [])
        #expect(await RunEnding().runCommand(large) == [] && RunEnding().write(large) == [])
    }

    @Test("failures after a run are reported, without other effects")
    func problems() async {
        let ending = RunEnding(report: path("no/r"), metrics: path("no/m"), command: FinishCommand("exit 3"))
        #expect(
            ending.write(Self.report) == [
                "can't write the report to \(path("no/r")): No such file or directory",
                "can't write the metrics to \(path("no/m")): No such file or directory",
            ])
        #expect(await ending.runCommand(Self.report) == ["the command of --on-finish ended with exit code 3"])
        #expect(
            await RunEnding(command: FinishCommand("kill -9 $$")).runCommand(Self.report)
                == ["the command of --on-finish was killed by signal 9"])
    }

    @Test("others can read new metrics whatever the umask; later ones keep the mode")
    func metrics() throws {
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path("m"))[.posixPermissions] as? Int
        }
        let ending = RunEnding(metrics: path("m"))
        #expect(try ending.write(Self.report) == [] && mode() == 0o644)
        chmod(path("m"), 0o640)
        #expect(try ending.write(Self.report) == [] && mode() == 0o640)
        let lines = (text("m") ?? "").split(separator: "\n")
        #expect(lines.contains(#"coursefetch_last_success_timestamp_seconds{user="alice"} 1795215660"#))
    }

    @Test("a command that takes too long is ended with all its children", .timeLimit(.minutes(5)))
    func tooLong() async throws {
        let command = FinishCommand(
            "sleep 600 & echo $! > '\(path("pid"))'; wait", timeout: .milliseconds(300))
        #expect(await command.run(input: []) == "the command of --on-finish took too long and was stopped")
        let pid = try #require(text("pid").flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
        // It may be a zombie of whoever inherits it.
        for _ in 0..<500 where isAlive(pid) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!isAlive(pid))
        command.stop()
        command.kill()
    }

    private func isAlive(_ pid: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        return !stat.contains(") Z ")
    }
}
