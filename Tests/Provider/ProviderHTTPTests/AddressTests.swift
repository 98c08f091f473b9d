import Foundation
import ProviderHTTP
import ProviderKit
import Testing

/// URLs, and how ids become part of them.
@Suite struct AddressTests {
    @Test(
        "names are percent-encoded in whole, whatever is in them",
        arguments: [
            ("a b", "a%20b"), ("100%", "100%25"), ("a/b?c#d", "a%2Fb%3Fc%23d"), ("\"'\\", "%22%27%5C"),
            ("a\nb", "a%0Ab"), ("ü😀", "%C3%BC%F0%9F%98%80"), ("..a", "..a"), ("%2e%2e", "%252e%252e"),
        ])
    func names(_ name: String, _ encoded: String) throws {
        let address = try #require(WebAddress("https://media.example.org/root/?x=1")?.appending(["a", name]))
        #expect(address.text == "https://media.example.org/root/a/\(encoded)")
        #expect(PercentEncoding.decoded(encoded) == name)
    }

    @Test("a name that a server would take for a way elsewhere is refused", arguments: ["", ".", "..", "a\0b"])
    func ways(_ name: String) { #expect(WebAddress("https://h")?.appending([name]) == nil) }

    @Test(
        "only absolute http and https URLs without a user name are addresses",
        arguments: [
            "", "h/x", "/x", "ftp://h/x", "file:///etc/passwd", "https://", "https://anna:pw@h/", "https://anna@h/",
            "javascript:1", "https://h:99999/", "http://a b/",
            "https://" + String(repeating: "a.", count: 126) + "aa/",
            "https://h/" + String(repeating: "a", count: 16_384),
        ])
    func refused(_ text: String) { #expect(WebAddress(text) == nil) }

    @Test(
        "every other form is brought into one",
        arguments: [
            ("HTTPS://Media.Example.ORG:443/a/../b", "https://media.example.org", "/b"),
            ("http://h:8080", "http://h:8080", "/"), ("http://[::1]:80/x#top", "http://[::1]", "/x"),
            ("https://h/ü b", "https://h", "/%c3%bc%20b"),
        ])
    func forms(_ text: String, _ origin: String, _ path: String) {
        #expect(WebAddress(text)?.origin == origin)
        #expect(WebAddress(text)?.path.lowercased() == path)
    }

    @Test("references are resolved, and fields added")
    func references() throws {
        let page = try #require(WebAddress("https://h/a/b?c=1"))
        #expect(page.resolving("../x?y")?.text == "https://h/x?y")
        #expect(page.resolving("//other/z")?.text == "https://other/z")
        #expect(page.resolving("javascript:alert(1)") == nil)
        #expect(page.adding(query: [("q", "a&b=ü")]).text == "https://h/a/b?c=1&q=a%26b%3D%C3%BC")
        #expect("\(page)" == "WebAddress(<redacted>)")
    }

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
