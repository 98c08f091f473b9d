import Testing
import TextFormats

@Suite("dates of HTTP")
struct HTTPDateTests {
    /// 20 November 2026.
    private static let now: Int64 = 1_795_132_800

    @Test(
        "reads the three forms of a date",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
            ("Wed, 29 Feb 2023 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 06 Nov 1994 08:49 GMT", nil), ("06 Nov 1994 08:49:37", nil), ("tomorrow", nil), ("", nil),
            ("sun, 06 nov 1994 08:49:37 GMT", 784_111_777), ("Sun, 06 Nov 1994 08:49:37 UTC", 784_111_777),
            ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777), ("Sun, 06 Nov 1994 0x:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:+7 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 94 08:49:37 GMT", nil), ("Sun, 6 November 1994 08:49:37 GMT", nil),
            ("Wed, 31 Dec 1969 23:59:59 GMT", nil), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sun, 06 Nov 10000 08:49:37 GMT", nil), ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func date(_ text: String, _ expected: Int64?) {
        #expect(HTTPDate.seconds(text, now: Self.now) == expected)
    }

    @Test("takes a two-digit year that lies more than 50 years ahead for one of the last century")
    func century() {
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: 2_524_608_000) == 3_939_871_777)
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: Self.now) == 784_111_777)
    }
}
