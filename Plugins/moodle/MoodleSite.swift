import ProviderHTTP
import ProviderKit

/// The web services of a Moodle site, as its app uses them.
struct MoodleSite: Sendable, PrintsRedacted {
    /// The site's root.
    let address: WebAddress
    /// The user's, for the service of the app; nil without a login.
    let token: String?
    /// The user's number, if the login found it out.
    let user: Int64?
    private var client: HTTPClient

    init(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, _ settings: HostSettings
    ) throws(ProviderError) {
        try self.init(Endpoint.address(parameters), credentials, settings)
    }

    init(_ address: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings) {
        self.address = address
        let entry = HostLogins(credentials).entry(for: address)
        token = entry?["token"]?.string
        user = entry?["user"]?.string.flatMap { Int64($0) }
        client = HTTPClient(settings: settings, confinedTo: address)
        client.judge = MoodleErrors.judge
    }

    /// Calls a function of the web services as the user.
    ///
    /// Related: webservice/rest/server.php of Moodle
    func call(
        _ function: String, _ arguments: [(name: String, value: String)] = []
    ) async throws(ProviderError) -> JSONValue {
        guard let token else {
            throw ProviderError(.authRequired, "\(address.host) asks for a login", server: address.origin)
        }
        let fields = [(name: "wstoken", value: token)] + arguments
        let service = file("webservice/rest/server.php")
            .adding(query: [("moodlewsrestformat", "json"), ("wsfunction", function)])
        return try await client.fetch(.form(service, fields)).json()
    }

    /// Asks for a token of the app's service.
    ///
    /// Related: login/token.php of Moodle
    func token(username: String, password: String) async throws(ProviderError) -> String {
        let answer = try await client.fetch(
            .form(
                file("login/token.php"),
                [("username", username), ("password", password), ("service", Self.service)])
        ).json()
        guard let token = answer["token"]?.string else { throw unknownAnswer }
        return token
    }

    /// What the site says of logins to its app, without one.
    ///
    /// Related: lib/ajax/service-nologin.php and admin/tool/mobile/classes/api.php of Moodle
    func publicSettings() async throws(ProviderError) -> JSONValue {
        let question: JSONValue = [["index": 0, "methodname": "tool_mobile_get_public_config", "args": [:]]]
        let address = file("lib/ajax/service-nologin.php").adding(query: [("info", "tool_mobile_get_public_config")])
        let answer = try await client.fetch(.json(address, question)).json()
        guard let first = answer.array?.first, first["error"] != .bool(true), let data = first["data"] else {
            throw unknownAnswer
        }
        return data
    }

    /// Whether there is a Moodle whose app may log in.
    func isMoodle() async throws(ProviderError) -> Bool {
        let response = try await client.send(
            HTTPRequest("GET", file("login/token.php").adding(query: [("appsitecheck", "1")])))
        guard response.status == 200, !response.isHTML, let answer = try? response.json() else { return false }
        return answer["appsitecheck"] != nil || answer["errorcode"] != nil
    }

    /// A page where the user logs in with a browser, which then leads to a link with the token.
    ///
    /// Related: admin/tool/mobile/launch.php of Moodle
    func launchPage(passport: String) -> WebAddress {
        file("admin/tool/mobile/launch.php").adding(query: [
            ("service", Self.service), ("passport", passport), ("urlscheme", Self.scheme),
        ])
    }

    /// Whether a file is the site's own, which wants the token.
    func has(_ file: WebAddress) -> Bool {
        file.origin == address.origin && file.path.hasPrefix(root + "webservice/pluginfile.php/")
    }

    /// The address at which a token opens a file. What is in the description of an activity has the one for browsers.
    func own(_ file: WebAddress) -> WebAddress {
        let script = root + "pluginfile.php/"
        guard file.origin == address.origin, file.path.hasPrefix(script) else { return file }
        return file.replacing(path: "\(root)webservice/pluginfile.php/\(file.path.dropFirst(script.count))")
    }

    static let service = "moodle_mobile_app"
    static let scheme = "moodlemobile"

    private var root: String { address.path.hasSuffix("/") ? address.path : address.path + "/" }

    private func file(_ path: String) -> WebAddress { address.replacing(path: root + path) }

    var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(address.host) isn't Moodle's", server: address.origin)
    }
}
