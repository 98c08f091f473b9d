import Checkout
import Foundation
import Testing

/// Every type with a URL, a token or a header has to print as redacted.
@Suite("Types that can hold a secret")
struct SecretTypesTests {
    /// Names of a property, or of a case with a value, that may hold a secret if it is text.
    private static var names: Regex<Substring> {
        /(?i)url|token|header|credential|secret|cookie|proxy|environment|password/
    }
    /// The conformances that make a type print as redacted.
    private static var marks: Regex<Substring> { /RedactedInPrint|PrintsRedacted|HidesAddress|CustomReflectable/ }
    /// Rooms that nothing secret gets out of otherwise; the commands print what they were given.
    static let rooms = [
        "ProviderKit", "ProviderHTTP", "ProviderHost", "CourseCatalog", "MediaTransfer", "HLSMedia", "DownloadStore",
        "MediaLibrary",
        "UserState", "SyncFacts", "FilePlacement", "DownloadJobs", "CatalogComparison", "DownloadRunner",
        "ProviderConformance", "MigrationSources", "Migration", "Operations",
    ]
    /// Names that look like secrets but are only names of things.
    private static let harmless: Set = [
        "Manifest.credentials", "Manifest.environment", "Parameters.credentials", "PluginSummary.credentials",
        "Manifest.cookies", "PluginSummary.cookies", "ProviderLogin.cookies", "Provider.cookies",
        "ConformanceFault.strayCookie",
    ]

    @Test("every type that holds a URL, token, header or credentials as text prints as redacted", arguments: rooms)
    func types(room: String) throws {
        let files = Room.named(room)?.files ?? []
        let code = try files.map { try Checkout.code($0).joined(separator: "\n") }.joined(separator: "\n")
        for file in files {
            for (type, member) in Self.members(try Checkout.code(file))
            where !Self.harmless.contains("\(type).\(member)") {
                #expect(Self.isRedacted(type, in: code), "\(file): \(type).\(member) may hold a secret, and prints it")
            }
        }
    }

    @Test(
        "types that may hold a secret are found in every form of declaration",
        arguments: [
            ("struct A {\n    var url: String\n}", ["A.url"]),
            ("package struct A: Sendable {\n    package let mediaURL: String?\n}", ["A.mediaURL"]),
            ("enum A {\n    case url(String)\n    case other(Int)\n}", ["A.url"]),
            (
                "struct A {\n    enum B {\n        case c\n    }\n    private var headers: [String: String] = [:]\n}",
                ["A.headers"]
            ),
            ("struct A {\n    var token: Secret<String>\n    var url: URL { x }\n    var isURL: Bool\n}", []),
            ("struct A {\n    func f() {\n        let url: String = x\n    }\n}", []),
        ] as [(String, [String])])
    func forms(code: String, found: [String]) {
        let lines = code.split(separator: "\n").map(String.init)
        #expect(Self.members(lines).map { "\($0.type).\($0.member)" } == found)
    }

    /// Properties and cases with a telling name and a text in them, each with its type's name.
    private static func members(_ lines: [String]) -> [(type: String, member: String)] {
        let declaration =
            /^\s*(?:@\w+ )*(?:(?:package|public|private|fileprivate|final|indirect) )*(struct|class|enum|actor|extension|protocol) ([\w.]+)/
        let property =
            /^\s*(?:(?:package|public|private|fileprivate|nonisolated|private\(set\)|package private\(set\)) )*(?:let|var) (\w+)(.*)$/
        let value = /^\s*(?:indirect )?case (\w+)\((.*)\)/
        var found: [(type: String, member: String)] = []
        var types: [(name: String, depth: Int)] = []
        var depth = 0
        for line in lines {
            if let match = line.firstMatch(of: declaration) { types.append((String(match.2), depth)) }
            if let type = types.last, depth == type.depth + 1 {
                let member =
                    line.firstMatch(of: property).map { ($0.1, $0.2, line.contains("{")) }
                    ?? line.firstMatch(of: value).map { ($0.1, $0.2, false) }
                if let (name, rest, isComputed) = member, !isComputed, !line.contains("static "),
                    name.contains(names), rest.contains("String"), !rest.contains("Secret<")
                {
                    found.append((type.name, String(name)))
                }
            }
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
            while let last = types.last, depth <= last.depth, line.contains("}") { types.removeLast() }
        }
        return found
    }

    private static func isRedacted(_ type: String, in code: String) -> Bool {
        let name = type.split(separator: ".").last.map(String.init) ?? type
        return code.split(separator: "\n").contains { line in
            line.contains(marks)
                && (line.contains("struct \(name):") || line.contains("enum \(name):")
                    || line.contains("class \(name):")
                    || line.contains("extension \(name):") || line.contains(".\(name):"))
        }
    }
}
