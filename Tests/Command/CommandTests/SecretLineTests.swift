import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Terminal

@Suite("Hidden input of a line")
struct SecretLineTests {
    private static func result(_ bytes: some Sequence<UInt8>) -> SecretLine.Action {
        var line = SecretLine()
        for byte in bytes {
            let action = line.take(byte)
            if action != .more { return action }
        }
        return .more
    }

    @Test(
        "the usual editing keys work",
        arguments: [
            ("secret\n", .done("secret")), ("secret\r", .done("secret")), ("pä\u{7F}\u{7F}ass\n", .done("ass")),
            ("abc\u{8}d\n", .done("abd")), ("\u{7F}a\n", .done("a")), ("wrong\u{15}right\n", .done("right")),
            ("wrong\u{17}right\n", .done("right")), ("\u{4}", .ended), ("abc\u{4}", .done("abc")), ("\n", .done("")),
            ("a\tb \u{1F511}\n", .done("a\tb \u{1F511}")),
            ("a\u{1B}[Ab\u{1B}[1;5Cc\u{1B}OHd\u{1B}xe\n", .done("abcde")),
            ("a\u{0}\u{1}b\n", .done("ab")), ("abc", .more),
        ] as [(String, SecretLine.Action)])
    func editing(_ typed: String, _ action: SecretLine.Action) { #expect(Self.result(typed.utf8) == action) }

    @Test("a long token is read whole, up to a limit")
    func bounds() {
        let token = String(repeating: "x", count: 20_000)
        #expect(Self.result((token + "\n").utf8) == .done(token))
        #expect(Self.result(repeatElement(UInt8(ascii: "x"), count: SecretLine.longest + 1)) == .tooLong)
        #expect(Self.result([0xFF, 0x0A]) == .notUTF8)
    }
}
