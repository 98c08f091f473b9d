/// A secret of a request, and the URLs that get it.
package struct ScopedSecret: Sendable, Hashable, RedactedInPrint {
    /// The part of a request that contains it.
    package enum Part: Sendable, Hashable, RedactedInPrint {
        case field(HTTPField)
        /// All cookies of a request are one field.
        case cookie(name: String, value: String)
        /// Added to the query, unless the URL already has an item of that name.
        case query(TransferRequest.QueryItem)

        /// Of two secrets in the same place one is sent.
        fileprivate var place: String {
            switch self {
            case .field(let field): "field \(ASCII.lowercased(field.name))"
            case .cookie(let name, _): "cookie \(name)"
            case .query(let item): "query \(item.name)"
            }
        }
    }

    package var part: Part
    package var scopes: [URLScope]

    package init(_ part: Part, for scopes: [URLScope]) {
        self.part = part
        self.scopes = scopes
    }

    /// Whether a URL may get it.
    package func isFor(_ url: String) -> Bool {
        guard let url = ParsedURL(url) else { return false }
        let isPlain = URLScope.isPlain(url)
        return scopes.contains { $0.contains(url, isPlain: isPlain) }
    }
}

extension [ScopedSecret] {
    /// What a URL gets: of several in the same place the one with the longest path, of equal ones the first.
    func parts(for url: ParsedURL) -> [ScopedSecret.Part] {
        guard !isEmpty else { return [] }
        let isPlain = URLScope.isPlain(url)
        var best: [String: (index: Int, length: Int)] = [:]
        for (index, secret) in enumerated() {
            let lengths = secret.scopes.compactMap { $0.contains(url, isPlain: isPlain) ? $0.length : nil }
            guard let length = lengths.max() else { continue }
            if let other = best[secret.part.place], other.length >= length { continue }
            best[secret.part.place] = (index, length)
        }
        return best.values.sorted { $0.index < $1.index }.map { self[$0.index].part }
    }
}

/// The URLs of an origin, or those at and below one of its paths, by whole components: `/a` has `/a/b`, not `/ab`.
package struct URLScope: Sendable, Hashable, RedactedInPrint {
    private let origin: Origin
    /// As in the URL, without the slash at its end; empty for all of the origin.
    private let path: String

    /// All URLs of an origin.
    package init(_ origin: Origin) {
        self.origin = origin
        path = ""
    }

    /// A URL and those below it; nil if it isn't an absolute http or https URL.
    package init?(prefix url: String) {
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP else { return nil }
        origin = parsed.origin
        var path = String(parsed.path)
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    /// The longer one wins.
    fileprivate var length: Int { path.utf8.count }

    /// Whether a URL's path has no steps, also not for a server that decodes it first. With `..` in it nobody knows
    /// where it leads.
    fileprivate static func isPlain(_ url: ParsedURL) -> Bool {
        var path = ASCII.lowercased(url.path)
        for (code, plain) in [("%2e", "."), ("%2f", "/"), ("%5c", "/"), ("\\", "/")] {
            path = path.split(separator: code, omittingEmptySubsequences: false).joined(separator: plain)
        }
        return !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    fileprivate func contains(_ url: ParsedURL, isPlain: Bool) -> Bool {
        guard url.origin == origin else { return false }
        if path.isEmpty { return true }
        return isPlain && url.path.hasPrefix(path) && [nil, "/"].contains(url.path.dropFirst(path.count).first)
    }
}
