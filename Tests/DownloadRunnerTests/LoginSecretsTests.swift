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
        "a mapping of the names; one secret alone may be the whole text",
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
        "anything else is refused with 64, by name and line, and without what may be secret",
        arguments: [
            ("user: CANARY\n", ["user", "pass"], "“pass” is missing or empty"),
            ("user: ''\npass: ''\n", ["user", "pass"], "“user”, “pass” are missing or empty"),
            ("user: a\npass: b\nCANARY: c\n", ["user", "pass"], "line 3: the provider asks for nothing of this name"),
            ("pass: 0123\n", ["pass"], "line 1: “pass” is an integer; put it in quotes"),
            ("pass: no\nuser: true\n", ["user", "pass"], "“user” is a boolean"),
            ("CANARY\n", ["user", "pass"], "isn't a mapping. Write each on a line of its own: user: … and pass: …"),
            ("\n", ["pass"], "is empty"),
            ("", ["pass"], "is empty"), ("user: a\nuser: CANARY\npass: b", ["user", "pass"], "can't be read as YAML"),
            ("pass:\n", ["pass"], "line 1: “pass” is empty"),
            ("pass=CANARY\n", ["pass"], "“pass=” is no part of a secret. Write: pass: …"),
            ("pass: @CANARY\n", ["pass"], "put a secret with special characters in single quotes"),
            ("CANARY: x\n", ["pass"], "line 1: the provider asks for nothing of this name"),
        ] as [(String, [String], String)])
    func refused(_ text: String, _ names: [String], _ message: String) {
        #expect {
            try read(text, names)
        } throws: { error in
            guard let refusal = error as? Refusal else { return false }
            #expect(refusal.message.contains(message), "\(refusal.message)")
            return refusal.condition == .usage && !refusal.message.contains("CANARY")
        }
    }

    @Test("text that isn't UTF-8, or has no end, is refused")
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
