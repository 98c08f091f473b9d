import ProviderKit

/// Decodes the lines of a plugin. `method` returns the method of an open request, which determines how its result is
/// read.
///
/// A line is read completely, in time linear in its length, before anything of it is used: invalid JSON is refused
/// anywhere in it.
package struct AnswerDecoder: Sendable {
    /// The bound on a line's nesting. Less than the bounds of its later readers, the credentials file and plugins.
    static let depthBound = 64

    private let method: @Sendable (Int) -> AnswerLine.Method?

    package init(method: @escaping @Sendable (Int) -> AnswerLine.Method?) { self.method = method }

    /// The decoded `line`.
    package func decode(_ line: UnsafeRawBufferPointer) -> AnswerLine {
        let value: JSONValue
        do throws(JSONReader.Fault) {
            value = try JSONReader.value(of: line, depth: Self.depthBound)
        } catch {
            return switch error {
            case .notUTF8: .violation("it wrote a line that isn't UTF-8")
            case .notJSON: .violation("it wrote a line that isn't JSON" + Self.quote(line))
            case .tooDeep: .violation("it wrote a line that is nested more than \(Self.depthBound) deep")
            }
        }
        guard let members = value.object else {
            return .violation("it wrote a line that is \(value.typeName), not an object")
        }
        guard let id = members["id"] else { return Self.notification(members) }
        guard let wire = id.int.flatMap({ Int(exactly: $0) }) else {
            let said = members["error"].flatMap { Self.error($0)?.message }
            return .violation("it answered without a request id" + (said.map { ": \($0)" } ?? ""))
        }
        guard let method = method(wire) else { return .stray(wire: wire) }
        do {
            return .reply(wire: wire, try Self.reply(members, to: method))
        } catch {
            return .reply(wire: wire, .wrong(Self.describe(error), renewed: Self.renewed(members)))
        }
    }

    /// The beginning of a line that a stray `print` wrote, so that its author finds it. Not of a line meant as an
    /// answer: it may contain an unknown token.
    private static func quote(_ line: UnsafeRawBufferPointer) -> String {
        let words = line.drop { $0 <= 0x20 }
        guard let first = words.first else { return ": it is empty" }
        guard first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else { return usualMistake(line) }
        let text = String(decoding: words.prefix(80), as: UTF8.self)
        return ": \"\(text)\(words.count > 80 ? "…" : "")\"; stdout is for answers only"
    }

    /// What other languages write where JSON is meant.
    private static func usualMistake(_ line: UnsafeRawBufferPointer) -> String {
        if line.dropFirst().first(where: { $0 > 0x20 }) == UInt8(ascii: "'") { return "; JSON takes double quotes" }
        if line.count <= 2 { return "; an answer is one line" }
        let numbers = ["NaN", "Infinity"].filter { line.firstRange(of: $0.utf8) != nil }
        return numbers.isEmpty ? "" : "; \(numbers[0]) isn't a number in JSON"
    }

    private static func notification(_ members: [String: JSONValue]) -> AnswerLine {
        guard let method = members["method"]?.string else {
            return .violation("it wrote an object that is neither an answer nor a notification")
        }
        guard method == "log", let log = members["params"], let message = log["message"]?.string else {
            return .ignored
        }
        return .log(log["level"]?.string.flatMap(HostLog.Level.init) ?? .info, message)
    }

    private static func error(_ value: JSONValue) -> ProviderError? {
        (try? JSONValueDecoder(value).decode(WireError.self))?.providerError
    }

    /// New credentials in an answer of whatever form.
    private static func renewed(_ members: [String: JSONValue]) -> Secret<JSONValue>? {
        let found = members["result"]?["credentials"] ?? members["error"]?["data"]?["credentials"] ?? .null
        return found == .null ? nil : Secret(found)
    }

    private static func reply(
        _ members: [String: JSONValue], to method: AnswerLine.Method
    ) throws -> AnswerLine.Reply {
        if let error = members["error"], error != .null {
            var decoded = try JSONValueDecoder(error, at: "error").decode(WireError.self).providerError
            // Those of a fault of the plugin, too: a refresh token that was good once is used up.
            decoded.credentials = decoded.credentials ?? renewed(members)
            return .error(decoded)
        }
        guard let result = members["result"] else { return .wrong("it answered with neither a result nor an error") }
        let decoder = JSONValueDecoder(result, at: "result")
        switch method {
        case .resolve: return .resolution(try decoder.decode())
        case .list: return .listing(try decoder.decode())
        case .courses: return .courses(try decoder.decode())
        case .recognise: return .recognition(try decoder.decode())
        case .login: return .login(try decoder.decode())
        }
    }

    /// The mistake in a result, by the name of the field and without its value, which may be a secret.
    private static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "its answer can't be read" }
        switch error {
        case .keyNotFound(let key, let context): return "its answer has no '\(path(context.codingPath + [key]))'"
        case .valueNotFound(_, let context): return "'\(path(context.codingPath))' in its answer is null"
        case .typeMismatch(_, let context):
            return "'\(path(context.codingPath))' in its answer \(context.debugDescription)"
        case .dataCorrupted(let context):
            // Only our own texts: Foundation's contain the value.
            let isOurs = context.debugDescription.hasPrefix("isn't ")
            return "'\(path(context.codingPath))' in its answer "
                + (isOurs ? context.debugDescription : "has a value that the protocol doesn't know")
        @unknown default: return "its answer can't be read"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text
    }
}
