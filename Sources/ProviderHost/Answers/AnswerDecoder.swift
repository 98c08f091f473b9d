import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes the lines of a plugin. `method` tells what an open request asked, which decides how its result is read.
struct AnswerDecoder: Sendable {
    fileprivate typealias Lookup = @Sendable (Int) -> AnswerLine.Method?

    fileprivate static let lookup = {
        // The initializer fails for no string.
        guard let key = CodingUserInfoKey(rawValue: "lookup") else { preconditionFailure("no key") }
        return key
    }()

    private let decoder: JSONDecoder

    init(method: @escaping @Sendable (Int) -> AnswerLine.Method?) {
        decoder = JSONDecoder()
        decoder.userInfo[Self.lookup] = method
    }

    /// What `line` says. It is checked to be UTF-8 first, since Foundation would also take UTF-16 and UTF-32.
    func decode(_ line: UnsafeRawBufferPointer) -> AnswerLine {
        guard String(validating: line, as: UTF8.self) != nil else {
            return .violation("it wrote a line that isn't UTF-8")
        }
        let data = line.baseAddress.map { Data(bytes: $0, count: line.count) } ?? Data()
        do {
            return try decoder.decode(Envelope.self, from: data).line
        } catch {
            return .violation("it wrote a line that isn't a JSON object")
        }
    }
}

private struct Envelope: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id, method, params, result, error
    }

    private struct LogParameters: Decodable {
        var level: HostLog.Level?
        var message: String

        private enum CodingKeys: String, CodingKey {
            case level, message
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            level = try? container.decode(HostLog.Level.self, forKey: .level)
            message = try container.decode(String.self, forKey: .message)
        }
    }

    let line: AnswerLine

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.id) else {
            line = Self.notification(container)
            return
        }
        guard let wire = try? container.decode(Int.self, forKey: .id) else {
            let said = (try? container.decode(WireError.self, forKey: .error))?.providerError.message
            line = .violation("it answered without the id of a request" + (said.map { ": \($0)" } ?? ""))
            return
        }
        let lookup = decoder.userInfo[AnswerDecoder.lookup] as? AnswerDecoder.Lookup
        guard let method = lookup?(wire) else {
            line = .stray(wire: wire)
            return
        }
        do {
            line = .reply(wire: wire, try Self.reply(container, to: method))
        } catch {
            line = .reply(wire: wire, .wrong(Self.describe(error)))
        }
    }

    private static func notification(_ container: KeyedDecodingContainer<CodingKeys>) -> AnswerLine {
        guard let method = try? container.decode(String.self, forKey: .method) else {
            return .violation("it wrote an object that is neither an answer nor a notification")
        }
        guard method == "log", let log = try? container.decode(LogParameters.self, forKey: .params) else {
            return .ignored
        }
        return .log(log.level ?? .info, log.message)
    }

    private static func reply(
        _ container: KeyedDecodingContainer<CodingKeys>, to method: AnswerLine.Method
    ) throws -> AnswerLine.Reply {
        if container.contains(.error), try !container.decodeNil(forKey: .error) {
            let error = try container.decode(WireError.self, forKey: .error).providerError
            return error.kind == .pluginFault ? .wrong(error.message) : .error(error)
        }
        guard container.contains(.result) else { return .wrong("it answered with neither a result nor an error") }
        switch method {
        case .resolve: return .resolution(try container.decode(Resolution.self, forKey: .result))
        case .list: return .listing(try container.decode(Listing.self, forKey: .result))
        case .login: return .login(try container.decode(Login.self, forKey: .result))
        }
    }

    /// What is wrong with a result, by the name of the field and without its value, which may be a secret.
    private static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "its answer can't be read" }
        switch error {
        case .keyNotFound(let key, let context): return "its answer has no `\(path(context.codingPath + [key]))`"
        case .valueNotFound(_, let context): return "`\(path(context.codingPath))` in its answer is null"
        case .typeMismatch(_, let context): return "`\(path(context.codingPath))` in its answer has the wrong type"
        case .dataCorrupted(let context):
            // Only texts of our own: Foundation's hold the value.
            let isOurs = context.debugDescription.hasPrefix("isn't ")
            return "`\(path(context.codingPath))` in its answer "
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
