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
            // `Bearer TOKEN`, `sid=VALUE; theme=dark`.
            for part in value.split(whereSeparator: { " ;,".contains($0) }) {
                learn(String(part.drop { $0 != "=" }.dropFirst()))
                if name.lowercased() != "cookie" { learn(String(part)) }
            }
        }
        if let credentials = resolution.credentials { learn(credentials.value) }
    }
}
