import Foundation
import ProviderHost
package import ProviderKit

/// A request to the plugin under check, as a value that a check can put anything into.
package struct CheckRequest: Sendable, PrintsRedacted {
    package var method: String
    /// Its parameters.
    package var params: [String: JSONValue]
    /// More keys beside the protocol's.
    package var extra: [String: JSONValue] = [:]

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    package init(_ method: String, _ params: [String: JSONValue]) {
        self.method = method
        self.params = params
    }

    /// The line, LF included; without `id` if that is nil.
    func line(id: Int?) -> [UInt8] {
        var object: [String: JSONValue] = ["jsonrpc": "2.0", "method": .string(method), "params": .object(params)]
        object.merge(extra) { $1 }
        if let id { object["id"] = .int(Int64(id)) }
        return Self.line(object) + [0x0A]
    }

    static func line(_ object: [String: JSONValue]) -> [UInt8] {
        (try? encoder.encode(object)).map { [UInt8]($0) } ?? []
    }

    /// The method by which an answer is read; nil for one that the protocol doesn't have.
    var answers: AnswerLine.Method? { AnswerLine.Method(rawValue: method) }

    /// The same request at another time.
    func at(_ now: Date) -> CheckRequest {
        var copy = self
        copy.params["now"] = .string(Timestamp.text(now))
        return copy
    }

    /// The same request with another value.
    func with(_ key: String, _ value: JSONValue) -> CheckRequest {
        var copy = self
        copy.params[key] = value
        return copy
    }

    /// The same request for another video.
    func video(_ id: String, _ parameters: [String: JSONValue]? = nil) -> CheckRequest {
        var video = params["video"]?.object ?? [:]
        video["id"] = .string(id)
        video["title"] = .string(id)
        if let parameters { video["parameters"] = .object(parameters) }
        return with("video", .object(video))
    }
}
