import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line to or from a plugin in the form of the log: the same object without possible secrets.
///
/// Credentials, secrets and tokens are removed by key, headers as everywhere, URLs lose user, query and fragment, and
/// known secrets are replaced anywhere.
package enum WireLogLine {
    private static let longestText = 500

    /// Nil for a line that isn't JSON: that is reported elsewhere.
    package static func of(_ line: UnsafeRawBufferPointer, _ redactor: Redactor) -> String? {
        guard let value = try? JSONReader.value(of: line, depth: AnswerDecoder.depthBound) else { return nil }
        // Nothing is learned of a line before it is shown.
        var redactor = redactor
        for answer in [value["result"], value["error"]?["data"]] {
            if let credentials = answer?["credentials"] { redactor.learn(credentials, areRenewed: true) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(shown(value, redactor))).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func shown(_ value: JSONValue, _ redactor: Redactor) -> JSONValue {
        switch value {
        case .null, .bool, .int, .double: value
        case .string(let text): .string(redactor.redact(text, limit: longestText))
        case .array(let values): .array(values.map { shown($0, redactor) })
        case .object(let members):
            .object(
                Dictionary(
                    members.map { (redactor.redact($0, limit: longestText), member($0, $1, redactor)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    private static func member(_ name: String, _ value: JSONValue, _ redactor: Redactor) -> JSONValue {
        switch (name, value) {
        case (_, .null): .null
        case ("credentials", _), ("secrets", _): .string(Redactor.mark)
        case ("token", .object(let token)): shown(marked(token), redactor)
        case ("tokens", .array(let tokens)):
            .array(tokens.map { token in token.object.map { shown(marked($0), redactor) } ?? .string(Redactor.mark) })
        case ("headers", .object(let headers)):
            shown(.object(shown(headers)), redactor)
        default: shown(value, redactor)
        }
    }

    private static func marked(_ token: [String: JSONValue]) -> JSONValue {
        .object(token.merging(["value": .string(Redactor.mark)]) { $1 })
    }

    private static func shown(_ headers: [String: JSONValue]) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        for (name, value) in headers { result[name] = .string(Redactor.header(name, value.string ?? "")) }
        return result
    }
}
