import ProviderHTTP
import ProviderKit

/// The API of a Canvas server, and the few addresses beside it that the API leads to.
///
/// Related: doc/api of Canvas
struct CanvasServer: Sendable, PrintsRedacted {
    /// More of a page are cut off silently.
    private static let pageSize = 100
    private static let pageBound = 2000

    /// The server's root.
    let address: WebAddress
    private let session: OAuthSession
    /// Returns redirects: they lead to a login, or to the storage.
    private let web: OAuthSession

    init(
        _ endpoint: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings,
        renewal: @escaping OAuthSession.Renewal
    ) {
        let address = endpoint.replacing(path: "/")
        let key = CanvasLogin.Key(HostLogins(credentials).entry(for: address))
        func session(redirects: Int) -> OAuthSession {
            var client = HTTPClient(settings: settings, confinedTo: address, redirectBound: redirects)
            client.judge = Self.judge
            return OAuthSession(at: address, credentials, client, renewal: renewal) {
                token, client throws(ProviderError) in
                try await CanvasLogin.tokens(
                    at: address, client, key, [("grant_type", "refresh_token"), ("refresh_token", token)])
            }
        }
        self.address = address
        self.session = session(redirects: 5)
        web = session(redirects: 0)
    }

    var hasLogin: Bool { session.hasLogin }

    // MARK: - The API

    /// What is at a path of the API.
    func value(
        _ path: [String], _ fields: [(name: String, value: String)] = []
    ) async throws(ProviderError) -> JSONValue {
        try await get(api(path).adding(query: fields)).json()
    }

    /// All entries of a list of the API.
    func all(
        _ path: [String], _ fields: [(name: String, value: String)] = []
    ) async throws(ProviderError) -> [JSONValue] {
        var next: WebAddress? = api(path).adding(query: fields + [("per_page", "\(Self.pageSize)")])
        var (found, seen): ([JSONValue], Set<WebAddress>) = ([], [])
        while let address = next {
            guard seen.insert(address).inserted, seen.count <= Self.pageBound else {
                throw ProviderError(
                    .unavailable, "the pages of \(address.host) don't end", server: self.address.origin)
            }
            let response = try await get(address)
            guard let page = try response.json().array else { throw unknownAnswer }
            // Each page of a list says where the others are.
            guard page.count < Self.pageSize || response[header: "Link"] != nil else { throw unknownAnswer }
            found += page
            next = try response.next
        }
        return found
    }

    /// The same, or nil where the user may not see the list.
    func allowed(
        _ path: [String], _ fields: [(name: String, value: String)] = []
    ) async throws(ProviderError) -> [JSONValue]? {
        try await Self.allowed { () async throws(ProviderError) in try await all(path, fields) }
    }

    /// Nil for what isn't there, and for what the user may not see.
    static func allowed<Answer>(
        _ body: () async throws(ProviderError) -> Answer
    ) async throws(ProviderError) -> Answer? {
        do throws(ProviderError) {
            return try await body()
        } catch {
            guard [.notFound, .forbidden].contains(error.kind) else { throw error }
            return nil
        }
    }

    /// A file as the API has it.
    func file(_ id: String) async throws(ProviderError) -> CanvasFile {
        guard let file = CanvasFile(try await value(["files", id])) else { throw unknownAnswer }
        return file
    }

    /// Where the storage has a file. Unlike the address of ``CanvasFile``, it needs no secret of the file.
    ///
    /// Related: app/controllers/files_controller.rb of Canvas, `public_url`
    func storage(of file: CanvasFile) async throws(ProviderError) -> WebAddress {
        let answer = try await value(["files", file.id, "public_url"])
        guard let found = answer["public_url"]?.string.flatMap(WebAddress.init) else { throw unknownAnswer }
        return found
    }

    /// The subtitles of a file or a media object; none where the server doesn't hand them out.
    func subtitles(of kind: String, _ id: String) async throws(ProviderError) -> [Resolution.Subtitle] {
        let tracks = try await allowed([kind, id, "media_tracks"], [("include[]", "content")]) ?? []
        return tracks.compactMap { track in
            guard ["subtitles", "captions"].contains(track["kind"]?.string), let lang = track["locale"]?.string,
                let text = track["content"]?.string, !text.isEmpty
            else { return nil }
            return .init(lang: lang, text: text)
        }
    }

    // MARK: - Beside the API

    /// A media object. Whoever knows its id may ask, without a token.
    ///
    /// Related: app/controllers/media_objects_controller.rb of Canvas, `show`
    func media(_ id: String) async throws(ProviderError) -> CanvasMedia {
        guard let place = address.appending(["media_objects", id, "info"]) else { throw unknownAnswer }
        let response = try await web.client.get(place)
        // It may lead to a login, which a token is none for.
        guard !(300...399).contains(response.status) else {
            throw ProviderError(.notReady, "\(address.host) doesn't show this media object outside of a browser now")
        }
        guard let media = CanvasMedia(try response.json(), at: address) else { throw unknownAnswer }
        return media
    }

    /// Where a source of a media object is. A redirect of the server's own wants the token; where it leads, there is a
    /// signed address.
    func place(of source: CanvasMedia.Source) async throws(ProviderError) -> WebAddress {
        guard source.address.origin == address.origin else { return source.address }
        let response = try await web.get(source.address)
        guard let target = response[header: "Location"].flatMap({ source.address.resolving($0) }),
            target.origin != address.origin || !target.path.hasPrefix("/login")
        else { throw unknownAnswer }
        return target
    }

    /// Whether the server is Canvas, which it says to whoever has no token.
    func isCanvas() async throws(ProviderError) -> Bool {
        let response = try await session.client.send(HTTPRequest("GET", api(["users", "self"])))
        return response.status == 401 && response[header: "WWW-Authenticate"]?.contains("canvas-lms") == true
    }

    // MARK: - Answers

    /// An id, which is a number of up to 64 bits, or text.
    static func id(_ value: JSONValue?) -> String? {
        (value?.string ?? value?.int.map { "\($0)" }).flatMap { $0.isEmpty ? nil : $0 }
    }

    var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(address.host) isn't Canvas's", server: address.origin)
    }

    private func get(_ address: WebAddress) async throws(ProviderError) -> HTTPResponse {
        guard hasLogin else {
            throw ProviderError(
                .authRequired, "\(self.address.host) asks for a login", server: self.address.origin)
        }
        return try await session.get(address)
    }

    private func api(_ path: [String]) -> WebAddress {
        // A name of the API can't be a dot.
        address.appending(["api", "v1"] + path) ?? address.replacing(path: "/api/v1/nothing")
    }

    /// Related: app/middleware/request_throttle.rb, lib/authentication_methods.rb, lib/canvas/oauth of Canvas
    static let judge: @Sendable (HTTPResponse) -> HTTPClient.Verdict = { response in
        let host = response.address.host
        switch response.status {
        case 302: return .good
        case 403 where String(decoding: response.body.prefix(200), as: UTF8.self).contains("Rate Limit Exceeded"):
            return .failed(ProviderError(.rateLimited, "\(host) asks for fewer requests (403)"))
        // The token is good, but not for this. For one that isn't, there is the field `WWW-Authenticate`.
        case 401
        where response[header: "WWW-Authenticate"] == nil && (try? response.json())?["status"] == "unauthorized":
            return .failed(ProviderError(.forbidden, "\(host) refuses access (401)"))
        case 400 where response.address.path == CanvasLogin.tokenPath:
            return .failed(ProviderError(.authRequired, "\(host) refuses this login (400)"))
        default: return .status
        }
    }
}
