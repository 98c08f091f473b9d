#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A browser's session: what the secret of a manifest's `cookies` is, in Netscape's format.
///
/// Give it to `HTTPClient.cookies` of `ProviderHTTP`, and each request gets the cookies that are for it.
public struct CookieJar: Sendable, Hashable, PrintsRedacted {
    /// In the order of the text, each once.
    public let cookies: [Cookie]

    /// The cookies in a text that the host has made. Those that have expired at `now`, the time of the request, and
    /// lines that can't be read are left out.
    public init(_ text: String, at now: Date) {
        let cookies = Self.lines(of: text).compactMap { line in
            Self.isComment(line) ? nil : try? Cookie(netscape: line)
        }
        self.init(cookies.filter { $0.expiresAt.map { $0 > now } ?? true })
    }

    /// The session of this name in a request's credentials, or in what its `login` got; nil without one.
    public init?(named name: String, in credentials: Secret<JSONValue>?, at now: Date) {
        guard let text = credentials?.value[name]?.string else { return nil }
        self.init(text, at: now)
    }

    /// Of several with the same name, domain and path the last one counts (RFC 6265 §5.3, step 11).
    package init(_ cookies: [Cookie]) {
        var places: [[String]: Int] = [:]
        var kept: [Cookie] = []
        for cookie in cookies {
            let key = [cookie.name, cookie.domain, cookie.path]
            if let place = places[key] {
                kept[place] = cookie
            } else {
                places[key] = kept.count
                kept.append(cookie)
            }
        }
        self.cookies = kept
    }

    /// A file of cookies as curl, yt-dlp and others read it.
    public var text: String {
        (["# Netscape HTTP Cookie File"] + cookies.map(\.netscapeLine)).map { "\($0)\n" }.joined()
    }

    /// The value of the `Cookie` field for a request, the longest path first (RFC 6265 §5.4); nil without any.
    package func field(host: String, path: String, isSecure: Bool) -> String? {
        let found = cookies.filter { cookie in
            (isSecure || !cookie.isSecure) && cookie.isOf(host: host) && cookie.isOf(path: path)
        }
        guard !found.isEmpty else { return nil }
        let sorted = found.enumerated().sorted { first, second in
            let (one, other) = (first.element.path.utf8.count, second.element.path.utf8.count)
            return one == other ? first.offset < second.offset : one > other
        }
        return sorted.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    /// When the last of those that have an expiry ends; nil if none has one.
    package var lastExpiry: Date? { cookies.compactMap(\.expiresAt).max() }

    /// The jar that a text is, if it is one in Netscape's format, expired cookies included; nil for any other text.
    package init?(recognising text: String) {
        guard text.utf8.contains(0x09) else { return nil }
        self.init(text, at: .distantPast)
        if cookies.isEmpty { return nil }
    }
}

extension JSONValue {
    /// The jars among its texts, at any depth.
    package var cookieJars: [CookieJar] {
        switch self {
        case .string(let text): CookieJar(recognising: text).map { [$0] } ?? []
        case .array(let values): values.flatMap(\.cookieJars)
        case .object(let members): members.values.flatMap(\.cookieJars)
        case .null, .bool, .int, .double: []
        }
    }

    /// The same value with each jar among its texts changed.
    package func mapCookieJars(_ change: (CookieJar) -> CookieJar) -> JSONValue {
        switch self {
        case .string(let text): .string(CookieJar(recognising: text).map { change($0).text } ?? text)
        case .array(let values): .array(values.map { $0.mapCookieJars(change) })
        case .object(let members): .object(members.mapValues { $0.mapCookieJars(change) })
        case .null, .bool, .int, .double: self
        }
    }
}
