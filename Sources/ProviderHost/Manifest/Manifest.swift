package import YAMLSource

/// What `plugin.yaml` says about a plugin.
package struct Manifest: Sendable {
    /// The version of the protocol that this host speaks.
    package static let spokenProtocol = 1

    /// The name by which catalogs call it: 1–64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit.
    package var name: String
    /// Its own version, in its own words.
    package var version: String?
    /// One line on what it is good for.
    package var description: String?
    /// Its argv.
    package var run: [String]
    /// The methods of the protocol that it has.
    package var methods: Set<String>
    /// Whether what it answers to `resolve` depends on the video's id and parameters alone: never on course or chapter.
    package var ignoresCourse: Bool
    /// How many requests it can have in flight.
    package var concurrency: Int
    /// How long it may take for one answer.
    package var timeout: Duration
    /// What catalog parameters it takes.
    package var parameters: ParameterSchema
    /// The secrets that a login asks for.
    package var credentials: [String]
    /// Variables that are passed on beside the usual ones.
    package var environment: [String]
}

/// Why a manifest can't be used.
package enum ManifestProblem: Error, Sendable, Equatable {
    /// The file can't be read.
    case unreadable(String)
    /// It is of another version of the protocol.
    case otherProtocol(Int)
    /// It is wrong; every place is named.
    case invalid([Diagnostic])

    /// The problem in one line, by its first place if there are several.
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
