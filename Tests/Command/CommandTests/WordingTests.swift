import DownloadStore
import Foundation
import SyncFacts
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("Readable sizes, times and counts")
struct WordingTests {
    @Test(
        "sizes are binary, with three digits",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (10_239, "10.0 KiB"), (1_048_575, "1.00 MiB"),
            (1_048_576, "1.00 MiB"), (10_244_587, "9.77 MiB"), (102_445_875, "97.7 MiB"), (1_047_527_424, "999 MiB"),
            (2_050_000_000, "1.91 GiB"), (Int64.max, "8192 PiB"), (-5, "0 B"),
        ] as [(Int64, String)])
    func sizes(bytes: Int64, expected: String) {
        #expect(Wording.size(bytes) == expected)
    }

    @Test(
        "durations are short",
        arguments: [
            (0, "0s"), (0.4, "0s"), (41, "41s"), (59.6, "1m00s"), (130, "2m10s"), (3720, "1h02m"), (274_000, "3d04h"),
            (-3, "0s"), (.infinity, "0s"), (.nan, "0s"),
        ] as [(Double, String)])
    func durations(seconds: Double, expected: String) {
        #expect(Wording.duration(seconds) == expected)
    }

    @Test(
        "a percentage is 100 only when everything has arrived",
        arguments: [(0, "0%"), (0.999, "99%"), (1, "100%"), (.nan, "0%")])
    func percentages(fraction: Double, expected: String) {
        #expect(Wording.percent(fraction) == expected)
    }

    @Test("of two shards that wait for one host, or for its http and https, the longer wait is told")
    func waits() {
        let now = Date(timeIntervalSince1970: 1_795_215_600)
        func wait(_ name: String, _ seconds: Double, _ server: String?) -> RunWait {
            RunWait(name: name, until: now + seconds, kind: "unavailable", server: server)
        }
        let told = Wording.waits(
            [
                wait("m.org", 20, "https://m.org"), wait("m.org", 40, "https://m.org"),
                wait("m.org", 30, "http://m.org"),
                wait("uni", 50, nil), wait("m.org", 60, "https://m.org:8443"),
            ], now: now, zone: .gmt)
        #expect(
            told.map(\.text) == [
                "m.org isn't available; waiting 40s", "m.org:8443 isn't available; waiting 1m00s",
                "uni isn't available; waiting 50s",
            ])
    }

    @Test("counts and lists")
    func counts() {
        #expect(Wording.count(1, "video") == "1 video")
        #expect(Wording.count(100_000, "video") == "100,000 videos")
        #expect(Wording.grouped(-1234) == "-1,234")
        #expect(Wording.list(["a", "b", "c"]) == "a, b and c")
        #expect(Wording.list(["a"], "or") == "a")
        #expect(Wording.list([]) == "")
    }

    @Test(
        "points in time without a calendar",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_215_661.9, "2026-11-20T23:01:01Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] as [(Double, String)])
    func timestamps(seconds: Double, expected: String) {
        #expect(Date(timeIntervalSince1970: seconds).rfc3339 == expected)
    }

    @Test("local times have the day only if it isn't today")
    func localTimes() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 3600))
        let now = Date(timeIntervalSince1970: 1_795_215_600)
        #expect(ClockFormat.local(now.addingTimeInterval(-7200), now: now, zone: zone) == "20 Nov 22:00")
        #expect(ClockFormat.local(now.addingTimeInterval(600), now: now, zone: zone) == "00:10")
        #expect(ClockFormat.local(now.addingTimeInterval(86400 * 60), now: now, zone: zone) == "20 Jan 2027 00:00")
    }

    @Test(
        "shell quoting",
        arguments: [
            ("catalog.yaml", "catalog.yaml"), ("my catalog.yaml", "'my catalog.yaml'"), ("it's", "'it'\\''s'"),
            ("-rf", "'./-rf'"), ("", "''"), ("größe.yaml", "größe.yaml"), ("$HOME", "'$HOME'"),
        ])
    func quoting(text: String, expected: String) {
        #expect(ShellWord.quoted(text) == expected)
    }
}
