import Foundation
import ProviderKit
import Testing
import UserState

@testable import SyncFacts

@Suite("secrets from a file")
struct LoginSecretsTests {
    private func read(_ text: String, _ names: [String]) throws(Refusal) -> [String: String] {
        do {
            return try LoginSecrets(Data(text.utf8), file: "FILE", names: names).values.value
        } catch {
            throw Refusal(error)
        }
    }

    @Test(
        "a mapping of the names; a single secret may be the whole text",
        arguments: [
            ("user: a\npass: b\n", ["user", "pass"], ["user": "a", "pass": "b"]),
            ("{\"user\": \"a\", \"pass\": \"b c\"}", ["user", "pass"], ["user": "a", "pass": "b c"]),
            ("pass: '0123'\n", ["pass"], ["pass": "0123"]), ("s3cr3t\n", ["pass"], ["pass": "s3cr3t"]),
            ("s3cr3t\r\n", ["pass"], ["pass": "s3cr3t"]), ("s3cr3t\n\n", ["pass"], ["pass": "s3cr3t\n"]),
            ("0123", ["pass"], ["pass": "0123"]), ("null", ["pass"], ["pass": "null"]),
            ("[1", ["pass"], ["pass": "[1"]), ("@%&", ["pass"], ["pass": "@%&"]), (" a ", ["pass"], ["pass": " a "]),
            ("{}", [], [:]),
        ] as [(String, [String], [String: String])])
    func forms(_ text: String, _ names: [String], _ secrets: [String: String]) throws {
        #expect(try read(text, names) == secrets)
    }

    @Test(
        "everything else is refused with 64, by name and line, without secrets",
        arguments: [
            ("user: CANARY\n", ["user", "pass"], .missing(["pass"])),
            ("user: ''\npass: ''\n", ["user", "pass"], .missing(["user", "pass"])),
            ("user: a\npass: b\nCANARY: c\n", ["user", "pass"], .unknownName(line: 3)),
            ("pass: 0123\n", ["pass"], .notText(name: "pass", kind: "an integer", line: 1)),
            ("pass: no\nuser: true\n", ["user", "pass"], .notText(name: "user", kind: "a boolean", line: 2)),
            ("CANARY\n", ["user", "pass"], .notAMapping), ("\n", ["pass"], .noText), ("", ["pass"], .noText),
            ("user: a\nuser: CANARY\npass: b", ["user", "pass"], .notYAML(line: 2)),
            ("pass:\n", ["pass"], .noValue(name: "pass", line: 1)),
            ("pass=CANARY\n", ["pass"], .assignment("pass")), ("pass: @CANARY\n", ["pass"], .notYAML(line: 1)),
            ("CANARY: x\n", ["pass"], .unknownName(line: 1)),
        ] as [(String, [String], LoginSecretsError.Problem)])
    func refused(_ text: String, _ names: [String], _ problem: LoginSecretsError.Problem) {
        let error = LoginSecretsError(file: "FILE", names: names, problem: problem)
        #expect(throws: Refusal.loginSecrets(error)) { try read(text, names) }
        #expect(Refusal(error).condition == .usage)
    }

    @Test(
        "a browser's session is the whole text, or is under its name, and may be there in place of the others",
        arguments: [
            ("# x\nh\tTRUE\t/\ta: b\n", ["session"], ["session": "# x\nh\tTRUE\t/\ta: b\n"]),
            ("Cookie: a=1; b=2\n", ["session"], ["session": "Cookie: a=1; b=2\n"]),
            ("session=1; b=2", ["session"], ["session": "session=1; b=2"]),
            ("session: |\n  h\tFALSE\n", ["session"], ["session": "h\tFALSE\n"]),
            ("session: a=1", ["user", "pass", "session"], ["session": "a=1"]),
            ("user: a\npass: b\n", ["user", "pass", "session"], ["user": "a", "pass": "b"]),
            ("user: a\npass: b\nsession: c", ["user", "pass", "session"], ["user": "a", "pass": "b", "session": "c"]),
            ("user: a\nsession: c", ["user", "pass", "session"], nil), ("user: a\n", ["user", "pass", "session"], nil),
        ] as [(String, [String], [String: String]?)])
    func cookies(_ text: String, _ names: [String], _ secrets: [String: String]?) {
        let read = try? LoginSecrets(Data(text.utf8), file: "FILE", names: names, cookies: ["session"])
        #expect(read?.values.value == secrets)
        let missing = LoginSecretsError(file: "FILE", names: names, problem: .missing(["pass"]))
        guard secrets == nil else { return }
        #expect(throws: missing) { try LoginSecrets(Data(text.utf8), file: "FILE", names: names, cookies: ["session"]) }
    }

    @Test("text that isn't UTF-8, or is endless, is refused")
    func bounds() {
        #expect(throws: LoginSecretsError(file: "FILE", names: ["pass"], problem: .notUTF8)) {
            try LoginSecrets(Data([0xFF, 0xFE]), file: "FILE", names: ["pass"])
        }
        #expect(throws: LoginSecretsError(file: "FILE", names: ["pass"], problem: .tooLong)) {
            try LoginSecrets(Data(count: LoginSecrets.longest + 1), file: "FILE", names: ["pass"])
        }
    }

    @Test("they print as redacted")
    func printed() {
        let secrets = LoginSecrets(["pass": "CANARY"])
        var text = "\(secrets) \(String(reflecting: secrets)) \(String(describing: secrets))"
        dump(secrets, to: &text)
        #expect(!text.contains("CANARY") && text.contains("<redacted>"))
    }
}
