import ProviderHost
import YAMLSource

extension FuzzHarness {
    private static let yamlWords = [
        "\t", "[", "]", "{", "}", ": ", "- ", "&x ", "*x", "*v", "<<: *p", "!!int ", "!!str ", "\"", "'", "|\n", ">-\n",
        "\n", "\n  ", "\u{0}", "---\n", "...\n", "%YAML 1.2\n", "#", "\u{FEFF}", "? ", "0x7f", "0o7", "1e308", "-0.0",
        ".inf",
        "~", "no", "9007199254740993", "\\x7f", "\\u2028", "\u{85}", "é",
    ]

    /// YAML: refused with a place in the text, or written as JSON, which is YAML, too, and read again to the same.
    static let yaml = FuzzHarness(
        name: "yaml",
        texts: [
            "a: &x [1, 0x1F, 0o17, 1.5, .5e3, ~, true, 'it''s', \"\\u00e9\\n\"]\nb: {<<: {c: *x}, d: |\n  text\n}\n",
            "- >-\n  folded\n  text\n- ? key\n  : value\n- !!str 12\n- {a: [b, {c: d}]}\n",
            "%YAML 1.2\n---\nx: 1\n...\n",
        ], words: yamlWords, corpus: "yaml-test-suite"
    ) { buffer in
        let bytes = Array(buffer)
        let node: YAMLNode
        do throws(YAMLParseError) { node = try YAMLNode.parse(bytes: bytes, file: "f") } catch {
            try promise(!error.diagnostics.isEmpty, "nothing is said of what is wrong")
            try check(error.diagnostics, bytes)
            return false
        }
        let json = node.json
        guard json.utf8.count <= YAMLLimits.smallFile.bytes, isWritable(node) else { return true }
        let isSame: Bool
        do throws(YAMLParseError) {
            let again = try YAMLNode.parse(text: json, file: "g")
            isSame = again.canonicalJSON == node.canonicalJSON
        } catch {
            throw BrokenPromise(description: "can't be read again: \(json)\n\(error.diagnostics)")
        }
        try promise(isSame, "read otherwise: \(json)")
        return true
    }

    /// Manifests: refused with a place in the text, or with all that the host relies on.
    static let manifest = FuzzHarness(
        name: "manifest",
        texts: [
            """
            name: secure-link
            version: 1.0.0
            protocol: 1
            description: Files behind nginx
            run: [./secure-link, -x]
            methods: [resolve, login, list]
            concurrency: 16
            timeout: 10.5
            credentials: [secret]
            environment: [XDG_CONFIG_HOME]
            parameters:
              type: object
              required: [base]
              properties:
                base: {type: string, pattern: "^https?://[^/?#@]+/?$", description: host}
                n: {type: [integer, "null"], minimum: 1, maximum: 315360000, default: 3600}
                e: {enum: [a, 1, null], const: a, minLength: 1, maxLength: 4}
                l: {type: array, items: {type: object, additionalProperties: false}}
              additionalProperties: {type: [string, integer, number, boolean]}

            """,
            "name: a\nprotocol: 1\nrun: [./a]\nparameters: {type: object}\n",
        ],
        words: yamlWords + [
            "name", "version", "protocol: 1", "run: ", "methods: ", "concurrency: ", "timeout: ", "parameters: ",
            "credentials: ", "environment: ", "properties", "pattern", "(a+)+$", "[", "items", "additionalProperties",
            "required", "default", "enum", "const", "type", "object",
        ]
    ) { buffer in
        let bytes = Array(buffer)
        let manifest: Manifest
        let warnings: [Diagnostic]
        do throws(ManifestProblem) { (manifest, warnings) = try ManifestReader.read(bytes, file: "plugin.yaml") } catch
        {
            try promise(!error.reason.isEmpty, "nothing is said of what is wrong")
            if case .invalid(let diagnostics) = error { try check(diagnostics, bytes) }
            return false
        }
        try check(warnings, bytes)
        try promise((1...64).contains(manifest.name.utf8.count), "a name of \(manifest.name.utf8.count) bytes")
        try promise(!manifest.run.isEmpty, "nothing to run")
        try promise(manifest.concurrency > 0, "\(manifest.concurrency) at once")
        try promise(manifest.timeout > .zero, "\(manifest.timeout) for an answer")
        return true
    }

    /// Every position is in the text, or means the whole of it.
    static func check(_ diagnostics: [Diagnostic], _ bytes: [UInt8]) throws {
        // Beside LF and CR YAML knows three ends of lines of two or three bytes.
        let lines = bytes.count { [0x0A, 0x0D, 0x85, 0xA8, 0xA9].contains($0) } + 1
        for diagnostic in diagnostics {
            try promise((0...lines + 1).contains(diagnostic.line), "line \(diagnostic.line) of \(lines)")
            try promise((0...bytes.count + 2).contains(diagnostic.column), "column \(diagnostic.column)")
            try promise(!diagnostic.summary.contains("\n"), "a message in several lines")
        }
    }

    /// Whether YAML takes it in the form of JSON: libyaml wants some characters as escapes, and short keys.
    private static func isWritable(_ node: YAMLNode) -> Bool {
        switch node.value {
        case .string(let text): isWritable(text)
        case .sequence(let nodes): nodes.allSatisfy(isWritable)
        case .mapping(let mapping):
            mapping.allSatisfy {
                $0.key.utf8.count < 300 && $0.key != "<<" && isWritable($0.key) && isWritable($0.value)
            }
        case .null, .bool, .int, .double: true
        }
    }

    private static func isWritable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            !(0x7F...0x9F).contains(scalar.value) && ![0x2028, 0x2029, 0xFEFF].contains(scalar.value)
                && scalar.value & 0xFFFE != 0xFFFE
        }
    }
}
