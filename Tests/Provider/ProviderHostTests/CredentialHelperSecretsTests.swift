import Foundation
import ProviderKit
import Testing

@testable import ProviderHost

@Suite("Input and output of a credential helper")
struct CredentialHelperSecretsTests {
    @Test(
        "secrets have their own names, or git's",
        arguments: [
            (["username", "password"], "username=a\npassword=b\n", ["username": "a", "password": "b"]),
            (["email", "secret"], "username=a\npassword=b\n", ["email": "a", "secret": "b"]),
            (["token"], "password=b\n", ["token": "b"]), (["token"], "token=t\npassword=b\n", ["token": "t"]),
            (["key", "pin"], "key=k\npin=p\n", ["key": "k", "pin": "p"]), (["key", "pin"], "password=p\n", nil),
            (["password"], "", nil), ([], "", [:]),
            (["password"], "nonsense\n=x\npassword=old\npassword=a=b \n", ["password": "a=b "]),
        ] as [([String], String, [String: String]?)])
    func given(names: [String], text: String, expected: [String: String]?) {
        #expect(CredentialHelper.secrets(names, in: Secret(CredentialHelper.values(text))) == expected)
    }

    @Test(
        "a password is never taken for another field that the answer lacks",
        arguments: [
            (["username", "password"], "password=hush\n"), (["email", "secret"], "password=hush\n"),
            (["site", "username", "password"], "username=a\npassword=hush\n"),
            (["host", "secret"], "secret=s\npassword=hush\n"), (["host", "secret"], "host=h\npassword=hush\n"),
            (["access_key", "secret_key"], "access_key=a\npassword=hush\n"), (["user"], "password=hush\n"),
        ] as [([String], String)])
    func onlyByName(names: [String], text: String) {
        #expect(CredentialHelper.secrets(names, in: Secret(CredentialHelper.values(text))) == nil)
    }

    @Test("stored fields have git's names, too")
    func stored() {
        #expect(
            CredentialHelper.stored(["email": "a", "pin": "b"]) == [
                "email": "a", "pin": "b", "username": "a", "password": "b",
            ])
        #expect(CredentialHelper.stored(["token": "t"]) == ["token": "t", "password": "t"])
    }

    @Test(
        "a browser's session comes in lines or in one, alone or with the others, and a password is none",
        arguments: [
            ("session[]=a\nsession[]=b\n", ["session": "a\nb\n"]), ("session=x=1; y=2\n", ["session": "x=1; y=2"]),
            ("user=a\npin=b\n", ["user": "a", "pin": "b"]), ("username=a\npassword=b\n", ["user": "a", "pin": "b"]),
            ("user=a\npin=b\nsession=s\n", ["user": "a", "pin": "b", "session": "s"]), ("password=b\n", nil),
        ] as [(String, [String: String]?)])
    func session(text: String, expected: [String: String]?) throws {
        let (manifest, _) = try ManifestReader.read(
            Array("{name: a, protocol: 1, run: [./a], credentials: [user, pin, session], cookies: [session]}".utf8),
            file: "plugin.yaml")
        #expect(CredentialHelper.secrets(manifest, in: Secret(CredentialHelper.values(text))) == expected)
        #expect(
            CredentialHelper.stored(["user": "a", "session": "x\ny\n"], cookies: ["session"]) == [
                "user": "a", "username": "a", "session[]": "x\ny\n",
            ])
    }

    @Test("a secret with a line break can't be stored, and isn't shown")
    func lineBreak() async throws {
        let helper = CredentialHelper(command: "cat", provider: "p", user: "u")
        await #expect(throws: CredentialHelper.Failure.unwritable(name: "password")) {
            try await helper.run(.store, secrets: ["password": "a\nb"])
        }
    }

    @Test("a secret with the name of a line about the request has a key of its own, and comes back under its name")
    func ownKeys() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let kept = folder.appending(path: "kept").path
        let helper = CredentialHelper(
            command: "f() { if [ $1 = store ]; then cat > \(kept); else cat \(kept); fi; }; f", provider: "secure-link",
            user: "anna", endpoint: "https://h")
        let secrets = ["host": "media.example.org", "path": "/a", "endpoint": "e", "protocol": "p", "secret": "s"]
        try await helper.run(.store, secrets: secrets)
        #expect(
            try String(contentsOfFile: kept, encoding: .utf8) == """
                protocol=coursefetch
                host=secure-link
                path=anna
                endpoint=https://h
                secret_endpoint=e
                secret_host=media.example.org
                secret_path=/a
                secret_protocol=p
                secret=s


                """)
        #expect(try await helper.run(.get).value == secrets)
        // A helper that keeps names as they are has them under these.
        let plain = CredentialHelper(command: "printf 'host=h\\nsecret=s\\n' #", provider: "secure-link", user: "anna")
        #expect(
            CredentialHelper.secrets(["host", "secret"], in: try await plain.run(.get)) == ["host": "h", "secret": "s"])
    }

    @Test("the command is a shell command, with the operation appended")
    func command() async throws {
        let helper = CredentialHelper(command: "f() { echo op=$2; echo arg=$1; cat; }; f one", provider: "p", user: "u")
        #expect(
            try await helper.run(.get).value
                == ["op": "get", "arg": "one"], "its own lines, repeated, are no secrets")
        await #expect(throws: CredentialHelper.Failure.exited(3)) {
            try await CredentialHelper(command: "exit 3;", provider: "p", user: "u").run(.get)
        }
    }
}
