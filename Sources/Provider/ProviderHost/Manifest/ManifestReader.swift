package import YAMLSource

/// Reads a manifest, collecting all mistakes.
package struct ManifestReader {
    private static let keys = [
        "name", "version", "protocol", "description", "run", "methods", "addresses", "ignores_course", "confined_to",
        "server", "concurrency", "timeout", "parameters", "credentials", "cookies", "environment",
    ]

    private var problems = DiagnosticList()
    private let root: YAMLNode
    private let mapping: YAMLMapping

    /// The manifest in `bytes`, the text of `file`. Keys unknown to this version are ignored, with a warning.
    package static func read(
        _ bytes: [UInt8], file: String
    ) throws(ManifestProblem) -> (Manifest, warnings: [Diagnostic]) {
        let root: YAMLNode
        do {
            root = try YAMLNode.parse(bytes: bytes, file: file)
        } catch {
            throw .invalid(error.diagnostics)
        }
        guard let mapping = root.mapping else {
            throw .invalid([root.error("a manifest is a mapping with name, protocol and run, not \(root.value.kind)")])
        }
        // First: the other keys may have another meaning in another version.
        if let version = mapping["protocol"]?.int, version != Manifest.spokenProtocol { throw .otherProtocol(version) }
        var reader = ManifestReader(root: root, mapping: mapping)
        return try reader.manifest()
    }

    private init(root: YAMLNode, mapping: YAMLMapping) {
        self.root = root
        self.mapping = mapping
    }

    private mutating func manifest() throws(ManifestProblem) -> (Manifest, warnings: [Diagnostic]) {
        for entry in mapping where !Self.keys.contains(entry.key) {
            problems.add(
                Diagnostic(
                    .warning, at: entry.keyLocation, "the key '\(entry.key)' is unknown and ignored",
                    suggestion: NearestName.suggestion(for: entry.key, among: Self.keys)))
        }
        if required("protocol")?.int == nil, let node = mapping["protocol"] {
            fail(node, "'protocol' is \(Manifest.spokenProtocol), not \(node.value.kind)")
        }
        var manifest = Manifest(
            name: name(), version: text("version"), description: text("description"), run: run(), methods: methods(),
            ignoresCourse: flag("ignores_course"), confinedTo: text("confined_to"), concurrency: concurrency(),
            timeout: timeout(),
            parameters: parameters(),
            credentials: names("credentials"), environment: environment())
        manifest.addresses = names("addresses")
        if let node = mapping["addresses"], !manifest.methods.contains("recognise") {
            fail(node, "'addresses' goes with recognise among the 'methods'")
        }
        let isOdd = manifest.addresses.contains { pattern in pattern.contains { "[]\\".contains($0) } }
        if let node = mapping["addresses"], isOdd {
            fail(node, "'addresses' has patterns with * and ? only")
        }
        manifest.cookies = names("cookies")
        if let node = mapping["cookies"],
            let stranger = manifest.cookies.first(where: { !manifest.credentials.contains($0) })
        {
            let suggestion = NearestName.suggestion(for: stranger, among: manifest.credentials)
            problems.error(
                at: node.location, "'cookies' has '\(stranger)', which isn't one of the 'credentials'",
                suggestion: suggestion)
        }
        if let server = text("server") {
            manifest.server = server
            if manifest.parameters.property(server) == nil, let node = mapping["server"] {
                fail(node, "'server' is the name of one of the 'parameters'")
            }
        }
        let found = problems.sorted
        if found.contains(where: { $0.severity == .error }) { throw .invalid(found.filter { $0.severity == .error }) }
        return (manifest, found)
    }

    private mutating func name() -> String {
        guard let node = required("name") else { return "" }
        let name = scalarText(node) ?? ""
        let isValid =
            (1...64).contains(name.utf8.count) && name.first.map { $0.isLetter || $0.isNumber } == true
            && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        if !isValid {
            fail(node, "'name' is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit")
        }
        return name
    }

    private mutating func run() -> [String] {
        guard let node = required("run") else { return [] }
        let words = node.sequence?.map { scalarText($0) ?? "" } ?? []
        if words.isEmpty || words.contains(where: { $0.isEmpty || $0.utf8.contains(0) }) {
            fail(node, "'run' is a list of words, the executable first: [./\(mapping["name"]?.string ?? "plugin")]")
        }
        return words
    }

    private mutating func methods() -> Set<String> {
        guard let node = mapping["methods"] else { return ["resolve"] }
        let methods = Set(names("methods"))
        if !methods.contains("resolve") {
            fail(node, "'methods' must have resolve; it may have list, courses, recognise and login")
        }
        return methods
    }

    private mutating func flag(_ key: String) -> Bool {
        guard let node = mapping[key] else { return false }
        if case .bool(let flag) = node.value { return flag }
        fail(node, "'\(key)' is true or false")
        return false
    }

    private mutating func concurrency() -> Int {
        guard let node = mapping["concurrency"] else { return 1 }
        if let count = node.int, (1...1000).contains(count) { return count }
        fail(node, "'concurrency' is a whole number from 1 to 1000")
        return 1
    }

    private mutating func timeout() -> Duration {
        guard let node = mapping["timeout"] else { return .seconds(30) }
        if let seconds = node.double, seconds > 0, seconds <= 3600 { return .seconds(seconds) }
        fail(node, "'timeout' is a number of seconds above 0, up to 3600")
        return .seconds(30)
    }

    private mutating func parameters() -> ParameterSchema {
        guard let node = mapping["parameters"] else { return .anything }
        var reader = ParameterSchemaReader()
        let schema = reader.schema(node)
        if !schema.takesObjects {
            reader.problems.error(at: node.location, "'parameters' describes an object: type: object")
        }
        problems.add(contentsOf: reader.problems)
        return schema
    }

    private mutating func environment() -> [String] {
        let names = names("environment")
        if let node = mapping["environment"], !names.allSatisfy({ $0.utf8.allSatisfy(isNameByte) && !$0.isEmpty }) {
            fail(node, "'environment' is a list of names of variables, such as [HTTPS_PROXY]")
        }
        return names
    }

    private mutating func names(_ key: String) -> [String] {
        guard let node = mapping[key] else { return [] }
        guard let names = node.sequence?.map(scalarText), !names.contains(where: { $0?.isEmpty ?? true }) else {
            fail(node, "'\(key)' is a list of names")
            return []
        }
        return names.compactMap(\.self)
    }

    private mutating func text(_ key: String) -> String? {
        guard let node = mapping[key], !node.isNull else { return nil }
        if let text = scalarText(node) { return PrintableScalars.safe(text) }
        fail(node, "'\(key)' is text, not \(node.value.kind)")
        return nil
    }

    private mutating func required(_ key: String) -> YAMLNode? {
        if let node = mapping[key] { return node }
        fail(root, "'\(key)' is missing")
        return nil
    }

    private mutating func fail(_ node: YAMLNode, _ message: String) {
        problems.error(at: node.location, message)
    }

    /// A scalar as text; a version such as `1.0` is read as a number by YAML.
    private func scalarText(_ node: YAMLNode) -> String? {
        switch node.value {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool, .null, .sequence, .mapping: nil
        }
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
