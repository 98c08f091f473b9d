package import ProviderKit

extension Redactor {
    /// Learns every text in credentials, at any depth.
    package mutating func learn(_ credentials: JSONValue) {
        switch credentials {
        case .string(let text): learn(text)
        case .array(let values): for value in values { learn(value) }
        case .object(let values):
            for (key, value) in values {
                learn(value)
                if let name = value.string, Self.nameKeys.contains(key.lowercased()) { learn(name: name) }
            }
        case .null, .bool, .int, .double: break
        }
    }

    /// Keys of credentials whose values are names. They aren't shown, but a listing may contain them.
    private static let nameKeys: Set = ["user", "username", "user_name", "login", "email", "account"]

    /// The place of a known secret in what is stored of a listing; nil without any.
    func secret(in listing: Listing) -> String? {
        if let known = listing.known, contains(known) { return "'known'" }
        for video in (listing.videos + listing.chapters.flatMap(\.videos)) where !video.parameters.isEmpty {
            if video.parameters.contains(where: { contains($0.key) || contains($0.value) }) {
                return "'parameters' of a video"
            }
        }
        return nil
    }

    private func contains(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): contains(text)
        case .array(let values): values.contains { contains($0) }
        case .object(let values): values.contains { contains($0.key) || contains($0.value) }
        case .null, .bool, .int, .double: false
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
