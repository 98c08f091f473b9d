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
}
