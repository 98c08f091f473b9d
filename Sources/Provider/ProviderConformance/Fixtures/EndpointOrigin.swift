import Foundation
import ProviderKit

/// The scheme, host and port of a URL, which another address takes the place of.
struct EndpointOrigin: Sendable, PrintsRedacted {
    /// `https://media.example.org`, in the URL's spelling.
    let text: String

    /// The origin of a URL; nil if it isn't an absolute http or https one.
    init?(_ url: String) {
        guard let parts = URL(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            let host = parts.host(), !host.isEmpty
        else { return nil }
        let begin = url.index(url.startIndex, offsetBy: scheme.count + 3)
        let authority = url[begin...].prefix { !"/?#".contains($0) }
        // A user's name isn't part of it.
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        text = "\(url[..<begin])\(place)"
    }

    /// The text with another origin in the place of this one, also as JSON escapes it.
    func replaced(in other: String, by origin: String) -> String {
        let escaped = text.replacing("/", with: "\\/")
        return other.replacing(text, with: origin).replacing(escaped, with: origin.replacing("/", with: "\\/"))
    }

    /// A value with another origin in the place of this one in all its texts.
    func replaced(in value: JSONValue, by origin: String) -> JSONValue {
        switch value {
        case .string(let text): .string(replaced(in: text, by: origin))
        case .array(let values): .array(values.map { replaced(in: $0, by: origin) })
        case .object(let members): .object(members.mapValues { replaced(in: $0, by: origin) })
        case .null, .bool, .int, .double: value
        }
    }

    /// Bytes with another origin in the place of this one, if they are text.
    func replaced(in response: ServedResponse, by origin: String) -> ServedResponse {
        var response = response
        if response.isText {
            response.body = Array(replaced(in: String(decoding: response.body, as: UTF8.self), by: origin).utf8)
        }
        response.fields = response.fields.map { field in
            ["location", "content-location", "link"].contains(field.name.lowercased())
                ? MessageField(name: field.name, value: replaced(in: field.value, by: origin)) : field
        }
        return response
    }
}
