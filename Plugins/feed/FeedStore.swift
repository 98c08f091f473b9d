import ProviderHTTP
import ProviderKit

/// Reads feeds, and keeps the last ones for the videos that are resolved from them.
actor FeedStore {
    /// For so long a feed counts as current without a question.
    private static let freshness = Duration.seconds(60)
    private static let bound = 16
    private static let pageBound = 200

    private struct Kept {
        var feed: Feed
        var readAt: ContinuousClock.Instant
    }

    private var kept: [String: Kept] = [:]
    /// The feeds whose mistakes were told.
    private var told: Set<String> = []
    /// Several videos of a feed are asked for at once: one of them reads it.
    private var reading: [String: Task<Result<Feed, ProviderError>, Never>] = [:]

    /// The feed, or nil if it hasn't changed since `validator`. If it can't be read, `endpoint` is wrong: that has to
    /// be told, since no later attempt helps.
    func read(_ endpoint: Endpoint, since validator: String?) async throws(ProviderError) -> Feed? {
        let key = Self.key(endpoint)
        guard let feed = try await Self.fetch(endpoint, since: validator, ifUnreadable: .invalidParameters) else {
            return nil
        }
        keep(feed, key)
        if let mistake = feed.mistake, told.insert(key).inserted {
            HostLog.write(
                .warning, "the feed of \(endpoint.address.host) has a mistake (\(mistake)); it is read all the same")
        }
        return feed
    }

    /// The feed as it is now. With `isFresh` its server is asked, which may say that it hasn't changed. If it can't be
    /// read, that may pass: it could be when it was listed.
    func current(_ endpoint: Endpoint, isFresh: Bool) async throws(ProviderError) -> Feed {
        let key = Self.key(endpoint)
        if !isFresh, let kept = kept[key], kept.readAt.duration(to: .now) < Self.freshness { return kept.feed }
        if let task = reading[key] { return try await task.value.get() }
        let old = kept[key]?.feed
        let task = Task { () -> Result<Feed, ProviderError> in
            do throws(ProviderError) {
                if let old, let validator = old.validator {
                    return .success(
                        try await Self.fetch(endpoint, since: validator, ifUnreadable: .unavailable) ?? old)
                }
                guard let feed = try await Self.fetch(endpoint, since: nil, ifUnreadable: .unavailable) else {
                    throw ProviderError(.unavailable, "\(endpoint.address.host) answers 304 to a plain request")
                }
                return .success(feed)
            } catch {
                return .failure(error)
            }
        }
        reading[key] = task
        let result = await task.value
        reading[key] = nil
        let feed = try result.get()
        keep(feed, key)
        return feed
    }

    private func keep(_ feed: Feed, _ key: String) {
        if kept.count >= Self.bound, kept[key] == nil, let oldest = kept.min(by: { $0.value.readAt < $1.value.readAt })
        {
            kept[oldest.key] = nil
        }
        kept[key] = Kept(feed: feed, readAt: .now)
    }

    private static func key(_ endpoint: Endpoint) -> String {
        "\(endpoint.address.text) \(endpoint.login?.encoded.value ?? "")"
    }

    /// All pages of the feed; nil if the first one hasn't changed.
    private static func fetch(
        _ endpoint: Endpoint, since validator: String?, ifUnreadable kind: ProviderError.Kind
    ) async throws(ProviderError) -> Feed? {
        var headers = ["Accept": "application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.5"]
        let parts = validator?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
        if parts.count == 2 {
            if !parts[0].isEmpty { headers["If-None-Match"] = parts[0] }
            if !parts[1].isEmpty { headers["If-Modified-Since"] = parts[1] }
        }
        let request = HTTPRequest("GET", endpoint.address, headers: headers, login: endpoint.login)
        let response = try await endpoint.client.send(request)
        if response.status == 304, parts.count == 2 { return nil }
        var feed = try Self.feed(response.checked(), ifUnreadable: kind)
        feed.validator = Self.validator(response)
        var seen: Set = [endpoint.address, response.address]
        // The feed may have moved to another server as a whole; the login hasn't.
        while let next = feed.next, next.origin == response.address.origin, seen.insert(next).inserted {
            guard seen.count <= pageBound else {
                throw ProviderError(.unavailable, "the feed of \(next.host) has more than \(pageBound) pages")
            }
            let page = try await endpoint.client.get(
                next, login: next.origin == endpoint.address.origin ? endpoint.login : nil)
            let more = try Self.feed(page, ifUnreadable: kind)
            feed.episodes += more.episodes
            feed.next = more.next
            feed.mistake = feed.mistake ?? more.mistake
        }
        return feed
    }

    /// The feed that a response is, as podcast programs read it.
    static func feed(
        _ response: HTTPResponse, ifUnreadable kind: ProviderError.Kind
    ) throws(ProviderError) -> Feed {
        do throws(ProviderError) {
            let (root, mistake) = try response.repairedXML()
            var feed = try FeedReader(root, at: response.address).feed()
            feed.mistake = mistake
            return feed
        } catch {
            throw ProviderError(kind, error.message, parameter: kind == .invalidParameters ? "endpoint" : nil)
        }
    }

    private static func validator(_ response: HTTPResponse) -> String? {
        let (etag, modified) = (response[header: "ETag"] ?? "", response[header: "Last-Modified"] ?? "")
        return etag.isEmpty && modified.isEmpty ? nil : "\(etag)\n\(modified)"
    }
}
