import Foundation
import ProviderKit

/// The body of a request in an exchange's file, which a request's own body has to fit.
enum RequestBody: Sendable, Equatable, PrintsRedacted {
    /// Any body, or none.
    case any
    /// The fields of a form, in any order.
    case form([Field])
    case json(JSONValue)
    case bytes([UInt8])

    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    /// The body in these bytes, by their form.
    init(_ bytes: [UInt8]) {
        let text = String(validating: bytes, as: UTF8.self)
        if bytes.isEmpty || text == RecordedExchange.any {
            self = .any
        } else if let value = try? JSONReader.value(of: bytes), value.object != nil || value.array != nil {
            self = .json(value)
        } else if let text, let fields = Self.fields(of: text) {
            self = .form(fields)
        } else {
            self = .bytes(bytes)
        }
    }

    /// The fields of `a=1&b=2`; nil for any other text.
    static func fields(of text: String) -> [Field]? {
        guard text.contains("="), !text.contains(where: { $0.isWhitespace || $0 == "<" || $0 == "{" }) else {
            return nil
        }
        return text.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return Field(name: Self.plain(name), value: Self.plain(pair.dropFirst(name.count + 1)))
        }
    }

    private static func plain(_ text: Substring) -> String {
        text.replacing("+", with: " ").removingPercentEncoding ?? String(text)
    }

    /// The differences of a request with another body; none if it fits. A star matches any value.
    func differences(from sent: [UInt8]) -> [ExchangeDifference] {
        switch (self, RequestBody(sent)) {
        case (.any, _): return []
        case (.form(let own), .form(let other)): return Self.differences(own, other)
        case (.json(let own), .json(let other)): return Self.differences(own, other, at: "")
        case (.bytes(let own), _) where own == sent: return []
        default: return [ExchangeDifference(.body, recorded: text, sent: Self.text(sent))]
        }
    }

    private static func differences(_ own: [Field], _ other: [Field]) -> [ExchangeDifference] {
        var rest = other
        var found: [ExchangeDifference] = []
        for field in own {
            if let index = rest.firstIndex(where: {
                $0.name == field.name && (field.value == RecordedExchange.any || $0.value == field.value)
            }) {
                rest.remove(at: index)
            } else {
                let index = rest.firstIndex { $0.name == field.name }
                let sent = index.map { rest.remove(at: $0).value }
                found.append(ExchangeDifference(.field(field.name), recorded: field.value, sent: sent))
            }
        }
        return found + rest.map { ExchangeDifference(.field($0.name), recorded: nil, sent: $0.value) }
    }

    private static func differences(_ own: JSONValue, _ other: JSONValue, at place: String) -> [ExchangeDifference] {
        if own == .string(RecordedExchange.any) { return [] }
        if case .object(let members) = own, case .object(let others) = other {
            return Set(members.keys).union(others.keys).sorted().flatMap { key in
                let inner = place.isEmpty ? key : "\(place).\(key)"
                guard let value = members[key] else {
                    return [ExchangeDifference(.field(inner), recorded: nil, sent: text(others[key]))]
                }
                guard let sent = others[key] else {
                    return [ExchangeDifference(.field(inner), recorded: text(value), sent: nil)]
                }
                return differences(value, sent, at: inner)
            }
        }
        if case .array(let values) = own, case .array(let others) = other, values.count == others.count {
            return zip(values, others).enumerated().flatMap { index, pair in
                differences(pair.0, pair.1, at: "\(place)[\(index)]")
            }
        }
        if own == other || own.double != nil && own.double == other.double { return [] }
        return [ExchangeDifference(place.isEmpty ? .body : .field(place), recorded: text(own), sent: text(other))]
    }

    private static func text(_ value: JSONValue?) -> String? {
        guard let value else { return nil }
        if case .string(let text) = value { return text }
        return text(CheckRequest.line(["": value]).dropFirst(#"{"":"#.utf8.count).dropLast().map(\.self))
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.isEmpty ? nil : String(decoding: bytes.prefix(200), as: UTF8.self)
    }

    private var text: String? {
        switch self {
        case .any: nil
        case .form(let fields): fields.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        case .json(let value): Self.text(value)
        case .bytes(let bytes): Self.text(bytes)
        }
    }
}
