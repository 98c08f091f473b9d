import DownloadStore
import Foundation
import SyncFacts
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import SyncDisplay
@testable import Terminal

@Suite("The live view as a value")
struct LiveViewTests {
    static let begin = Date(timeIntervalSince1970: 1_795_215_600)
    static let plain = TerminalStyle(hasColor: false, hasUnicode: true)

    static func at(_ seconds: Double) -> Date { begin.addingTimeInterval(seconds) }

    static func video(_ id: String, _ title: String? = nil) -> VideoReference {
        VideoReference(course: "phys101", chapter: "kinematics", video: id, title: title ?? id)
    }

    static func view(_ style: TerminalStyle = plain, downloads: Int = 10, bytes: Int64? = nil) throws -> LiveView {
        var view = LiveView(style: style, zone: try #require(TimeZone(secondsFromGMT: 0)))
        let start = SyncStart(
            user: "alice", run: 1, catalogs: ["catalog.yaml"], library: "/l",
            downloads: [.waiting: downloads, .finished: 90],
            waitingBytes: bytes)
        view.receive(.started(start), at: begin)
        return view
    }

    static func progress(_ bytes: Int64, of size: Int64?, rate: Int64 = 1_048_576) -> DownloadProgress {
        DownloadProgress(bytes: bytes, size: size, bytesPerSecond: rate)
    }

    /// The line as it looks: without moves to columns.
    static func shown(_ lines: [String]) -> [String] {
        lines.map { $0.replacing(#/\u{1B}\[[0-9]+G/#, with: "") }
    }

    @Test("one download from its URL to its place")
    func phases() throws {
        var view = try Self.view(downloads: 2)
        let video = Self.video("v1", "Position and velocity")
        func line(_ seconds: Double) -> [String] {
            Self.shown(view.lines(width: 80, height: 24, now: Self.at(seconds)))
        }
        let idle = " 0 of 2 done             ─────────────────    0%"
        #expect(line(0).map { $0.replacing(#/ +$/#, with: "") } == [idle])
        view.receive(.resolved(video, attempt: 1, reason: .first, expiresAt: nil), at: Self.at(1))
        #expect(line(1.1).count == 1, "what takes no time gets no line")
        #expect(line(1.3).first == " Position and velocity   connecting")
        view.receive(.downloadStarted(video, resumeFrom: 10_485_760), at: Self.at(1.4))
        #expect(line(1.5).first == " Position and velocity   connecting, goes on at 10.0 MiB")
        view.receive(.progress(video, Self.progress(52_428_800, of: 104_857_600)), at: Self.at(3))
        #expect(
            line(3) == [
                " Position and velocity   ━━━━━━━━╾────────   50%   100 MiB  1.00 MiB/s      50s",
                " 0 of 2 done             ━━━━─────────────   25%            13.3 MiB/s      11s",
            ])
        view.receive(.progress(video, Self.progress(104_857_600, of: 104_857_600)), at: Self.at(4))
        #expect(line(4).first == " Position and velocity   ━━━━━━━━━━━━━━━━━  100%   100 MiB            finishing")
        let file = FinishedFile(path: "Mechanics/01 Position.mp4", bytes: 104_857_600, sha256: nil, seconds: 3)
        view.receive(.downloadFinished(video, file), at: Self.at(5))
        #expect(line(5).count == 1)
        #expect(line(5)[0].hasPrefix(" 1 of 2 done             ━━━━━━━━╾────────   50%"))
        #expect(view.takeScrolled(width: 80, now: Self.begin) == ["✓ Mechanics/01 Position.mp4  100 MiB"])
        #expect(view.takeScrolled(width: 80, now: Self.begin) == [])
        view.receive(.finished(SyncSummary()), at: Self.at(6))
        #expect(line(6) == [])
    }

    @Test("a failure says what, why and what to do, with a command in one piece")
    func failure() throws {
        var view = try Self.view()
        let error = DownloadError(kind: .urlRefused, message: "the host refuses every fresh URL", status: 403)
        view.receive(.downloadFailed(Self.video("v 1", "Position"), error: error, retryAt: nil), at: Self.begin)
        #expect(
            view.takeScrolled(width: 60, now: Self.begin) == [
                "✗ phys101/kinematics/v%201  Position: the host refuses",
                "  every fresh URL (HTTP 403)", "  to see the provider's answer:",
                "    coursefetch resolve catalog.yaml phys101/kinematics/v%201",
            ])
        view.receive(.downloadFailed(Self.video("v2"), error: error, retryAt: Self.at(3600)), at: Self.begin)
        #expect(
            view.takeScrolled(width: 200, now: Self.begin) == [
                "✗ phys101/kinematics/v2: the host refuses every fresh URL (HTTP 403)",
                "  next try after 21 Nov 00:00, or now: coursefetch retry --failed --now",
            ])
        #expect(view.tally.failed == 2)
    }

    @Test("a retry is shown briefly, then only in the count of waiting downloads")
    func retry() throws {
        var view = try Self.view()
        let cut = DownloadError(kind: .network, message: "connection reset")
        view.receive(.progress(Self.video("v1"), Self.progress(1000, of: 2000)), at: Self.begin)
        view.receive(.downloadRetrying(Self.video("v1"), attempt: 2, error: cut, delay: .seconds(90)), at: Self.at(1))
        let soon = view.lines(width: 80, height: 24, now: Self.at(2))
        #expect(soon.count == 2)
        #expect(soon[0] == " v1                      again in 1m29s: connection reset")
        let later = view.lines(width: 80, height: 24, now: Self.at(7))
        #expect(later.count == 2)
        #expect(later[0] == " 1 download to try again, the next in 1m24s")
        #expect(view.lines(width: 80, height: 24, now: Self.at(100)).count == 1)
    }

    @Test("waits for hosts and providers are shown until their time")
    func waits() throws {
        var view = try Self.view()
        view.receive(.hostWaiting(host: "media.example.org", until: Self.at(600), kind: "rate_limited"), at: Self.begin)
        view.receive(.providerWaiting(provider: "peertube", until: Self.at(60), kind: ""), at: Self.begin)
        #expect(
            view.lines(width: 80, height: 24, now: Self.at(1)).dropLast() == [
                " media.example.org is rate-limiting us; waiting until 23:10",
                " waiting for peertube 59s",
            ])
        #expect(view.lines(width: 80, height: 24, now: Self.at(61)).count == 2)
        view.receive(.hostWaiting(host: "media.example.org", until: Self.at(61), kind: ""), at: Self.at(61))
        #expect(view.lines(width: 80, height: 24, now: Self.at(61)).count == 1)
    }

    @Test("rows are in catalog order, whichever begins first")
    func order() throws {
        var view = LiveView(style: Self.plain, zone: try #require(TimeZone(secondsFromGMT: 0)))
        let all = ["a", "b", "c"].map { Self.video($0) }
        let start = SyncStart(
            user: "alice", run: 1, catalogs: [], library: "/l", downloads: [.waiting: 3], waitingBytes: nil,
            order: CatalogOrder { all })
        view.receive(.started(start), at: Self.begin)
        for id in ["c", "a", "new", "b"] {
            view.receive(.progress(Self.video(id), Self.progress(1, of: 2)), at: Self.begin)
        }
        #expect(view.downloads.map(\.reference.video) == ["a", "b", "c", "new"])
        view.receive(.downloadSuspended(Self.video("a"), reason: .logout), at: Self.at(1))
        #expect(view.downloads.map(\.reference.video) == ["b", "c", "new"])
    }

    @Test("with several courses each has a heading")
    func headings() throws {
        var view = LiveView(style: Self.plain, zone: try #require(TimeZone(secondsFromGMT: 0)))
        let maths = VideoReference(course: "maths", chapter: nil, video: "m", title: "Vectors")
        let start = SyncStart(
            user: "alice", run: 1, catalogs: [], library: "/l", downloads: [.waiting: 3], waitingBytes: nil,
            order: CatalogOrder(courses: ["phys101": "Classical Mechanics"]) {
                [Self.video("a"), Self.video("b"), maths]
            })
        view.receive(.started(start), at: Self.begin)
        view.receive(.progress(Self.video("a"), Self.progress(1, of: 2)), at: Self.begin)
        #expect(view.lines(width: 80, height: 24, now: Self.at(1)).count == 2)
        for video in [maths, Self.video("b")] {
            view.receive(.progress(video, Self.progress(1, of: 2)), at: Self.begin)
        }
        let lines = Self.shown(view.lines(width: 80, height: 24, now: Self.at(1)))
        #expect(lines[0] == " Classical Mechanics")
        #expect(lines[1].hasPrefix(" a  ") && lines[2].hasPrefix(" b  "))
        #expect(lines[3] == " maths" && lines[4].hasPrefix(" Vectors  ") && lines.count == 6)
    }

    @Test("a stalled download says for how long")
    func silence() throws {
        var view = try Self.view()
        view.receive(.progress(Self.video("v"), Self.progress(1000, of: 2000)), at: Self.begin)
        #expect(!view.lines(width: 80, height: 24, now: Self.at(2))[0].contains("no data"))
        view.receive(.progress(Self.video("v"), Self.progress(1000, of: 2000, rate: 0)), at: Self.at(7))
        #expect(view.lines(width: 80, height: 24, now: Self.at(8))[0].hasSuffix("  no data for 8s"))
        view.receive(.progress(Self.video("v"), Self.progress(1001, of: 2000)), at: Self.at(9))
        #expect(!view.lines(width: 80, height: 24, now: Self.at(9))[0].contains("no data"))
    }

    @Test("downloads that don't fit are summed up in one line")
    func overflow() throws {
        var view = try Self.view()
        for index in 0..<9 {
            view.receive(.progress(Self.video("v\(index)"), Self.progress(1, of: 2)), at: Self.begin)
        }
        let lines = view.lines(width: 80, height: 6, now: Self.at(1))
        #expect(lines.count == 5)
        #expect(
            Self.shown(lines)[3] == " … and 6 more                                               6.00 MiB/s         ")
        #expect(view.lines(width: 80, height: 1, now: Self.at(1)).count == 1)
        #expect(view.lines(width: 80, height: 0, now: Self.at(1)).count == 1)
    }

    @Test("the total follows downloads that are put back, cancelled and retried")
    func totals() throws {
        var view = try Self.view(downloads: 2)
        view.receive(.downloadWaiting(Self.video("lost")), at: Self.begin)
        #expect(view.tally.total == 3)
        view.receive(.downloadCancelled(Self.video("x")), at: Self.begin)
        #expect(view.tally.total == 2)
        for id in ["a", "b", "c"] { view.receive(.progress(Self.video(id), Self.progress(1, of: 2)), at: Self.begin) }
        #expect(view.tally.total == 3)
        view.receive(.downloadWaiting(Self.video("a")), at: Self.begin)
        #expect(view.tally.total == 3)
        #expect(view.takeScrolled(width: 80, now: Self.begin) == ["· phys101/kinematics/x: cancelled"])
    }

    @Test("the overall line counts bytes if all sizes are known")
    func bytes() throws {
        var view = try Self.view(bytes: 104_857_600)
        view.receive(.downloadStarted(Self.video("v"), resumeFrom: 1000), at: Self.begin)
        view.receive(.progress(Self.video("v"), Self.progress(26_215_400, of: nil)), at: Self.at(1))
        let line = Self.shown(view.lines(width: 120, height: 24, now: Self.at(1))).last
        #expect(
            line
                == " 0 of 10 done                             ━━━━━━━╾───────────────────────   25%       25.0/100 MiB  25.0 MiB/s       3s"
        )
    }

    /// How far the overall line says that the run is, before and after each event.
    private static func percents(_ start: SyncStart, _ events: [SyncEvent]) throws -> [String] {
        var view = LiveView(style: plain, zone: try #require(TimeZone(secondsFromGMT: 0)))
        view.receive(.started(start), at: begin)
        func percent() throws -> String {
            let line = try #require(shown(view.lines(width: 80, height: 24, now: at(1))).last)
            return String(try #require(line.firstMatch(of: /\d+%/)?.output))
        }
        return try [percent()]
            + events.map { event in
                view.receive(event, at: at(1))
                return try percent()
            }
    }

    private static let mebibyte: Int64 = 1_048_576

    @Test("bytes of earlier runs count in the overall line, whether the sizes of all are known or not")
    func earlierRuns() throws {
        let (a, b) = (Self.video("a"), Self.video("b"))
        let (size, most, part) = (128 * Self.mebibyte, 96 * Self.mebibyte, 64 * Self.mebibyte)
        var start = SyncStart(
            user: "alice", run: 2, catalogs: [], library: "/l", downloads: [.waiting: 2], waitingBytes: 2 * size,
            partials: [a: .init(bytes: most, size: size), b: .init(bytes: part, size: size)])
        let events: [SyncEvent] = [
            .resolved(a, attempt: 1, reason: .first, expiresAt: nil),
            .downloadStarted(a, resumeFrom: most),
            .progress(a, Self.progress(112 * Self.mebibyte, of: size)),
            .downloadSuspended(a, reason: .signal),
            .downloadStarted(a, resumeFrom: 112 * Self.mebibyte),
            .downloadFinished(a, FinishedFile(path: "a.mp4", bytes: size, sha256: nil, seconds: 1)),
            // It starts over.
            .downloadStarted(b, resumeFrom: 0),
        ]
        let percents = ["62%", "62%", "62%", "68%", "68%", "68%", "75%", "50%"]
        #expect(try Self.percents(start, events) == percents)
        start.waitingBytes = nil
        #expect(try Self.percents(start, events) == percents)
    }

    @Test("a large video among small ones counts by its bytes, also where not all sizes were known at the start")
    func largeAmongSmall() throws {
        let small = Self.mebibyte
        let start = SyncStart(
            user: "alice", run: 2, catalogs: [], library: "/l", downloads: [.waiting: 25], waitingBytes: nil,
            partials: [:])
        var events: [SyncEvent] = []
        for index in 0..<24 {
            let video = Self.video("v\(index)")
            events += [
                .downloadStarted(video, resumeFrom: 0), .progress(video, Self.progress(small, of: small)),
                .downloadFinished(video, FinishedFile(path: "p", bytes: small, sha256: nil, seconds: 1)),
            ]
        }
        let large = Self.video("large")
        events += [
            .downloadStarted(large, resumeFrom: 0), .progress(large, Self.progress(24 * small, of: 72 * small)),
        ]
        #expect(try Self.percents(start, events).last == "50%")
    }

    @Test("paused downloads don't count as work until they are resumed; failed ones count as done")
    func dropped() throws {
        let (a, b) = (Self.video("a"), Self.video("b"))
        let size = 100 * Self.mebibyte
        let start = SyncStart(
            user: "alice", run: 2, catalogs: [], library: "/l", downloads: [.waiting: 2], waitingBytes: 2 * size,
            partials: [a: .init(bytes: size / 2, size: size), b: .init(bytes: size / 4, size: size)])
        let error = DownloadError(kind: .network, message: "no route")
        let percents = try Self.percents(
            start,
            [
                .downloadPaused(a), .downloadWaiting(a), .downloadStarted(a, resumeFrom: size / 2),
                .downloadFailed(a, error: error, retryAt: nil), .downloadStarted(a, resumeFrom: size / 2),
            ])
        #expect(percents == ["37%", "25%", "37%", "37%", "37%", "37%"])
    }

    @Test("a run without work shows no line")
    func nothingToDo() throws {
        var view = try Self.view(downloads: 0)
        #expect(view.lines(width: 80, height: 24, now: Self.at(1)) == [])
        view.receive(.progress(Self.video("a"), Self.progress(1, of: 2)), at: Self.at(1))
        #expect(view.lines(width: 80, height: 24, now: Self.at(2)).count == 2)
        #expect(
            try LiveView(style: Self.plain, zone: #require(TimeZone(secondsFromGMT: 0)))
                .lines(width: 80, height: 24, now: Self.begin) == [], "nothing is known yet")
    }

    @Test("no line is ever as wide as the terminal, whatever the titles", arguments: [true, false])
    func widths(hasUnicode: Bool) throws {
        let titles = [
            "Position", "線形代数入門：固有値と固有ベクトル、そして対角化の応用について", "🧑🏽‍🚀👨‍👩‍👧‍👦 and 🇩🇪", "Cafe\u{301}",
            String(repeating: "long ", count: 60), "\u{1B}[2J\u{202E}evil", "नमस्ते", "",
        ]
        for color in [true, false] {
            var view = try Self.view(TerminalStyle(hasColor: color, hasUnicode: hasUnicode), downloads: 1_000_000)
            for (index, title) in titles.enumerated() {
                let size: Int64? = index % 3 == 0 ? nil : 5_000_000_000
                view.receive(
                    .progress(Self.video("v\(index)", title), Self.progress(Int64(index) * 999_999_999, of: size)),
                    at: Self.begin)
            }
            let cut = DownloadError(kind: .network, message: titles[1])
            view.receive(
                .downloadRetrying(Self.video("v0", titles[0]), attempt: 2, error: cut, delay: .seconds(90)),
                at: Self.at(1))
            view.receive(.hostWaiting(host: titles[4], until: Self.at(99), kind: "x"), at: Self.at(1))
            for width in 1...240 {
                for line in view.lines(width: width, height: 30, now: Self.at(2)) {
                    #expect(DisplayWidth.ofLine(line) < max(width, 2), "\(width): \(line)")
                    #expect(!line.contains("\u{1B}[2J"))
                }
            }
        }
    }

    @Test("scrolled lines are cut or broken to the width")
    func scrolled() throws {
        var view = try Self.view()
        let file = FinishedFile(
            path: "Classical Mechanics/01 Kinematics/05 Über Größen und Maße.mp4", bytes: 5000, sha256: nil, seconds: 1)
        view.receive(.downloadFinished(Self.video("v"), file), at: Self.begin)
        let missing = DownloadError(kind: .urlRefused, message: "not found (404)")
        view.receive(
            .warning(.sidecarMissed(.ofVideo(.cover, name: ""), missing), Self.video("v", "Position")), at: Self.begin)
        view.receive(.downloadMoved(Self.video("v"), from: "a.mp4", path: "b.mp4"), at: Self.begin)
        view.receive(.downloadGone(Self.video("v", "Position"), path: "p.mp4"), at: Self.begin)
        view.note("debug: one\ntwo")
        #expect(
            view.takeScrolled(width: 40, now: Self.begin) == [
                "✓ Classical M…en und Maße.mp4  4.88 KiB", "! phys101/kinematics/v  Position: cover",
                "  wasn't downloaded: not found (404)", "· moved a.mp4 → b.mp4", "· phys101/kinematics/v  Position: no",
                "  longer listed; the file stays", "debug: one", "two",
            ])
    }

    @Test("a speed falls to zero when nothing arrives any more")
    func speed() {
        var meter = SpeedMeter(window: 5)
        #expect(meter.bytesPerSecond(at: Self.begin) == 0)
        for second in 0..<10 { meter.add(1000, at: Self.at(Double(second))) }
        #expect(meter.total == 10_000)
        #expect((900...1100).contains(meter.bytesPerSecond(at: Self.at(9))))
        #expect(meter.bytesPerSecond(at: Self.at(12)) < 700)
        #expect(meter.bytesPerSecond(at: Self.at(30)) == 0)
    }
}
