import ProviderHTTP
import ProviderKit

/// The server that a course is at, and the login for it.
struct Endpoint: PrintsRedacted {
    /// The parameter `endpoint`.
    var address: WebAddress
    let login: BasicLogin?
    let client: HTTPClient

    /// The endpoint of a course that is to be listed.
    init(_ request: ListRequest) throws(ProviderError) {
        try self.init(request.course.parameters, request.credentials, request.settings)
    }

    /// Of a video that is resolved. If its address was refused for want of a login, no other answer helps; nor does a
    /// login, if it was another server that refused.
    init(_ request: ResolveRequest) throws(ProviderError) {
        try self.init(request.video.parameters, request.credentials, request.settings)
        guard let previous = request.previous, previous.status == 401 else { return }
        if let server = previous.server, server != address.origin {
            throw ProviderError(
                .forbidden, "\(server) asks for a login (401), and a login here is for \(address.origin) only")
        }
        throw ProviderError(
            .authRequired,
            login == nil ? "\(address.host) asks for a login (401)" : "\(address.host) refuses this login (401)",
            server: address.origin)
    }

    /// The address that is asked about; nil for one that isn't http or https.
    init?(_ request: RecogniseRequest) {
        guard let address = WebAddress(request.address) else { return nil }
        self.address = address
        login = HostLogins(request.credentials).login(for: address)
        client = HTTPClient(settings: request.settings, confinedTo: address)
    }

    /// The endpoint that the parameters and the credentials name.
    init(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, _ settings: HostSettings
    ) throws(ProviderError) {
        address = try Self.address(parameters)
        login = HostLogins(credentials).login(for: address)
        client = HTTPClient(settings: settings, confinedTo: address)
    }

    /// The parameter `endpoint`.
    static func address(_ parameters: [String: JSONValue]) throws(ProviderError) -> WebAddress {
        guard let text = parameters["endpoint"]?.string else {
            throw ProviderError(.invalidParameters, "endpoint is missing", parameter: "endpoint")
        }
        guard let address = WebAddress(text) else {
            throw ProviderError(
                .invalidParameters, "endpoint isn't an http or https address without a user name", parameter: "endpoint"
            )
        }
        return address
    }
}
