package import ProviderConformance

/// The words for a request that no exchange answers.
package enum ExchangeWording {
    /// `no exchange for GET /videos?count=15; nearest: 005-videos.http with count=100`.
    package static func sentence(_ missing: MissingExchange) -> String {
        let begin = "no exchange for \(missing.request)"
        guard let nearest = missing.nearest else { return begin }
        let words = missing.differences.map(Self.words)
        return "\(begin); nearest: \(nearest)\(words.isEmpty ? "" : " ")\(words.joined(separator: " and "))"
    }

    /// What the exchange has in the place of what was sent.
    private static func words(_ difference: ExchangeDifference) -> String {
        switch (difference.part, difference.recorded) {
        case (.method, let method): "for \(method ?? "")"
        case (.path, let path): "for \(path ?? "")"
        case (.query(let name), let value?): "with \(name)=\(value)"
        case (.query(let name), nil): "without '\(name)' in the query"
        case (.header(let name), let value): "with the header \(name): \(value ?? "")"
        case (.field(let name), let value?): "with \(name)=\(value) in the body"
        case (.field(let name), nil): "without '\(name)' in the body"
        case (.body, let text?): "with the body \(text)"
        case (.body, nil): "without a body"
        }
    }
}
