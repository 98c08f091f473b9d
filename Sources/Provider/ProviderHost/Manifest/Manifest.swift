package import YAMLSource

/// The contents of `plugin.yaml`.
package struct Manifest: Sendable {
    /// The version of the protocol that this host speaks.
    package static let spokenProtocol = 1
    /// The parameter with the server's address of a manifest that doesn't name one.
    package static let standardServer = "endpoint"

    /// Its name in catalogs: 1–64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit.
    package var name: String
    /// Its own version, as free text.
    package var version: String?
    /// A description in one line.
    package var description: String?
    /// Its argv.
    package var run: [String]
    /// The methods of the protocol that it supports.
    package var methods: Set<String>
    /// Patterns of the addresses that it may recognise, with `*` and `?`; empty for any.
    package var addresses: [String] = []
    /// Whether its answer to `resolve` depends on the video's id and parameters only, not on course or chapter.
    package var ignoresCourse: Bool
    /// The parameter with the address of its server: what it names must be in the public network, or in that server's.
    /// Nil for any.
    package var confinedTo: String?
    /// The parameter with the address or the host of the server that its logins, refusals and waits are about.
    package var server = Self.standardServer
    /// How many requests it can have in flight.
    package var concurrency: Int
    /// The time limit for one answer.
    package var timeout: Duration
    /// The schema of its catalog parameters.
    package var parameters: ParameterSchema
    /// The secrets that a login asks for.
    package var credentials: [String]
    /// Those of them that are a browser's session.
    package var cookies: [String] = []
    /// Variables that are passed in addition to the usual ones.
    package var environment: [String]

    /// The lists of secrets of which a login gives one: all, or where a session is another way to log in, that alone
    /// or the others alone.
    package var loginChoices: [[String]] {
        let others = credentials.filter { !cookies.contains($0) }
        return cookies.isEmpty || others.isEmpty ? [credentials] : [credentials, cookies, others]
    }
}

/// The reason why a manifest can't be used.
package enum ManifestProblem: Error, Sendable, Equatable {
    /// The file can't be read.
    case unreadable(String)
    /// It is of another version of the protocol.
    case otherProtocol(Int)
    /// It has mistakes; each has its position.
    case invalid([Diagnostic])

    /// The problem in one line, with its first position if there are several.
    package var reason: String {
        switch self {
        case .unreadable(let reason): reason
        case .otherProtocol(let version):
            "it speaks version \(version) of the protocol; this coursefetch speaks \(Manifest.spokenProtocol)"
        case .invalid(let diagnostics):
            (diagnostics.first.map { "\($0.location): \($0.summary)" } ?? "its manifest is invalid")
                + (diagnostics.count > 1 ? " (and \(diagnostics.count - 1) more)" : "")
        }
    }
}
