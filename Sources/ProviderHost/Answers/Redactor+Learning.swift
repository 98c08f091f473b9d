package import ProviderKit

extension Redactor {
    /// Learns every text in credentials, at any depth.
    package mutating func learn(_ credentials: JSONValue) {
        switch credentials {
        case .string(let text): learn(text)
        case .array(let values): for value in values { learn(value) }
        case .object(let values): for value in values.values { learn(value) }
        case .null, .bool, .int, .double: break
        }
    }

    /// Learns the secrets of a resolution: its token, the headers that aren't shown, new credentials.
    package mutating func learn(_ resolution: Resolution) {
        if let token = resolution.token { learn(token.value) }
        for (name, value) in resolution.headers where Self.header(name, value) == Self.mark {
            learn(value)
            switch name.lowercased() {
            // `Bearer TOKEN`
            case "authorization", "proxy-authorization": value.split(separator: " ").last.map { learn(String($0)) }
            // `sid=VALUE; theme=dark`
            case "cookie":
                for part in value.split(separator: ";") { learn(String(part.drop { $0 != "=" }.dropFirst())) }
            default: break
            }
        }
        if let credentials = resolution.credentials { learn(credentials.value) }
    }
}
