#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Resolution {
    /// A file that belongs into one playable file with the media of ``Resolution/url``: its sound, or subtitles within
    /// it.
    public struct Track: Sendable, Hashable, PrintsRedacted {
        public enum Kind: String, Sendable, Hashable, Codable {
            case audio
            case subtitle
        }

        public var kind: Kind
        /// The language, as a tag such as `en` or `pt-BR`.
        public var lang: String?
        /// For the player's menu.
        public var title: String?
        /// Whether it is the one of its kind for those who ask for none.
        public var isDefault: Bool
        /// An absolute http or https URL.
        public var url: String
        /// A secret for its origin; nil for those of the resolution.
        public var token: Token?
        /// Headers of its requests; empty for those of the resolution.
        public var headers: [String: String]
        /// The expiry of its URL or token; nil for that of the resolution.
        public var expiresAt: Date?
        /// In bytes.
        public var size: Int64?
        /// In hexadecimal.
        public var sha256: String?
        public var checksums: Checksums?

        public init(
            _ kind: Kind, url: String, lang: String? = nil, title: String? = nil, isDefault: Bool = false,
            token: Token? = nil, headers: [String: String] = [:], expiresAt: Date? = nil, size: Int64? = nil,
            sha256: String? = nil, checksums: Checksums? = nil
        ) {
            self.kind = kind
            self.lang = lang
            self.title = title
            self.isDefault = isDefault
            self.url = url
            self.token = token
            self.headers = headers
            self.expiresAt = expiresAt
            self.size = size
            self.sha256 = sha256
            self.checksums = checksums
        }
    }

    /// The tokens of the media, of its tracks and of the other views.
    package var everyToken: [Token] {
        allTokens + (tracks + streams.flatMap(\.tracks)).compactMap(\.token) + streams.compactMap(\.token)
    }
}

extension Resolution.Track: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, lang, title, url, token, headers, size, sha256, checksums
        case isDefault = "default"
        case expiresAt = "expires_at"
    }

    /// Decodes a track; `kind` and `url` are required, and an unknown `kind` is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Kind.self, forKey: .kind), url: try container.decode(String.self, forKey: .url),
            lang: try container.decodeIfPresent(String.self, forKey: .lang),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            isDefault: try container.decodeIfPresent(Bool.self, forKey: .isDefault) ?? false,
            token: try container.decodeIfPresent(Token.self, forKey: .token),
            headers: try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            expiresAt: try container.decodeTimestampIfPresent(forKey: .expiresAt),
            size: try container.decodeIfPresent(Int64.self, forKey: .size),
            sha256: try container.decodeIfPresent(String.self, forKey: .sha256),
            checksums: try container.decodeIfPresent(Checksums.self, forKey: .checksums))
    }

    /// Encodes a track without empty and default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(lang, forKey: .lang)
        try container.encodeIfPresent(title, forKey: .title)
        if isDefault { try container.encode(true, forKey: .isDefault) }
        try container.encode(url, forKey: .url)
        try container.encodeIfPresent(token, forKey: .token)
        if !headers.isEmpty { try container.encode(headers, forKey: .headers) }
        try container.encodeIfPresent(expiresAt.map(Timestamp.text), forKey: .expiresAt)
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(sha256, forKey: .sha256)
        try container.encodeIfPresent(checksums, forKey: .checksums)
    }
}

extension Resolution {
    /// The secrets and headers of a resolution for a view that has none of its own. They go where the resolution's go.
    package struct Inheritance: Sendable, Hashable, PrintsRedacted {
        /// Of the resolution's media.
        package var url: String
        package var token: Token?
        package var tokens: [Token]
        package var headers: [String: String]
        /// Whether the view's headers are these.
        package var takesHeaders = false

        package init(_ resolution: Resolution) {
            url = resolution.url
            token = resolution.token
            tokens = resolution.tokens
            headers = resolution.headers
        }
    }

    /// Another view of the same video: the slides beside the lecturer.
    public struct Stream: Sendable, Hashable, PrintsRedacted {
        /// `combined`, `presenter`, `presentation`, `screen`, `webcam`, `audio`, or a word of the host's.
        public var role: String
        /// An absolute http or https URL.
        public var url: String
        /// The form in which it is served.
        public var kind: Kind
        /// A secret for its origin; nil for those of the resolution.
        public var token: Token?
        /// Headers of its requests; empty for those of the resolution.
        public var headers: [String: String]
        /// The expiry of its URL or token; nil for that of the resolution.
        public var expiresAt: Date?
        /// In bytes.
        public var size: Int64?
        /// In hexadecimal.
        public var sha256: String?
        public var checksums: Checksums?
        /// The file name extension, without its dot.
        public var fileExtension: String?
        public var mediaType: String?
        /// Sound and subtitles in files of their own.
        public var tracks: [Track]
        /// What it has from another resolution than the one that it stands in; nil for that one. Not encoded.
        package var inherited: Inheritance?

        public init(
            _ role: String, url: String, kind: Kind = .file, token: Token? = nil, headers: [String: String] = [:],
            expiresAt: Date? = nil, size: Int64? = nil, sha256: String? = nil, checksums: Checksums? = nil,
            fileExtension: String? = nil, mediaType: String? = nil, tracks: [Track] = []
        ) {
            self.role = role
            self.url = url
            self.kind = kind
            self.token = token
            self.headers = headers
            self.expiresAt = expiresAt
            self.size = size
            self.sha256 = sha256
            self.checksums = checksums
            self.fileExtension = fileExtension
            self.mediaType = mediaType
            self.tracks = tracks
        }
    }
}

extension Resolution.Stream: Codable {
    private enum CodingKeys: String, CodingKey {
        case role, url, kind, token, headers, size, sha256, checksums, tracks
        case expiresAt = "expires_at"
        case fileExtension = "extension"
        case mediaType = "media_type"
    }

    /// Decodes a stream; `role` and `url` are required, and an unknown `kind` is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .role), url: try container.decode(String.self, forKey: .url),
            kind: try container.decodeIfPresent(Resolution.Kind.self, forKey: .kind) ?? .file,
            token: try container.decodeIfPresent(Token.self, forKey: .token),
            headers: try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            expiresAt: try container.decodeTimestampIfPresent(forKey: .expiresAt),
            size: try container.decodeIfPresent(Int64.self, forKey: .size),
            sha256: try container.decodeIfPresent(String.self, forKey: .sha256),
            checksums: try container.decodeIfPresent(Checksums.self, forKey: .checksums),
            fileExtension: try container.decodeIfPresent(String.self, forKey: .fileExtension),
            mediaType: try container.decodeIfPresent(String.self, forKey: .mediaType),
            tracks: try container.decodeIfPresent([Resolution.Track].self, forKey: .tracks) ?? [])
    }

    /// Encodes a stream without empty and default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(role, forKey: .role)
        try container.encode(url, forKey: .url)
        if kind != .file { try container.encode(kind, forKey: .kind) }
        try container.encodeIfPresent(token, forKey: .token)
        if !headers.isEmpty { try container.encode(headers, forKey: .headers) }
        try container.encodeIfPresent(expiresAt.map(Timestamp.text), forKey: .expiresAt)
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(sha256, forKey: .sha256)
        try container.encodeIfPresent(checksums, forKey: .checksums)
        try container.encodeIfPresent(fileExtension, forKey: .fileExtension)
        try container.encodeIfPresent(mediaType, forKey: .mediaType)
        if !tracks.isEmpty { try container.encode(tracks, forKey: .tracks) }
    }
}
