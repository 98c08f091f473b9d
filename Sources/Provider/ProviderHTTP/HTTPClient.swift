import NetworkAddresses
public import ProviderKit

/// Sends requests, with the host's settings and within bounds.
///
/// All clients of a process share one thread and its connections, so a client costs nothing and may be made for each
/// request of the host.
public struct HTTPClient: Sendable, PrintsRedacted {
    /// What a response means.
    public enum Verdict: Sendable {
        /// The status decides.
        case status
        /// It is taken, whatever its status.
        case good
        /// If it names no server it is about the one that was asked, and waits as the `Retry-After` says.
        case failed(ProviderError)
    }

    /// Proxy, certificate authorities and user agent.
    public var settings: HostSettings
    /// The limit on one request with its redirects; keep it below the manifest's `timeout`.
    public var timeout: Duration
    /// The limit on a body, after decompression, in bytes.
    public var bodyBound: Int
    /// The limit on redirects; 0 for a client that returns a redirect as it is.
    public var redirectBound: Int
    /// Sees each response of ``get(_:headers:login:)`` and ``fetch(_:)`` before its status counts, for a host that
    /// means something else by a status, or says 200 and an error in the body.
    public var judge: (@Sendable (HTTPResponse) -> Verdict)?
    /// How many requests a server gets; nil for as many as there are.
    public var pace: Pace?
    /// A browser's session. Each request and each redirect gets the cookies that are for its address, unless it has a
    /// `Cookie` of its own; those that a server sets are not kept.
    public var cookies: CookieJar?
    /// Secrets in paths, such as a key that a server has answered: the log doesn't show them. Those in the credentials
    /// are never shown.
    public var concealed: [String] = []
    private let lookup: ReachLookup?

    /// Makes a client. Defaults: 25 seconds, 16 MiB, 5 redirects.
    ///
    /// - Parameter confinedTo: the address that the user wrote. Requests then go only to the public network, or to the
    ///   network that its server is in: this machine, the link, or a private network. So what a stranger names, such as
    ///   the target of a redirect or the next page of a list, doesn't lead into a network that it doesn't come from.
    public init(
        settings: HostSettings, confinedTo: WebAddress? = nil, timeout: Duration = .seconds(25),
        bodyBound: Int = 16 << 20, redirectBound: Int = 5
    ) {
        self.settings = settings
        lookup = confinedTo.map(ReachLookup.init)
        self.timeout = timeout
        self.bodyBound = bodyBound
        self.redirectBound = redirectBound
    }

    /// Requests `address` with GET; throws what any status but one of the 200s means.
    public func get(
        _ address: WebAddress, headers: [String: String] = [:], login: BasicLogin? = nil
    ) async throws(ProviderError) -> HTTPResponse {
        try await fetch(HTTPRequest("GET", address, headers: headers, login: login))
    }

    /// Sends `request`; throws what ``judge`` or any status but one of the 200s means.
    public func fetch(_ request: HTTPRequest) async throws(ProviderError) -> HTTPResponse {
        let response = try await send(request)
        switch judge?(response) ?? .status {
        case .status: return try response.checked()
        case .good: return response
        case .failed(var error):
            if [.authRequired, .rateLimited, .unavailable].contains(error.kind) {
                error.server = error.server ?? response.asked.origin
            }
            if [.notReady, .rateLimited, .unavailable].contains(error.kind) {
                error.retryAfter = error.retryAfter ?? response.retryAfter
            }
            throw error
        }
    }

    /// Gives `take` the page at `address` and those that follow by `Link: <…>; rel="next"`. A page at another origin
    /// gets none of `headers` but `Accept` ones, and no `login`. A page that came before, and more than 10,000 of them,
    /// are `unavailable`.
    public func pages(
        _ address: WebAddress, headers: [String: String] = [:], login: BasicLogin? = nil,
        take: (HTTPResponse) async throws(ProviderError) -> Void
    ) async throws(ProviderError) {
        var request = HTTPRequest("GET", address, headers: headers, login: login)
        var seen: Set<WebAddress> = []
        while true {
            seen.insert(request.address)
            let response = try await fetch(request)
            try await take(response)
            guard let next = try response.next else { return }
            guard !seen.contains(next), seen.count < 10_000 else {
                throw ProviderError(
                    .unavailable, "the pages of \(address.host) don't end", server: address.origin)
            }
            request.address = next
            if next.origin != address.origin {
                request.headers = headers.filter { $0.key.lowercased().hasPrefix("accept") }
                request.login = nil
            }
        }
    }

    /// Sends `request` and returns the response with whatever status; throws if there is none: the server can't be
    /// reached, is too slow, breaks off in the middle, or sends more than ``bodyBound``.
    ///
    /// Redirects are followed for GET, HEAD and PROPFIND, and with 307 and 308 for every method; 303 makes a GET of
    /// any. `login`, `Authorization` and `Cookie` stay with the origin of the first request, a redirect of a body to
    /// another origin is an error, and so is one from https to http. Of a confined client the address of the connection
    /// counts, with a proxy, which resolves names itself, the host's name; nothing is sent beyond its reach.
    public func send(_ request: HTTPRequest) async throws(ProviderError) -> HTTPResponse {
        let end = ContinuousClock.now + timeout
        var request = request
        if let login = request.login { request.headers["Authorization"] = "Basic \(login.encoded.value)" }
        let asked = request.address
        var signsOn = false
        for _ in 0...redirectBound {
            try await pace?.wait(for: request.address.origin, within: timeout / 2)
            let left = end - .now
            guard left > .zero else { throw CurlFailure.timedOut(timeout).error(at: request.address) }
            var response = try await exchange(request, within: left)
            response.asked = asked
            response.wasSentToLogIn = signsOn
            guard redirectBound > 0, let next = try Self.redirect(of: response, to: request) else { return response }
            request = next
            signsOn = signsOn || Self.signsOn(at: next.address)
        }
        throw ProviderError(.unavailable, "\(request.address.host) redirects more than \(redirectBound) times")
    }

    private func exchange(
        _ request: HTTPRequest, within limit: Duration
    ) async throws(ProviderError) -> HTTPResponse {
        let reach = await lookup?.reach(settings)
        if let reach, let scope = NetworkScope(literal: request.address.name),
            !reach.allows(scope, for: request.address.name)
        {
            throw CurlFailure.outOfReach.error(at: request.address)
        }
        var request = request
        if !request.headers.keys.contains(where: { $0.lowercased() == "cookie" }),
            let field = cookies?.field(for: request.address)
        {
            request.headers["Cookie"] = field
        }
        let exchange = CurlExchange(
            request, settings: settings, limit: limit, bodyBound: bodyBound, reach: reach)
        let begin = ContinuousClock.now
        let result = await CurlThread.shared.run(exchange)
        if HostLog.isOpen { trace(request, result, in: begin.duration(to: .now)) }
        switch result {
        case .success(let response): return response
        case .failure(.timedOut): throw CurlFailure.timedOut(timeout).error(at: request.address)
        case .failure(let failure): throw failure.error(at: request.address)
        }
    }

    /// Logs an exchange as one line, without query, fields and bodies.
    private func trace(
        _ request: HTTPRequest, _ result: Result<HTTPResponse, CurlFailure>, in time: Duration
    ) {
        var shown = request.address.origin + request.address.path
        for secret in concealed where !secret.isEmpty { shown = shown.replacing(secret, with: "[redacted]") }
        if shown.count > 200 { shown = shown.prefix(199) + "…" }
        let outcome =
            switch result {
            case .success(let response): "\(response.status), \(response.body.count) bytes"
            case .failure: "no answer"
            }
        let milliseconds = Int((time / .milliseconds(1)).rounded())
        HostLog.write(.debug, "\(request.method) \(shown): \(outcome), \(milliseconds) ms")
    }

    /// Whether an address is the request of a single sign-on: SAML's HTTP Redirect Binding, or RFC 6749 §4.1.1.
    private static func signsOn(at address: WebAddress) -> Bool {
        let names = Set((address.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } })
        return names.contains("SAMLRequest") || names.isSuperset(of: ["client_id", "response_type"])
    }

    /// The next request; nil if the response is the final one.
    static func redirect(of response: HTTPResponse, to request: HTTPRequest) throws(ProviderError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response[header: "Location"] else {
            return nil
        }
        let isRead = ["GET", "HEAD", "PROPFIND"].contains(request.method)
        guard isRead || response.status == 303 || response.status == 307 || response.status == 308 else { return nil }
        let host = request.address.host
        guard let address = request.address.resolving(location) else {
            throw ProviderError(.unavailable, "\(host) redirects to an invalid address")
        }
        guard request.address.scheme == "http" || address.scheme == "https" else {
            throw ProviderError(.unavailable, "\(host) redirects from https to http")
        }
        var next = request
        next.address = address
        if response.status == 303, request.method != "HEAD" {
            next.method = "GET"
            next.body = nil
        }
        if address.origin != request.address.origin {
            // A form may have a password in it. That of PROPFIND only asks.
            guard next.body == nil || isRead else {
                throw ProviderError(.unavailable, "\(host) redirects what is sent to it to another server")
            }
            next.login = nil
            next.headers = next.headers.filter { !["authorization", "cookie"].contains($0.key.lowercased()) }
        }
        return next
    }
}
