import ProviderKit

extension EndpointOrigin {
    /// A jar in which the cookies for this server are also for another one, over http.
    func moved(_ jar: CookieJar, to origin: String) -> CookieJar {
        guard let own = CookieJar.Server(url: text), let other = CookieJar.Server(url: origin) else { return jar }
        let mine = jar.cookies.filter { $0.isOf(host: own.host) && (own.isSecure || !$0.isSecure) }
        return CookieJar(jar.cookies + mine.map { $0.moved(to: other.host) })
    }

    /// The cookies for this server as fixtures have them: without values and expiry.
    func withoutValues(_ jar: CookieJar) -> CookieJar {
        guard let server = CookieJar.Server(url: text) else { return CookieJar([]) }
        let mine = jar.cookies.filter { $0.isOf(host: server.host) }
        return CookieJar(mine.map { $0.replaced(by: FixtureScrubber.stand) })
    }
}

extension Cookie {
    fileprivate func replaced(by value: String) -> Cookie {
        Cookie(
            name, value, domain: domain, includesSubdomains: includesSubdomains, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly)
    }
}
