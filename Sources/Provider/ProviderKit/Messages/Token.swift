/// A secret to send with each request to the media's server.
///
/// As ``Resolution/token`` it is sent to the origin of the resolution's URL and to ``origins`` only. As one of
/// ``Resolution/tokens`` it is sent to its ``origins``, or below its ``urlPrefix``, and without both to the origin of
/// the resolution's URL. A token that is part of the URL doesn't
/// belong here. It prints as redacted.
public struct Token: Sendable, Hashable, Codable {
    /// The part of a request that contains it.
    public enum Placement: String, Sendable, Hashable, Codable {
        /// In the header called ``Token/name``, after ``Token/prefix``.
        case header
        /// In the query of the URL, as the value of ``Token/name``.
        case query
        /// In a cookie called ``Token/name``.
        case cookie
    }

    public var value: String
    /// The part of a request that contains it.
    public var placement: Placement
    /// The name of the header, query field or cookie.
    public var name: String
    /// The text before the secret, such as `Bearer ` with its blank.
    public var prefix: String
    /// Other origins that it may go to, such as `https://cdn.example.org`.
    public var origins: [String]
    /// Of one of ``Resolution/tokens``, in place of ``origins``: it goes to this URL and to those below it, such as
    /// `https://cdn.example.org/course-7/`.
    public var urlPrefix: String?

    /// A secret in one part of a request.
    public init(
        _ value: String, in placement: Placement, name: String, prefix: String = "", origins: [String] = [],
        urlPrefix: String? = nil
    ) {
        self.urlPrefix = urlPrefix
        self.value = value
        self.placement = placement
        self.name = name
        self.prefix = prefix
        self.origins = origins
    }

    /// A token in `Authorization: Bearer …`.
    ///
    /// Related: RFC 6750 §2.1
    public static func bearer(_ value: String, origins: [String] = []) -> Token {
        Token(value, in: .header, name: "Authorization", prefix: "Bearer ", origins: origins)
    }

    private enum CodingKeys: String, CodingKey {
        case value, name, prefix, origins
        case placement = "in"
        case urlPrefix = "url_prefix"
    }

    /// Decodes a token; `prefix`, `origins` and `url_prefix` are optional.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        value = try container.decode(String.self, forKey: .value)
        placement = try container.decode(Placement.self, forKey: .placement)
        name = try container.decode(String.self, forKey: .name)
        prefix = try container.decodeIfPresent(String.self, forKey: .prefix) ?? ""
        origins = try container.decodeIfPresent([String].self, forKey: .origins) ?? []
        urlPrefix = try container.decodeIfPresent(String.self, forKey: .urlPrefix)
    }
}

extension Token: PrintsRedacted {
    /// Its placement and name, without the secret.
    public var description: String { "Token(in: \(placement.rawValue), name: \(name), value: <redacted>)" }
}
