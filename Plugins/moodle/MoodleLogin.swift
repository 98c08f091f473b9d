import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login at a Moodle site: with name and password where the site lets its app do so, else with a browser, whose last
/// address has the token. A token itself is taken in the place of the password and of that address.
enum MoodleLogin {
    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let site = MoodleSite(try HostLogins.server(of: request), nil, request.settings)
        let secrets = request.secrets.value
        if let link = secrets["link"] {
            guard let token = token(in: link) else {
                throw ProviderError(
                    .authRequired,
                    "this is no token, and not the address \(MoodleSite.scheme)://token=… that the browser was sent to"
                )
            }
            return try await login(request, site, token: token)
        }
        if let username = secrets["username"], let password = secrets["password"] {
            if let token = token(in: password) {
                do throws(ProviderError) {
                    return try await login(request, site, token: token)
                } catch {
                    // A password may look like a token.
                    guard error.kind == .authRequired else { throw error }
                }
            }
            let token = try await HostLogins.trying { () async throws(ProviderError) in
                try await site.token(username: username, password: password)
            }
            return try await login(request, site, token: token)
        }
        return Login(step: try await firstStep(site))
    }

    /// What the site wants: `typeoflogin` is 1 for name and password, 2 and 3 for a browser.
    private static func firstStep(_ site: MoodleSite) async throws(ProviderError) -> LoginStep {
        let settings = try await HostLogins.trying { () async throws(ProviderError) in
            try await site.publicSettings()
        }
        guard settings["enablemobilewebservice"]?.number != 0 else {
            throw ProviderError(
                .forbidden, "\(site.address.host) doesn't let Moodle's app in, and so no other program")
        }
        guard let type = settings["typeoflogin"]?.number, type != 1 else {
            return LoginStep(ask: [
                .init(name: "username", label: "user name", secret: false),
                .init(name: "password", label: "password, or a token"),
            ])
        }
        let passport = String(Double.random(in: 0..<1000))
        return LoginStep(
            ask: [
                .init(
                    name: "link",
                    label: "the address \(MoodleSite.scheme)://token=… that the browser is sent to, or a token")
            ], open: site.launchPage(passport: passport).text)
    }

    private static func login(
        _ request: LoginRequest, _ site: MoodleSite, token: String
    ) async throws(ProviderError) -> Login {
        let credentials = HostLogins.adding(["token": .string(token)], for: site.address, to: request.credentials)
        let user = try await MoodleSite(site.address, Secret(credentials), request.settings)
            .call("core_webservice_get_site_info")["userid"]?.wholeNumber
        guard let user else {
            throw ProviderError(.unavailable, "\(site.address.host) doesn't say whose token this is")
        }
        return Login(
            credentials: HostLogins.adding(
                ["token": .string(token), "user": .string(String(user))], for: site.address,
                to: request.credentials))
    }

    /// A token, or the one in the link that a browser was sent to: `X://token=` and, in Base64, a checksum, the token
    /// and another secret.
    static func token(in text: String) -> String? {
        let text = text.trimmed
        if text.wholeMatch(of: /[0-9a-f]{32}/) != nil { return text }
        guard let mark = text.firstRange(of: "://token="),
            let data = Data(base64Encoded: String(text[mark.upperBound...].prefix { $0 != "#" && $0 != "&" }))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":::", omittingEmptySubsequences: false)
        return parts.count >= 2 && !parts[1].isEmpty ? String(parts[1]) : nil
    }
}
