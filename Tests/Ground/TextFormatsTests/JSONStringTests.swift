import Testing
import TextFormats

@Suite("texts as JSON strings")
struct JSONStringTests {
    private func text(_ text: String, _ escaping: JSONString.Escaping) -> String {
        var bytes: [UInt8] = []
        JSONString.append(text, to: &bytes, escaping: escaping)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "what has to be is escaped, and for a terminal what could control it; other text stays as it is",
        arguments: [
            ("", #""""#, nil), ("a/é😀", "\"a/é😀\"", nil), ("\"\\\n\r\t", #""\"\\\n\r\t""#, nil),
            ("\0\u{8}\u{C}\u{1B}\u{1F}", #""\u0000\u0008\u000c\u001b\u001f""#, nil),
            ("é\u{7F}\u{9B}", "\"é\u{7F}\u{9B}\"", #""é\u007f\u009b""#),
            ("\u{2028}\u{202E}\u{2066}", "\"\u{2028}\u{202E}\u{2066}\"", #""\u2028\u202e\u2066""#),
        ] as [(String, String, String?)])
    func escapes(_ plain: String, required: String, terminal: String?) {
        #expect(text(plain, .required) == required)
        #expect(text(plain, .terminal) == terminal ?? required)
    }

    @Test("every character comes back")
    func roundTrip() throws {
        let scalars = (0...0x10FFFF).lazy.compactMap { Unicode.Scalar($0) }
        let plain = String(String.UnicodeScalarView(scalars))
        for escaping in [JSONString.Escaping.required, .terminal] {
            let read = try JSONReader.value(of: text(plain, escaping).utf8)
            #expect(read.string?.unicodeScalars.elementsEqual(plain.unicodeScalars) == true)
        }
    }
}
