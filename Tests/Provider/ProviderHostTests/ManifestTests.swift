import ProviderKit
import Testing
import YAMLSource

@testable import ProviderHost

/// What a manifest may say.
@Suite struct ManifestTests {
    private func read(_ text: String) throws(ManifestProblem) -> (Manifest, warnings: [Diagnostic]) {
        try ManifestReader.read(Array(text.utf8), file: "plugin.yaml")
    }

    @Test("a complete manifest")
    func whole() throws {
        let (manifest, warnings) = try read(
            """
            name: peertube
            version: 1.0
            protocol: 1
            description: Videos on any PeerTube instance
            run: [./peertube, --quiet, 7]
            methods: [resolve, list, login, dance]
            ignores_course: true
            confined_to: host
            server: host
            concurrency: 8
            timeout: 1.5
            parameters:
              type: object
              required: [host]
              properties:
                host: {type: string}
                scope: {enum: [public, members], default: public}
              additionalProperties: false
            credentials: [username, password]
            environment: [HTTPS_PROXY]
            credentails: []
            """)
        #expect(manifest.name == "peertube")
        #expect(manifest.version == "1.0")
        #expect(manifest.run == ["./peertube", "--quiet", "7"])
        #expect(manifest.methods.contains("list"))
        #expect(manifest.ignoresCourse)
        #expect(manifest.confinedTo == "host" && manifest.server == "host")
        #expect(manifest.concurrency == 8)
        #expect(manifest.timeout == .milliseconds(1500))
        #expect(manifest.credentials == ["username", "password"])
        #expect(manifest.environment == ["HTTPS_PROXY"])
        #expect(manifest.parameters.required == ["host"])
        #expect(manifest.parameters.properties.map(\.name) == ["host", "scope"])
        #expect(
            warnings.map(\.text) == [
                "plugin.yaml:21:1: warning: the key 'credentails' is unknown and ignored; did you mean 'credentials'?"
            ])
    }

    @Test("a browser's session is one of the credentials")
    func cookies() throws {
        let text = "{name: a, protocol: 1, run: [./a], credentials: [user, session], cookies: [session]}"
        let (manifest, warnings) = try read(text)
        #expect(manifest.cookies == ["session"] && warnings.isEmpty)
        #expect(manifest.loginChoices == [["user", "session"], ["session"], ["user"]])
        #expect(try read(text.replacing("[user, session]", with: "[session]")).0.loginChoices == [["session"]])
        do {
            _ = try read(text.replacing("cookies: [session]", with: "cookies: [sesion]"))
            Issue.record("it was taken")
        } catch {
            guard case .invalid(let diagnostics) = error else {
                Issue.record("\(error)")
                return
            }
            let words = "'cookies' has 'sesion', which isn't one of the 'credentials'; did you mean 'session'?"
            #expect(diagnostics.map(\.text) == ["plugin.yaml:1:75: error: \(words)"])
        }
        let scalar = text.replacing("cookies: [session]", with: "cookies: session")
        #expect(throws: ManifestProblem.self) { try read(scalar) }
    }

    @Test("omitted keys have the protocol's defaults")
    func smallest() throws {
        let (manifest, warnings) = try read("{name: a, protocol: 1, run: [./a]}")
        #expect(manifest.methods == ["resolve"] && manifest.server == "endpoint")
        #expect(!manifest.ignoresCourse)
        #expect(manifest.concurrency == 1)
        #expect(manifest.timeout == .seconds(30))
        #expect(manifest.parameters == .anything)
        #expect(warnings.isEmpty)
    }

    @Test(
        "mistakes are reported at their place",
        arguments: [
            ("[]", ["1:1: error: a manifest is a mapping with name, protocol and run, not a list"]),
            (
                "{}",
                ["1:1: error: 'protocol' is missing", "1:1: error: 'name' is missing", "1:1: error: 'run' is missing"]
            ),
            (
                "{name: -a, protocol: 1, run: [x]}",
                ["1:8: error: 'name' is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit"]
            ),
            (
                "{name: a b, protocol: 1, run: [x]}",
                ["1:8: error: 'name' is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit"]
            ),
            ("{name: a, protocol: one, run: [x]}", ["1:21: error: 'protocol' is 1, not text"]),
            (
                "{name: a, protocol: 1, run: ./a}",
                ["1:29: error: 'run' is a list of words, the executable first: [./a]"]
            ),
            ("{name: a, protocol: 1, run: []}", ["1:29: error: 'run' is a list of words, the executable first: [./a]"]),
            (
                "{name: a, protocol: 1, run: [x], methods: [list]}",
                ["1:43: error: 'methods' must have resolve; it may have list, courses, recognise and login"]
            ),
            (
                "{name: a, protocol: 1, run: [x], methods: [resolve, recognise], addresses: ['[a']}",
                ["1:76: error: 'addresses' has patterns with * and ? only"]
            ),
            (
                "{name: a, protocol: 1, run: [x], addresses: ['*']}",
                ["1:45: error: 'addresses' goes with recognise among the 'methods'"]
            ),
            (
                "{name: a, protocol: 1, run: [x], concurrency: 0}",
                ["1:47: error: 'concurrency' is a whole number from 1 to 1000"]
            ),
            (
                "{name: a, protocol: 1, run: [x], timeout: 0}",
                ["1:43: error: 'timeout' is a number of seconds above 0, up to 3600"]
            ),
            (
                "{name: a, protocol: 1, run: [x], environment: [A=B]}",
                ["1:47: error: 'environment' is a list of names of variables, such as [HTTPS_PROXY]"]
            ),
            (
                "{name: a, protocol: 1, run: [x], credentials: password}",
                ["1:47: error: 'credentials' is a list of names"]
            ),
            (
                "{name: a, protocol: 1, run: [x], parameters: {type: string}}",
                ["1:46: error: 'parameters' describes an object: type: object"]
            ),
            (
                "{name: a, protocol: 1, run: [x], parameters: {oneOf: []}}",
                [
                    "1:47: error: the keyword 'oneOf' isn't one of type, enum, const, required, properties, additionalProperties, "
                        + "items, minimum, maximum, minLength, maxLength, pattern, description, default"
                ]
            ),
            (
                "{name: a, protocol: 1, run: [x], parameters: {properties: {n: {type: int, pattern: '(', minLength: -1}}}}",
                [
                    "1:70: error: 'type' is one of object, array, string, integer, number, boolean, null",
                    "1:84: error: 'pattern' isn't a regular expression",
                    "1:100: error: 'minLength' is a whole number, 0 or more",
                ]
            ),
            (
                "{name: a, protocol: 1, run: [x], parameters: {properties: {n: {type: integer, default: x}}}}",
                ["1:88: error: 'default' must be an integer, not text"]
            ),
        ])
    func mistakes(_ text: String, _ wanted: [String]) {
        do {
            _ = try read(text)
            Issue.record("passed")
        } catch .invalid(let diagnostics) {
            #expect(diagnostics.map { "\($0.line):\($0.column): \($0.severity): \($0.summary)" } == wanted)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("another version of the protocol is reported before any other mistake")
    func otherProtocol() {
        #expect(throws: ManifestProblem.otherProtocol(2)) { try read("{protocol: 2, run: {new: way}}") }
        #expect(
            ManifestProblem.otherProtocol(2).reason == "it speaks version 2 of the protocol; this coursefetch speaks 1")
    }
}
