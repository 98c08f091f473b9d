import Foundation
import Testing

@testable import SyncFacts

@Suite("The bandwidth by weekday and time of day")
struct BandwidthTimetableTests {
    static let utc = zone("UTC")
    static let berlin = zone("Europe/Berlin")

    static func zone(_ name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }

    /// RFC 3339.
    static func date(_ text: String) -> Date {
        guard case .instant(let date) = RunWindow.End(text) else { return .distantPast }
        return date
    }

    private func rates(_ timetable: String, _ times: [String], in zone: TimeZone = utc) throws -> [Int64?] {
        let timetable = try #require(BandwidthTimetable(timetable))
        return times.map { timetable.rate(at: Self.date($0), in: zone) }
    }

    /// All changes from `start` to `end`, with the rate that holds from then on.
    private func changes(
        _ timetable: String, from start: String, to end: String, in zone: TimeZone
    ) throws -> [String] {
        let timetable = try #require(BandwidthTimetable(timetable))
        var changes: [String] = []
        var now = Self.date(start)
        while let next = timetable.nextChange(after: now, in: zone), next <= Self.date(end) {
            #expect(next > now)
            let rate = timetable.rate(at: next, in: zone)
            #expect(timetable.rate(at: next - 1, in: zone) != rate, "a change at \(next) changes something")
            changes.append("\(next.formatted(.iso8601)) \(rate.map(String.init) ?? "off")")
            now = next
        }
        return changes
    }

    @Test("a rate without times always applies")
    func constant() throws {
        let timetable = try #require(BandwidthTimetable("10M"))
        #expect(timetable.rate(at: Self.date("2026-11-21T00:00:00Z"), in: Self.utc) == 10_485_760)
        #expect(timetable.nextChange(after: Self.date("2026-11-21T00:00:00Z"), in: Self.utc) == nil)
        #expect(timetable.constant == .some(10_485_760) && BandwidthTimetable.unlimited.constant == .some(nil))
        #expect(BandwidthTimetable.unlimited.rate(at: .now, in: Self.utc) == nil)
    }

    @Test("before the first slot of a day the last one of the day before applies")
    func wraps() throws {
        let rates = try rates(
            "08:00,512K 23:00,off",
            [
                "2026-11-21T00:00:00Z", "2026-11-21T07:59:59Z", "2026-11-21T08:00:00Z", "2026-11-21T22:59:59Z",
                "2026-11-21T23:00:00Z",
            ])
        #expect(rates == [nil, nil, 524_288, 524_288, nil])
    }

    @Test("weekdays: a slot applies over nights and over the end of the week until the next one")
    func weekdays() throws {
        // 21 November 2026 is a Saturday.
        let times = [
            "2026-11-20T17:59:59Z", "2026-11-20T18:00:00Z", "2026-11-22T23:00:00Z", "2026-11-23T08:59:00Z",
            "2026-11-23T09:00:00Z", "2026-11-26T03:00:00Z",
        ]
        #expect(
            try rates("Mon-09:00,1M Fri-18:00,off", times) == [1_048_576, nil, nil, nil, 1_048_576, 1_048_576])
        let changes = try changes(
            "Mon-09:00,1M Fri-18:00,off", from: "2026-11-21T00:00:00Z", to: "2026-12-01T00:00:00Z", in: Self.utc)
        #expect(
            changes == ["2026-11-23T09:00:00Z 1048576", "2026-11-27T18:00:00Z off", "2026-11-30T09:00:00Z 1048576"])
    }

    @Test("of two entries for one moment the later one counts, also for a day with its own slots")
    func overridden() throws {
        let times = ["2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z", "2026-11-22T07:00:00Z", "2026-11-22T12:00:00Z"]
        #expect(try rates("08:00,512K Sat-08:00,off", times) == [524_288, nil, nil, 524_288])
    }

    @Test("times are local: another zone, another instant")
    func zones() throws {
        #expect(
            try rates("08:00,512K 23:00,off", ["2026-11-21T07:00:00Z", "2026-11-21T22:00:00Z"], in: Self.berlin)
                == [524_288, nil])
        let kathmandu = Self.zone("Asia/Kathmandu")
        #expect(
            try changes("08:00,1K 23:00,off", from: "2026-11-21T00:00:00Z", to: "2026-11-22T00:00:00Z", in: kathmandu)
                == ["2026-11-21T02:15:00Z 1024", "2026-11-21T17:15:00Z off"])
    }

    @Test("the night when the clock is put forward: a skipped slot begins at that moment")
    func spring() throws {
        // At 2:00 it becomes 3:00, which is 01:00Z.
        let changes = try changes(
            "01:30,1K 02:30,2K 03:30,3K", from: "2027-03-28T00:00:00Z", to: "2027-03-28T12:00:00Z", in: Self.berlin)
        #expect(changes == ["2027-03-28T00:30:00Z 1024", "2027-03-28T01:00:00Z 2048", "2027-03-28T01:30:00Z 3072"])
    }

    @Test("the night when an hour comes twice: a slot in it begins once, the first time, and stays")
    func autumn() throws {
        // At 3:00 it becomes 2:00, which is 01:00Z.
        let changes = try changes(
            "02:30,1K 03:00,2K 12:00,off", from: "2026-10-24T22:00:00Z", to: "2026-10-25T12:00:00Z", in: Self.berlin)
        #expect(changes == ["2026-10-25T00:30:00Z 1024", "2026-10-25T02:00:00Z 2048", "2026-10-25T11:00:00Z off"])
        let rates = try rates(
            "02:30,1K 12:00,off",
            ["2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z", "2026-10-25T01:10:00Z", "2026-10-25T01:45:00Z"],
            in: Self.berlin)
        #expect(rates == [nil, 1024, 1024, 1024], "also at ten past two for the second time")
    }

    @Test("a zone in which midnight is skipped")
    func skippedMidnight() throws {
        // In Asuncion's last spring, 0:00 on 6 October 2024 became 1:00, which is 04:00Z.
        let asuncion = Self.zone("America/Asuncion")
        let changes = try changes(
            "00:00,1K 12:00,off", from: "2024-10-06T00:00:00Z", to: "2024-10-07T00:00:00Z", in: asuncion)
        #expect(changes == ["2024-10-06T04:00:00Z 1024", "2024-10-06T15:00:00Z off"])
    }

    @Test(
        "a whole year has as many changes as days, each of them at its time",
        arguments: ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Tehran"])
    func year(_ name: String) throws {
        let zone = Self.zone(name)
        let timetable = try #require(BandwidthTimetable("06:15,1M 21:45,off"))
        var now = Self.date("2026-01-01T12:00:00Z")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        for _ in 0..<730 {
            now = try #require(timetable.nextChange(after: now, in: zone))
            let time = calendar.dateComponents([.hour, .minute, .second], from: now)
            let isMorning = timetable.rate(at: now, in: zone) != nil
            #expect(time.hour == (isMorning ? 6 : 21) && time.minute == (isMorning ? 15 : 45) && time.second == 0)
        }
        let days = now.timeIntervalSince(Self.date("2026-01-01T12:00:00Z")) / 86_400
        #expect((364.0...366).contains(days))
    }

    @Test(
        "each has one canonical form",
        arguments: [
            ("10M", "10M"), ("off", "off"), ("1536K", "1536K"), ("1024K", "1M"), ("1025B", "1025B"),
            ("8:00,512K 23:00,off", "08:00,512K 23:00,off"), ("23:00,off 08:00,512K", "08:00,512K 23:00,off"),
            ("Fri-18:00,off Mon-09:00,1M", "Mon-09:00,1M Fri-18:00,off"), ("08:00,1M 20:00,1M", "1M"),
            ("Mon-08:00,1M", "1M"),
            (
                "00:00,1K 12:00,2K Sun-00:00,off",
                "Sun-00:00,off Sun-12:00,2K "
                    + ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map { "\($0)-00:00,1K \($0)-12:00,2K" }
                    .joined(separator: " ")
            ),
        ])
    func canonical(text: String, expected: String) throws {
        let timetable = try #require(BandwidthTimetable(text))
        #expect(timetable.description == expected)
        #expect(BandwidthTimetable(expected) == timetable)
        let coded = try JSONEncoder().encode([timetable])
        #expect(String(decoding: coded, as: UTF8.self) == "[\"\(expected)\"]")
        #expect(try JSONDecoder().decode([BandwidthTimetable].self, from: coded) == [timetable])
    }

    @Test(
        "everything else is refused",
        arguments: [
            "", "10", "M", "0M", "-1M", "8,1M", "08:60,1M", "24:00,1M", "Xyz-08:00,1M", "08:00,1M,2M", "9999999T",
        ])
    func wrong(text: String) {
        #expect(BandwidthTimetable(text) == nil)
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode([BandwidthTimetable].self, from: Data("[\"\(text)\"]".utf8))
        }
    }
}
