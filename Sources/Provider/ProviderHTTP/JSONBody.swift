import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes bodies in JSON.
enum JSONBody {
    static func bytes(of value: JSONValue) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a number that JSON doesn't have can't be encoded.
        return (try? encoder.encode(value)).map(Array.init) ?? []
    }

    /// Of `name(…);`; nil for anything else.
    static func argument(of body: [UInt8]) -> [UInt8]? {
        let text = String(decoding: body, as: UTF8.self)
        let call = /(?:\u{FEFF}|\s|\/\*(?:[^*]|\*(?!\/))*\*\/)*[\w$.\[\]]+\s*\(/
        guard let head = text.prefixMatch(of: call), let end = text.lastIndex(of: ")"), head.range.upperBound <= end,
            text[end...].dropFirst().allSatisfy({ $0.isWhitespace || $0 == ";" })
        else { return nil }
        return Array(text[head.range.upperBound..<end].utf8)
    }

    static func value(of body: [UInt8], from host: String) throws(ProviderError) -> JSONValue {
        do throws(JSONReader.Fault) {
            return try JSONReader.value(of: body)
        } catch {
            let what =
                switch error {
                case .notUTF8: "isn't UTF-8"
                case .tooDeep: "is nested too deep"
                case .notJSON: "isn't JSON, \(place(in: body))"
                }
            throw ProviderError(.unavailable, "the answer of \(host) \(what)")
        }
    }

    static func decode<T: Decodable>(
        _ type: T.Type, of body: [UInt8], from host: String
    ) throws(ProviderError) -> T {
        let value = try value(of: body, from: host)
        do {
            return try JSONValueDecoder(value).decode(type)
        } catch let error as DecodingError {
            throw ProviderError(.unavailable, "the answer of \(host) is none that is known: \(description(of: error))")
        } catch {
            throw ProviderError(.unavailable, "the answer of \(host) is none that is known")
        }
    }

    private static func place(in body: [UInt8]) -> String {
        guard let index = JSONReader.firstMistake(in: body) else { return "at an unknown place" }
        if index >= body.count { return "it ends in the middle" }
        let line = body[..<index].reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        return "line \(line), byte \(index + 1)"
    }

    /// Place and kind of the mistake; never a value, which may be a secret.
    private static func description(of error: DecodingError) -> String {
        let context: DecodingError.Context
        var path: [any CodingKey]
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
            (context, path) = (found, found.codingPath)
        case .keyNotFound(let key, let found):
            (context, path) = (found, found.codingPath + [key])
        @unknown default: return "an unknown mistake"
        }
        var place = ""
        for key in path {
            place += key.intValue.map { "[\($0)]" } ?? (place.isEmpty ? "" : ".") + key.stringValue
        }
        path = []
        return "\(place.isEmpty ? "it" : place) \(context.debugDescription)"
    }
}
