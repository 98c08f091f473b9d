import Crypto
import Foundation
import ProviderKit
import TextFormats

/// The source of a catalog, from the command line or the settings. An address may contain a secret.
package enum CatalogAddress: Sendable, Equatable, PrintsRedacted {
    /// A path.
    case file(String)
    /// `-`.
    case standardInput
    /// A URL; only http and https can be fetched.
    case web(String)

    /// Reads the text; everything except `-` and addresses is a path.
    package init(_ text: String) {
        if text == "-" {
            self = .standardInput
        } else if text.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\//) != nil {
            self = .web(text)
        } else {
            self = .file(text)
        }
    }

    /// The form to show and store: without a user's name and password, a query as `?…`.
    package var shown: String {
        switch self {
        case .file(let path): path
        case .standardInput: "<stdin>"
        case .web(let text):
            Self.withoutSecrets(text).map { $0.text + ($0.query == nil ? "" : "?…") } ?? Self.unreadable
        }
    }

    /// The name of the catalog's courses in the state; nil for a file, which is named by its real path. A query is
    /// included as a digest.
    package var identity: String? {
        switch self {
        case .file: return nil
        case .standardInput: return "-"
        case .web(let text):
            guard let (bare, query) = Self.withoutSecrets(text) else { return Self.unreadable }
            // Not as a query, which nothing that is shown has.
            return bare + (query.map { ";" + Self.digest($0).prefix(12) } ?? "")
        }
    }

    /// The folder of an address, as an address without a trailing `/`; nil for other sources.
    var folder: String? {
        guard case .web(let text) = self, let (bare, _) = Self.withoutSecrets(text) else { return nil }
        let host = bare.range(of: "://").flatMap { bare[$0.upperBound...].firstIndex(of: "/") } ?? bare.endIndex
        guard let slash = bare.lastIndex(of: "/"), slash >= host else { return bare }
        return String(bare[..<slash])
    }

    /// The name of a copy: equal for equal addresses, whatever the password.
    var copyName: String? {
        guard case .web(let text) = self, let (bare, query) = Self.withoutSecrets(text) else { return nil }
        return String(Self.digest(bare + "?" + (query ?? "")).prefix(32))
    }

    private static let unreadable = "http://…"

    private static func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).hex
    }

    private static func withoutSecrets(_ text: String) -> (text: String, query: String?)? {
        guard var parts = URLComponents(string: text), parts.host?.isEmpty == false else { return nil }
        let query = parts.percentEncodedQuery
        (parts.user, parts.password, parts.percentEncodedQuery, parts.fragment) = (nil, nil, nil, nil)
        parts.scheme = parts.scheme?.lowercased()
        return parts.string.map { ($0, query) }
    }
}
