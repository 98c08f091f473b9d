import HLSMedia
import MediaTransfer
import Testing

@Suite("references within playlists")
struct URLReferenceTests {
    static func resolve(_ reference: String, _ base: String = "http://a/b/c/d;p?q") throws -> String? {
        URLReference.resolve(reference, against: try #require(ParsedURL(base)))
    }

    @Test(
        "the examples of RFC 3986 §5.4, without fragments",
        arguments: [
            ("g", "b/c/g"), ("./g", "b/c/g"), ("g/", "b/c/g/"), ("/g", "g"), ("?y", "b/c/d;p?y"), ("g?y", "b/c/g?y"),
            ("#s", "b/c/d;p?q"), ("g#s", "b/c/g"), ("g?y#s", "b/c/g?y"), (";x", "b/c/;x"), ("g;x", "b/c/g;x"),
            ("g;x?y#s", "b/c/g;x?y"), ("", "b/c/d;p?q"), (".", "b/c/"), ("./", "b/c/"), ("..", "b/"), ("../", "b/"),
            ("../g", "b/g"), ("../..", ""), ("../../", ""), ("../../g", "g"), ("../../../g", "g"),
            ("../../../../g", "g"),
            ("/./g", "g"), ("/../g", "g"), ("g.", "b/c/g."), (".g", "b/c/.g"), ("g..", "b/c/g.."), ("..g", "b/c/..g"),
            ("./../g", "b/g"), ("./g/.", "b/c/g/"), ("g/./h", "b/c/g/h"), ("g/../h", "b/c/h"),
            ("g;x=1/./y", "b/c/g;x=1/y"), ("g;x=1/../y", "b/c/y"), ("g?y/./x", "b/c/g?y/./x"),
            ("g?y/../x", "b/c/g?y/../x"), ("g#s/./x", "b/c/g"), ("g#s/../x", "b/c/g"),
        ])
    func table(reference: String, path: String) throws { #expect(try Self.resolve(reference) == "http://a/" + path) }

    @Test(
        "references to other hosts, and unusual forms in playlists",
        arguments: [
            ("//g", "http://g/"), ("//g/x?y", "http://g/x?y"), ("https://h:8443/x/../y", "https://h:8443/y"),
            ("HTTPS://H/x", "https://H/x"), ("https://u:p@h/x", "https://h/x"),
            ("http://[::1]:80/x", "http://[::1]:80/x"),
            ("10:30.ts", "http://a/b/c/10:30.ts"), ("a_b:c.ts", "http://a/b/c/a_b:c.ts"),
            ("x?u=http://h/y", "http://a/b/c/x?u=http://h/y"), ("a b.ts?c d", "http://a/b/c/a%20b.ts?c%20d"),
            ("ü/\"<>\\^`{|}~%20%zz", "http://a/b/c/%C3%BC/%22%3C%3E%5C%5E%60%7B%7C%7D~%20%zz"),
            ("https://h/ü?ü", "https://h/%C3%BC?%C3%BC"), ("//h?x y", "http://h/?x%20y"),
            ("a+b%2Fc", "http://a/b/c/a+b%2Fc"),
            ("a//b", "http://a/b/c/a//b"),
        ])
    func others(reference: String, url: String) throws { #expect(try Self.resolve(reference) == url) }

    @Test(
        "schemes other than http and https are refused",
        arguments: [
            "file:///etc/passwd", "data:text/plain,x", "ftp://h/x", "skd://x", "g:h", "http:g", "https:/g",
            "javascript:x",
            "urn:x", "http://", "https:///x", "///x", "//", "http://h:99999/", "http://a b/",
            "x" + String(repeating: "y", count: 20_000),
        ])
    func refused(reference: String) throws { #expect(try Self.resolve(reference) == nil) }

    @Test("a base without a path, and one with a query of slashes")
    func bases() throws {
        #expect(try Self.resolve("x", "https://h") == "https://h/x")
        #expect(try Self.resolve("x", "https://h?q=/a/b") == "https://h/x")
        #expect(try Self.resolve("?x", "https://h") == "https://h/?x")
        #expect(try Self.resolve("x", "https://h/a/?q=b/c") == "https://h/a/x")
        #expect(try Self.resolve("?n=2", "https://h/a.m3u8?n=1/2") == "https://h/a.m3u8?n=2")
        #expect(try Self.resolve("#", "https://h/a?n=1") == "https://h/a?n=1")
    }
}
