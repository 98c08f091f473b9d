import Foundation
import Testing
import TextFormats

@Suite("times of RFC 3339")
struct TimestampTests {
    @Test(
        "times are RFC 3339",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-20T23:00:00Z", 1_795_215_600), ("2000-02-29T12:00:00Z", 951_825_600),
            ("1969-12-31T23:59:59Z", -1), ("2026-11-21T00:00:00+01:00", 1_795_215_600),
            ("2026-11-20t23:00:00.25z", 1_795_215_600.25),
            ("2100-03-01T00:00:00-00:30", 4_107_544_200), ("2016-12-31T23:59:60Z", 1_483_228_799),
        ] as [(String, Double)])
    func times(_ text: String, _ seconds: Double) {
        #expect(Timestamp.date(text)?.timeIntervalSince1970 == seconds)
        let back = Timestamp.text(Date(timeIntervalSince1970: seconds))
        #expect(Timestamp.date(back)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "texts that aren't times are refused",
        arguments: [
            "", "tomorrow", "2026-11-20", "2026-11-20T23:00Z", "2026-13-20T23:00:00Z", "2026-02-29T23:00:00Z",
            "2026-11-20T24:00:00Z", "2026-11-20T23:00:00", "2026-11-20T23:00:00.Z", "2026-11-20T23:00:00+1:00",
            "2026-11-20T23:00:00Zjunk", "٢٠٢٦-11-20T23:00:00Z", "1795215600",
        ])
    func noTimes(_ text: String) {
        #expect(Timestamp.date(text) == nil)
    }
}
