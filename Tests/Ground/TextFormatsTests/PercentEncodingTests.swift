import Testing
import TextFormats

@Suite("percent-encoding")
struct PercentEncodingTests {
    private static let everyByte = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar($0) })) + "ü😀"

    @Test(
        "each part of a URL keeps what it may have, and no more",
        arguments: [
            ("a b/c?d=1&é", "a%20b%2Fc%3Fd%3D1%26%C3%A9", "a%20b/c%3Fd%3D1%26%C3%A9", "a%20b/c?d=1&%C3%A9"),
            ("100%", "100%25", "100%25", "100%"), ("\"<\\^`{|}>\u{7F}", "%22%3C%5C%5E%60%7B%7C%7D%3E%7F", nil, nil),
            ("-._~", "-._~", "-._~", "-._~"), ("", "", "", ""), ("a\0\n", "a%00%0A", nil, nil),
        ] as [(String, String, String?, String?)])
    func parts(_ text: String, component: String, path: String?, reference: String?) {
        #expect(PercentEncoding.encoded(text) == component)
        #expect(PercentEncoding.encoded(path: text) == path ?? component)
        #expect(PercentEncoding.repaired(text) == reference ?? component)
    }

    @Test("whatever is in a text, it comes back, and its encoding is plain ASCII")
    func roundTrip() {
        for encoded in [PercentEncoding.encoded(Self.everyByte), PercentEncoding.encoded(path: Self.everyByte)] {
            #expect(PercentEncoding.decoded(encoded) == Self.everyByte)
            #expect(encoded.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "%/".utf8.contains($0) })
        }
    }

    @Test(
        "a percent sign without two digits stays, and bytes that are no text are none",
        arguments: [
            ("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("%%41", "%A"), ("%c3%BC", "ü"), ("%ff", nil), ("%+1", "%+1"),
            ("a+b", "a+b"), ("%00", "\0"),
        ] as [(String, String?)])
    func decoded(_ text: String, _ plain: String?) { #expect(PercentEncoding.decoded(text) == plain) }
}
