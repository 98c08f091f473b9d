import Foundation
import Testing
import TextFormats

@Suite("dates of mails, feeds and listings")
struct WebDateTests {
    @Test(
        "dates are read in the forms of headers, mails and feeds",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6 Nov 94 08:49 +0100", 784_108_140),
            ("Sun, 06 Nov 1994 03:49:37 EST", 784_111_777), ("1994-11-06T08:49:37Z", 784_111_777),
            ("Sunday, 6 November 1994 08:49:37 +0000", 784_111_777), ("06 Nov 1994", 784_080_000),
            ("", nil), ("yesterday", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil), ("6 Nov 94 25:00 GMT", nil),
            ("6 Nov 94 08:49 +1", nil), ("-1", nil), ("1 2 3", nil),
            ("Sun, 06 Nov 1994 09:49:37 CET", 784_111_777), ("Mon, 06 Jun 1994 10:49:37 CEST", 770_892_577),
            ("Sun, 06 Nov 1994 10:49:37 GMT+2", 784_111_777), ("6 Nov 1994 10:49:37 UTC+02:00", 784_111_777),
            ("Sun, 06 Nov 1994 09:49:37 +01", 784_111_777), ("Nov 6, 1994 08:49:37", 784_111_777),
            ("November 6, 1994", 784_080_000), ("1994-11-06", 784_080_000), ("1994-11-06T09:49+01:00", 784_111_740),
            ("1994-11-06 09:49:37 CET", 784_111_777), ("1994-11-06T08:49:37", 784_111_777),
            ("1994-11-06T08:49:37.25+0000", 784_111_777), ("1994-Nov-06 08:49", 784_111_740),
            ("1994-11", nil), ("1994-11-31", nil), ("94-11-06", nil), ("1994-11-06T", nil), ("t", nil), ("T1", nil),
            ("1994-11-06-01", nil), ("6 Nov 1994 08:49 GMT+", nil), ("6 Nov 1994 08:49 GMT+12345", nil),
        ] as [(String, Int?)])
    func dates(_ text: String, _ seconds: Int?) {
        #expect(WebDate.date(text)?.timeIntervalSince1970 == seconds.map(Double.init))
    }
}
