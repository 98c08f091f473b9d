import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What Opencast's player asks its server, as the user.
///
/// Related: SearchRestService.java of Opencast
struct OpencastServer: Sendable, PrintsRedacted {
    /// Above 250 it is refused.
    private static let pageCount = 100

    let address: WebAddress
    let login: BasicLogin?
    private let client: HTTPClient

    init(_ endpoint: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings, now: Date) {
        address = endpoint.replacing(path: "/")
        login = HostLogins(credentials).login(for: endpoint)
        var client = HTTPClient(settings: settings, confinedTo: endpoint)
        client.cookies = CookieJar(named: "session", in: credentials, at: now)
        self.client = client
    }

    /// The published events of a series, the oldest first.
    func events(of series: String) async throws(ProviderError) -> [OpencastEvent] {
        let found = try await all("episode.json", [("sid", series), ("sign", "true"), ("sort", "modified asc")])
        // When the server doesn't heed the login, what anybody may see is still there: the rest isn't gone.
        if found.isEmpty || hasLogin { try await requireLogin("this series") }
        let events = found.compactMap(OpencastEvent.init)
        guard events.count == found.count else { throw unknownAnswer }
        return events.sorted { ($0.begins ?? .distantPast, $0.id) < ($1.begins ?? .distantPast, $1.id) }
    }

    func event(_ id: String) async throws(ProviderError) -> OpencastEvent {
        let found = try await page("episode.json", [("id", id), ("sign", "true")]).entries
        if let event = found.compactMap(OpencastEvent.init).first(where: { $0.id == id }) { return event }
        try await requireLogin("this video")
        throw ProviderError(.notFound, "\(address.host) has no such video, or doesn't show it to this login")
    }

    /// The id and title of each series that the user may see.
    func series() async throws(ProviderError) -> [(id: String, title: String?)] {
        if hasLogin { try await requireLogin("your series") }
        let found = try await all("series.json", [])
        let series = found.compactMap { Self.series($0) }
        guard series.count == found.count else { throw unknownAnswer }
        return series
    }

    /// Nil if the user may not see the series, or there is none.
    func series(_ id: String) async throws(ProviderError) -> (id: String, title: String?)? {
        try await page("series.json", [("id", id)]).entries.lazy.compactMap { Self.series($0) }.first { $0.id == id }
    }

    /// The name that the server knows the user by; nil if it is anybody, or the server isn't Opencast.
    func userName() async throws(ProviderError) -> (isOpencast: Bool, name: String?) {
        let response = try await send("info/me.json", [])
        guard response.status == 200, !response.isHTML else {
            if response.status == 401 { throw response.statusError }
            return (false, nil)
        }
        let answer = try response.json()
        let name = answer["user"]?["username"]?.string
        return (answer["org"]?["anonymousRole"] != nil, name == "anonymous" ? nil : name)
    }

    /// Whether a file is this server's, and may want the login.
    func has(_ file: WebAddress) -> Bool { file.origin == address.origin }

    /// The secrets for files.
    func tokens(for files: [WebAddress]) -> [Token] {
        var tokens = client.cookies?.tokens(for: files) ?? []
        if files.contains(where: has), var token = login?.token {
            token.origins = [address.origin]
            tokens.append(token)
        }
        return tokens
    }

    private var hasLogin: Bool { login != nil || client.cookies?.field(for: address) != nil }

    /// To somebody who isn't logged in a server shows nothing where others may see something.
    private func requireLogin(_ what: String) async throws(ProviderError) {
        guard try await userName().name == nil else { return }
        throw ProviderError(
            .authRequired,
            hasLogin
                ? "the login at \(address.host) has ended" : "\(address.host) doesn't show \(what) without a login",
            server: address.origin)
    }

    /// All entries of a search. There is no order that stays when one is edited.
    private func all(
        _ file: String, _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> [JSONValue] {
        try await PagedList(server: address, pageCount: Self.pageCount).entries { entry throws(ProviderError) in
            guard let id = OpencastEvent.id(of: entry) else { throw unknownAnswer }
            return id
        } page: { _, offset throws(ProviderError) in
            try await page(file, fields + [("limit", "\(Self.pageCount)"), ("offset", "\(offset)")])
        }
    }

    /// Before version 16 an answer is within `search-results`, and has no array around a single entry.
    private func page(
        _ file: String, _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> (entries: [JSONValue], total: Int64) {
        let answer = try await send("search/\(file)", fields).checked().json()
        let page = answer["search-results"] ?? answer
        guard let total = page["total"]?.wholeNumber else { throw unknownAnswer }
        return (page["result"]?.list ?? [], total)
    }

    private var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(address.host) isn't Opencast's", server: address.origin)
    }

    private func send(
        _ path: String, _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> HTTPResponse {
        try await client.send(
            HTTPRequest("GET", address.replacing(path: "/" + path).adding(query: fields), login: login))
    }

    private static func series(_ entry: JSONValue) -> (id: String, title: String?)? {
        guard let id = OpencastEvent.id(of: entry) else { return nil }
        return (id, OpencastEvent.text(entry["dc"]?["title"]?.list.first ?? entry["dcTitle"]))
    }
}
