import ProviderHTTP
import ProviderKit

/// The keys of an account, with which the archive hands out what only some may have.
///
/// Related: internetarchive/config.py of the archive's own client
struct ArchiveLogin: PrintsRedacted {
    /// The name of the account, under which its favourites are.
    let name: String?
    private let access: String
    private let secret: String
    private let server: WebAddress

    init?(_ credentials: Secret<JSONValue>?, for server: WebAddress) {
        let entry = HostLogins(credentials).entry(for: server)
        guard let access = entry?["access"]?.string, let secret = entry?["secret"]?.string else { return nil }
        (self.access, self.secret, self.server) = (access, secret, server)
        name = entry?["name"]?.string
    }

    /// The keys for the archive and for its machines that have an item's files.
    func token(for item: ArchiveItem) -> Token {
        let machines = item.machines.compactMap { WebAddress("\(server.scheme)://\($0)") }.filter(isOwn).map(\.origin)
        return Token(
            "\(access):\(secret)", in: .header, name: "Authorization", prefix: "LOW ",
            origins: machines.reduce(into: [server.origin]) { if !$0.contains($1) { $0.append($1) } })
    }

    /// Whether a machine is the archive's; that of another server is the server itself, at any port.
    private func isOwn(_ machine: WebAddress) -> Bool {
        let (machine, own) = (Self.name(of: machine), Self.name(of: server))
        return machine.hasSuffix(".archive.org") || own != "archive.org" && machine == own
    }

    /// Without the port.
    private static func name(of address: WebAddress) -> String { address.host.replacing(/:[0-9]+$/, with: "") }

    /// Asks for the keys of an account by its e-mail address and password.
    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request)
        let secrets = request.secrets.value
        guard let email = secrets["email"], let password = secrets["password"] else {
            return Login(
                step: LoginStep(ask: [.init(name: "email", label: "e-mail", secret: false), .init(name: "password")]))
        }
        let address = server.replacing(path: "/services/xauthn/").adding(query: [("op", "login")])
        var client = HTTPClient(settings: request.settings, confinedTo: server)
        // A refusal has its reason in the body, whatever its status.
        client.judge = { $0.status == 401 && !$0.isHTML ? .good : .status }
        let answer = try await HostLogins.trying { [client] () async throws(ProviderError) in
            try await client.fetch(.form(address, [("email", email), ("password", password)])).json()
        }
        guard answer["success"] == .bool(true) else {
            guard let reason = answer["values"]?["reason"]?.string else { throw unknownAnswer(of: server) }
            throw ProviderError(
                .authRequired, "\(server.host) refuses this login: \(HTMLStripper.text(of: reason, bound: 100))",
                server: server.origin)
        }
        let keys = answer["values"]?["s3"]
        guard let access = keys?["access"]?.string, let secret = keys?["secret"]?.string else {
            throw unknownAnswer(of: server)
        }
        var entry: [String: JSONValue] = ["access": .string(access), "secret": .string(secret)]
        if let name = answer["values"]?["screenname"]?.string { entry["name"] = .string(name) }
        return Login(credentials: HostLogins.adding(entry, for: server, to: request.credentials))
    }

    private static func unknownAnswer(of server: WebAddress) -> ProviderError {
        ProviderError(.unavailable, "the answer of \(server.host) has no keys of an account", server: server.origin)
    }
}
