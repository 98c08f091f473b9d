import Foundation
import TextFormats

/// A request to the page, as a value.
package struct PageRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    package var method: Method
    /// The components of the path below the page's root, decoded: an encoded slash doesn't divide them. The root itself
    /// has none.
    package var path: [String]
    /// The first value of each name.
    package var query: [String: String]
    /// By their names in lower case; several of a name are joined by commas.
    package var headers: [String: String]
    /// The fields of a form.
    package var form: [String: String] = [:]
    /// The numeric address of the client, or of a proxy.
    package var remote: String

    package init(
        method: Method, path: [String], query: [String: String] = [:], headers: [String: String] = [:], remote: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.remote = remote
    }

    /// From the target of a request line (RFC 9112 §3.2.1). Nil if it isn't a path below `base`, or can't be decoded.
    ///
    /// - Parameter base: the path of the page's root, with a slash at both ends.
    package init?(
        method: Method, target: String, base: String, headers: [String: String], remote: String
    ) {
        guard target.utf8.count <= 8192, target.hasPrefix(base) else { return nil }
        let parts = target.dropFirst(base.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false) where !part.isEmpty {
            guard let text = PercentEncoding.decoded(part), !text.utf8.contains(0) else { return nil }
            path.append(text)
        }
        let query = parts.count > 1 ? Self.fields(parts[1]) : [:]
        self.init(method: method, path: path, query: query, headers: headers, remote: remote)
    }

    /// The fields of a query or of a form (application/x-www-form-urlencoded). What can't be decoded is left out, and
    /// of several with one name the first counts.
    package static func fields(_ text: some StringProtocol) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&").prefix(100) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { PercentEncoding.decoded(String($0.map { $0 == "+" ? " " : $0 })) }
            guard let name = texts[0], fields[name] == nil else { continue }
            fields[name] = texts.count > 1 ? texts[1] ?? "" : ""
        }
        return fields
    }

    /// How many levels below the root the path is, as the prefix of relative addresses: `./`, `../`, `../../`.
    package var root: String { path.count < 2 ? "./" : String(repeating: "../", count: path.count - 1) }

    package func cookie(_ name: String) -> String? {
        for part in (headers["cookie"] ?? "").split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if pair.count == 2, pair[0] == name { return pair[1] }
        }
        return nil
    }

    /// Whether the client would rather have JSON than a page.
    package var wantsJSON: Bool { headers["accept"]?.contains("application/json") ?? false }
}
