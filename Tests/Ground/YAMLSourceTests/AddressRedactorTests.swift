import Testing
import YAMLSource

@Suite("addresses in texts")
struct AddressRedactorTests {
    @Test(
        "they lose users, queries and fragments",
        arguments: [
            ("plain: text", "plain: text"), ("https://h/p", "https://h/p"),
            ("see https://h/p?a=b.", "see https://h/p?…"),
            ("<http://u:p@h:1/p#f> and HTTPS://g?x", "<http://h:1/p#…> and HTTPS://g?…"), ("http://", "http://"),
            (#"{"url":"https://h/p?q","x":1}"#, #"{"url":"https://h/p?…","x":1}"#),
            ("ftp://u:p@h/?x", "ftp://h/?…"), ("//u:p@h/a?b=c", "//h/a?…"),
            ("GET /a b?sig=x HTTP/1.1", "GET /a b?… HTTP/1.1"), ("really? /a = b", "really? /a = b"),
            ("a=http://u:p@h,b=http://u:p@g", "a=http://h,b=http://g"), ("https://h/p?\u{301}sig=1", "https://h/p?…"),
            ("and/or what?", "and/or what?"), ("C#/F#", "C#/F#"), ("a//b#c", "a//b#c"),
        ])
    func removed(_ text: String, _ shown: String) {
        #expect(AddressRedactor.withoutSecrets(text) == shown)
    }

    @Test("in a line of a file they are masked, character for character; of a webhook the path, too")
    func masked() {
        let line = #"  - {url: "https://u:ü@h/services/T0?x=1", format: slak}"#
        #expect(
            AddressRedactor.masked(line, paths: false) == #"  - {url: "https://****h/services/T0?***", format: slak}"#)
        #expect(
            AddressRedactor.masked(line, paths: true) == #"  - {url: "https://****h/***************", format: slak}"#)
    }

    @Test("where a line is cut within an address, what may be its secret is masked")
    func cut() {
        func masked(_ text: String, before: Bool = false, after: Bool = false) -> String {
            AddressRedactor.masked(text, paths: false, isCutBefore: before, isCutAfter: after)
        }
        #expect(masked("g=hush&x=1', b: c", before: true) == "**********', b: c")
        #expect(masked("title, b: c", before: true) == "title, b: c")
        #expect(masked("a: 'https://me:hus", after: true) == "a: 'https://******")
        #expect(masked("a: 'https://h/pa", after: true) == "a: 'https://h/pa")
        #expect(masked("https://h/?a", before: true, after: true) == "************")
    }

    @Test("a line that is shown with a mistake has no secrets, and its caret stands where it stood")
    func excerpt() {
        let bytes = Array("- {url: 'https://u:p@h/a?t=hush', formt: x}".utf8)
        let excerpt = bytes.withUnsafeBytes { SourceExcerpt(of: SourcePosition(line: 1, column: 35), in: $0) }
        #expect(excerpt?.line == "- {url: 'https://****h/a?******', formt: x}" && excerpt?.indent == 34)
    }
}
