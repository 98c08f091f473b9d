#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The current location of a video's media, and everything needed to request it. Only ``url`` is required.
///
/// It prints without the query of its URL, its token and its headers, since all of these may hold secrets.
public struct Resolution: Sendable, Hashable, CredentialedAnswer {
    /// The form in which the media is served.
    public enum Kind: String, Sendable, Hashable, Codable {
        case file
        /// An HLS playlist.
        case hls
        /// A DASH presentation (MPD).
        case dash
    }

    /// Subtitles of the video in one language.
    public struct Subtitle: Sendable, Hashable, Codable, PrintsRedacted {
        /// The language, as a tag such as `en` or `pt-BR`.
        public var lang: String
        /// Where they are; empty if ``text`` has them.
        public var url: String
        /// The subtitles themselves: WebVTT, SubRip or TTML.
        public var text: String?

        public init(lang: String, url: String) {
            self.lang = lang
            self.url = url
        }

        /// Subtitles without a URL.
        public init(lang: String, text: String) {
            self.lang = lang
            url = ""
            self.text = text
        }
    }

    /// Another file that belongs to the video.
    public struct Attachment: Sendable, Hashable, Codable, PrintsRedacted {
        public var title: String
        public var url: String

        public init(title: String, url: String) {
            self.title = title
            self.url = url
        }
    }

    /// The media, or its playlist: an absolute http or https URL.
    public var url: String
    /// The form in which the media is served.
    public var kind: Kind
    /// A secret to send with each request to the URL's origin.
    public var token: Token?
    /// Secrets for certain origins or paths each; not together with ``token``.
    public var tokens: [Token]
    /// The expiry of the URL or token; nil if it isn't known.
    public var expiresAt: Date?
    /// Headers to send with every request. `Authorization`, `Cookie` and `Proxy-*` go to the URL's origin and the
    /// token's origins only.
    public var headers: [String: String]
    /// The size of the media in bytes.
    public var size: Int64?
    /// The SHA-256 of the media, in hexadecimal.
    public var sha256: String?
    /// Other checksums of the media that its host publishes.
    public var checksums: Checksums?
    /// The video's title, for a catalog that has only its id.
    public var title: String?
    /// The file name extension, without its dot.
    public var fileExtension: String?
    /// The media type, such as `video/mp4`.
    public var mediaType: String?
    /// The playing time of the video, in seconds.
    public var duration: Double?
    /// Whether each request, resumes included, needs a new resolution.
    public var singleUse: Bool
    /// Whether the same URL may be returned after a refusal, because its server extends it.
    public var extendable: Bool
    /// The role of the media among ``streams``, such as `combined`; nil if the provider has no word for it.
    public var role: String?
    /// Other views of the same video.
    public var streams: [Stream]
    /// Files that belong into one playable file with the media, which is a ``Kind/file`` then.
    public var tracks: [Track]
    /// The video's subtitles.
    public var subtitles: [Subtitle]
    /// Other files that belong to the video.
    public var attachments: [Attachment]
    /// The video's cover.
    public var cover: String?
    /// New credentials (a refreshed token) that replace the old ones.
    public var credentials: Secret<JSONValue>?
    /// Of a view that takes the place of the media: what it has from the resolution that it came with. Not encoded.
    package var inherited: Inheritance?

    public init(
        url: String, kind: Kind = .file, token: Token? = nil, expiresAt: Date? = nil, headers: [String: String] = [:],
        size: Int64? = nil, sha256: String? = nil, fileExtension: String? = nil, mediaType: String? = nil,
        duration: Double? = nil, singleUse: Bool = false, extendable: Bool = false, subtitles: [Subtitle] = [],
        attachments: [Attachment] = [], cover: String? = nil, credentials: Secret<JSONValue>? = nil,
        tokens: [Token] = [], checksums: Checksums? = nil, title: String? = nil, tracks: [Track] = [],
        role: String? = nil, streams: [Stream] = []
    ) {
        self.url = url
        self.kind = kind
        self.token = token
        self.expiresAt = expiresAt
        self.headers = headers
        self.size = size
        self.sha256 = sha256
        self.fileExtension = fileExtension
        self.mediaType = mediaType
        self.duration = duration
        self.singleUse = singleUse
        self.extendable = extendable
        self.subtitles = subtitles
        self.attachments = attachments
        self.cover = cover
        self.credentials = credentials
        self.tokens = tokens
        self.checksums = checksums
        self.title = title
        self.tracks = tracks
        self.role = role
        self.streams = streams
    }
}

extension Resolution {
    /// ``token`` or ``tokens``.
    package var allTokens: [Token] { [token].compactMap(\.self) + tokens }
}

extension Resolution: PrintsRedacted {
    /// The kind and the URL up to its query.
    public var description: String {
        // By bytes: a combining mark after the question mark must not hide it.
        let path = String(
            decoding: url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
        return "Resolution(\(kind.rawValue) \(path)\(path.utf8.count < url.utf8.count ? "?<redacted>" : ""))"
    }
}
