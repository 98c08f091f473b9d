import Crypto
import Foundation

/// Who may see the page, and whose library: the decision for each request, as a value.
///
/// A browser on this machine comes with the token that `serve` has printed and keeps a cookie. Behind a proxy, a header
/// names the user, and counts only from the addresses of proxies that the settings list.
package struct PageAccess: Sendable {
    /// The names that requests may ask for, each with its port, in lower case: otherwise a page elsewhere could let its
    /// own name point here.
    package var hosts: Set<String>
    package var proxies: [AddressBlock]
    /// In lower case.
    package var userHeader: String
    /// The path of the page's root, with a slash at both ends.
    package var base: String
    package var port: Int
    private let key: SymmetricKey

    package enum Decision: Sendable, Equatable {
        /// The account's own user, or the one that a proxy names.
        case user(String?)
        /// The token was right: the cookie is set, and the same address without the token is asked for.
        case welcome(cookie: String)
        case refused(Reason)
    }

    package enum Reason: Sendable, Equatable {
        /// The host that was asked for isn't listed.
        case host(String)
        /// There is neither a cookie nor a token that is right.
        case stranger
        /// A header names a user, but the address isn't a proxy's.
        case proxy(String)
        /// A proxy has named no user.
        case noUser
        /// A form that doesn't come from this page.
        case form
    }

    /// - Parameter secret: at least 16 random bytes.
    package init(
        secret: [UInt8], port: Int, base: String = "/", hosts: [String] = [], proxies: [AddressBlock] = [],
        userHeader: String = "remote-user"
    ) {
        key = SymmetricKey(data: secret)
        self.port = port
        self.base = base
        self.proxies = proxies
        self.userHeader = userHeader.lowercased()
        self.hosts = Set(["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] + hosts.map { $0.lowercased() })
    }

    /// What the address has to bring.
    package var token: String { code("token") }
    package var cookieName: String { "coursefetch-\(port)" }
    /// What forms have to bring, for a user.
    package func formToken(of user: String?) -> String { code("form \(user ?? "")") }
    /// What the feed of a course has to bring, which a podcast program can't do with a cookie.
    package func feedToken(of user: String?, course: String) -> String { code("feed \(user ?? "")\u{0}\(course)") }

    package func decide(_ request: PageRequest) -> Decision {
        let host = request.headers["host"]?.lowercased() ?? ""
        guard hosts.contains(host) else { return .refused(.host(host)) }
        if let name = request.headers[userHeader], !name.isEmpty {
            guard isProxy(request.remote) else { return .refused(.proxy(request.remote)) }
            return checked(request, user: name)
        }
        if let token = request.query["token"], Self.equal(token, self.token) {
            return .welcome(cookie: "\(cookieName)=\(code("cookie")); Path=\(base); HttpOnly; SameSite=Lax")
        }
        if let cookie = request.cookie(cookieName), Self.equal(cookie, code("cookie")) {
            return checked(request, user: nil)
        }
        return .refused(isProxy(request.remote) && !proxies.isEmpty ? .noUser : .stranger)
    }

    /// Whose feed it is, by its own token; nil if that isn't right. Whoever has it needs nothing else.
    package func mayReadFeed(_ request: PageRequest, course: String, user: String?) -> Bool {
        guard let token = request.query["token"] else { return false }
        return hosts.contains(request.headers["host"]?.lowercased() ?? "")
            && Self.equal(token, feedToken(of: user, course: course))
    }

    /// A form must bring its token: another site can send forms here, but can't read it.
    private func checked(_ request: PageRequest, user: String?) -> Decision {
        guard request.method == .post else { return .user(user) }
        if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site) {
            return .refused(.form)
        }
        guard let token = request.form["csrf"], Self.equal(token, formToken(of: user)) else { return .refused(.form) }
        return .user(user)
    }

    private func isProxy(_ address: String) -> Bool { proxies.contains { $0.contains(address) } }

    private func code(_ purpose: String) -> String {
        HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8), using: key).prefix(16).reduce(into: "") { text, byte in
            text += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
        }
    }

    /// In a time that doesn't depend on where they differ.
    private static func equal(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
