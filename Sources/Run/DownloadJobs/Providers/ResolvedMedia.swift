import Crypto
import FileSystem
package import Foundation
import MediaTransfer
import NetworkAddresses
package import ProviderKit
import RunSchedule
import TextFormats

/// A provider's answer and its use. In memory only.
package struct ResolvedMedia: Sendable, PrintsRedacted {
    package private(set) var resolution: Resolution
    let origin: Origin
    let resolvedAt: Date
    /// The first expiry of its media and tracks: the provider's, or one found in the URL; nil if there is none.
    let expiresAt: Date?
    /// Its tracks, each like an answer of its own.
    var tracks: [ResolvedMedia]
    /// The other views.
    var streams: [ResolvedMedia]
    private let secrets: [ScopedSecret]
    private let trustedOrigins: Set<Origin>
    /// The network that it may be in, besides the public one; nil for any.
    var confinement: NetworkScope?
    /// The number of requests made with it.
    private(set) var uses = 0
    /// Whether everything at its URL has been read, as with playlists: the URL itself isn't requested any more.
    var isRead = false
    /// Whether the last turn ended before a request, for want of a connection to a host of one of its parts.
    var isParked = false

    package init?(_ resolution: Resolution, at now: Date) {
        guard let origin = Origin(url: resolution.url) else { return nil }
        let own = resolution.expiresAt ?? URLExpiry.expiry(of: resolution.url, now: now)
        let secrets = Self.secrets(of: resolution, beside: origin)
        let base = resolution.inherited.flatMap { $0.takesHeaders ? $0 : nil }
        let trusted = Self.trusted(base?.token ?? (base == nil ? resolution.token : nil), base?.url ?? resolution.url)
        let tracks = resolution.tracks.compactMap { track in
            Self(track, of: resolution, at: now, inheriting: (secrets, trusted))
        }
        let streams = resolution.streams.compactMap { Self(resolution.alone($0), at: now) }
        guard tracks.count == resolution.tracks.count, streams.count == resolution.streams.count else { return nil }
        self.resolution = resolution
        self.origin = origin
        resolvedAt = now
        expiresAt = ((tracks + streams).map(\.expiresAt) + [own]).compactMap(\.self).min()
        self.tracks = tracks
        self.streams = streams
        self.secrets = secrets
        trustedOrigins = trusted
    }

    /// A track. What the resolution has for its media goes with it if it has none of its own, to the same places.
    private init?(
        _ track: Resolution.Track, of resolution: Resolution, at now: Date,
        inheriting inherited: (secrets: [ScopedSecret], trusted: Set<Origin>)
    ) {
        guard let origin = Origin(url: track.url) else { return nil }
        let own = Resolution(
            url: track.url, token: track.token, expiresAt: track.expiresAt ?? resolution.expiresAt,
            headers: track.headers.isEmpty ? resolution.headers : track.headers, size: track.size,
            sha256: track.sha256, singleUse: resolution.singleUse, extendable: resolution.extendable,
            checksums: track.checksums)
        self.resolution = own
        self.origin = origin
        resolvedAt = now
        expiresAt = own.expiresAt ?? URLExpiry.expiry(of: own.url, now: now)
        tracks = []
        streams = []
        secrets = track.token == nil ? inherited.secrets : Self.secrets(of: own, beside: origin)
        trustedOrigins = track.headers.isEmpty ? inherited.trusted : Self.trusted(track.token, track.url)
    }

    /// The origins that get the private headers that go with a URL and its token.
    private static func trusted(_ token: Token?, _ url: String) -> Set<Origin> {
        Set(([url] + (token?.origins ?? [])).compactMap { Origin(url: $0) })
    }

    /// Digest of everything that the servers see of its requests: equal ones get equal bytes. Never stored.
    var identity: RequestDigest {
        var list = LengthPrefixed(.littleEndian)
        for media in [self] + tracks + streams.flatMap({ [$0] + $0.tracks }) { list.add(media.visibleParts) }
        return RequestDigest(SHA256.hash(data: list.bytes))
    }

    private var visibleParts: [String] {
        var parts = [resolution.url, resolution.kind.rawValue]
        parts += resolution.headers.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        for token in Self.tokens(of: resolution).all {
            parts += [token.placement.rawValue, token.name, token.prefix, token.value]
        }
        return parts
    }

    mutating func use() { uses += 1 }

    /// Whether it can be used for a request at `now`. Once everything has been read from the URL, the URL itself isn't
    /// requested any more.
    func isGood(at now: Date) -> Bool { isUsable(at: now) || (isRead && isInTime(at: now)) }

    /// Confines it and its parts to a network, besides the public one.
    mutating func confine(to scope: NetworkScope, besides free: Set<String>) {
        confinement = free.contains(resolution.url) ? nil : scope
        for number in tracks.indices { tracks[number].confine(to: scope, besides: free) }
        for number in streams.indices { streams[number].confine(to: scope, besides: free) }
    }

    /// Its main view alone.
    var withoutStreams: ResolvedMedia {
        var main = self
        main.resolution = resolution.withoutStreams
        main.streams = []
        return main
    }

    /// Takes over what requests for the main view have changed.
    mutating func takeMain(_ main: ResolvedMedia) {
        var whole = main
        (whole.resolution, whole.streams) = (resolution, streams)
        whole.isParked = isParked
        self = whole
    }

    /// Whether a request may be started with it at `now`.
    ///
    /// The margin is a tenth of the lifetime, at most 60 s. An answer that is less than 2 s old is always tried once,
    /// whatever its expiry: clocks differ, and only the server decides.
    package func isUsable(at now: Date) -> Bool {
        if resolution.singleUse, uses > 0 { return false }
        return isInTime(at: now)
    }

    /// Whether it hasn't expired, regardless of its uses.
    func isInTime(at now: Date) -> Bool {
        guard let expiresAt else { return true }
        if uses == 0, now.timeIntervalSince(resolvedAt) < 2 { return true }
        return now < expiresAt.addingTimeInterval(-margin(expiresAt))
    }

    /// The end of the time in which a first request may be started with it; nil without one.
    package var usableUntil: Date? {
        expiresAt.map { max($0.addingTimeInterval(-margin($0)), resolvedAt.addingTimeInterval(2)) }
    }

    /// Whether only one request can be made with it.
    package var isSingleUse: Bool { resolution.singleUse }

    private func margin(_ expiresAt: Date) -> Double { min(60, max(0, expiresAt.timeIntervalSince(resolvedAt)) / 10) }

    /// Whether its own expiry has passed.
    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Whether another request of a stream may be started: before its expiry, unless that was imminent when the answer
    /// arrived. Clocks differ, and then only the server decides.
    func mayGoOn(at now: Date) -> Bool {
        guard let expiresAt, expiresAt.timeIntervalSince(resolvedAt) > 2 else { return true }
        return isInTime(at: now)
    }

    /// A request for the media, with the token in its place. The sizes are of the whole file: they say nothing of a
    /// range.
    func request(start: TransferRequest.Start, expectedSize: Int64?, limitRate: Int64?) -> TransferRequest {
        var request = sidecarRequest(resolution.url)
        request.allowsMarkup = false
        request.start = start
        if case .range = start {} else { request.expectedSize = expectedSize ?? resolution.size }
        request.limitRate = limitRate
        return request
    }

    /// A request for a playlist, a key or a segment of the stream: the token is sent to its origins only. The bytes
    /// decide what the response is: hosts serve media with the type of a page, and pages with that of media.
    func streamRequest(_ url: String, limitRate: Int64?) -> TransferRequest {
        var request = sidecarRequest(url)
        request.limitRate = limitRate
        return request
    }

    /// A request for another URL of the resolution: the same headers, the token only for its origins.
    func sidecarRequest(_ url: String) -> TransferRequest {
        var request = TransferRequest(url: url)
        request.allowsMarkup = true
        request.confinement = confinement
        request.trustedOrigins = trustedOrigins
        request.fields = resolution.fields
        request.secrets = secrets
        return request
    }

    /// Its own tokens, or without any those that it has from the resolution that it came with, and that one's URL; and
    /// whether there is only one by its form.
    private static func tokens(of resolution: Resolution) -> (all: [Token], isOnly: Bool, base: String?) {
        guard resolution.allTokens.isEmpty, let base = resolution.inherited else {
            return (resolution.allTokens, resolution.token != nil, nil)
        }
        return (base.token.map { [$0] } ?? base.tokens, base.token != nil, base.url)
    }

    /// Each token with its scopes: those that it names, and where that is nothing, or the token is the only one, the
    /// origin of the URL.
    private static func secrets(of resolution: Resolution, beside origin: Origin) -> [ScopedSecret] {
        let (tokens, isOnly, base) = Self.tokens(of: resolution)
        let origin = base.flatMap { Origin(url: $0) } ?? origin
        let named = tokens.map { token in
            token.urlPrefix.map { [URLScope(prefix: $0)].compactMap(\.self) }
                ?? token.origins.compactMap { Origin(url: $0) }.map { URLScope($0) }
        }
        return zip(tokens, named).map { token, scopes in
            let value = token.prefix + token.value
            let part: ScopedSecret.Part =
                switch token.placement {
                case .header: .field(HTTPField(name: token.name, value: value))
                case .cookie: .cookie(name: token.name, value: value)
                case .query: .query(.init(name: token.name, value: value))
                }
            let isForURL = isOnly || (token.urlPrefix == nil && token.origins.isEmpty)
            return ScopedSecret(part, for: isForURL ? scopes + [URLScope(origin)] : scopes)
        }
    }
}

/// Reads common expiry parameters of a signed URL: a hint to resolve earlier, never a reason to use a URL longer.
enum URLExpiry {
    /// The instant of `X-Amz-Date` + `X-Amz-Expires`, or of `Expires` or `expires` as seconds since 1970; nil if there
    /// is none between now and 10 years ahead.
    static func expiry(of url: String, now: Date) -> Date? {
        guard url.utf8.contains(UInt8(ascii: "?")), url.contains("xpires="),
            let items = URLComponents(string: url)?.queryItems
        else { return nil }
        var date: Date?
        let value = { (name: String) in items.first { $0.name == name }?.value }
        if let stamp = value("X-Amz-Date"), let lifetime = value("X-Amz-Expires").flatMap(Double.init) {
            date = amazonDate(stamp)?.addingTimeInterval(lifetime)
        } else if let seconds = (value("Expires") ?? value("expires")).flatMap(Double.init) {
            date = Date(timeIntervalSince1970: seconds)
        }
        guard let date, date > now, date < now.addingTimeInterval(10 * 366 * 86_400) else { return nil }
        return date
    }

    /// `20261121T073000Z`.
    private static func amazonDate(_ text: String) -> Date? {
        guard text.utf8.count == 16, let parts = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/)?.output
        else { return nil }
        return Timestamp.date("\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4):\(parts.5):\(parts.6)Z")
    }
}
