public import ProviderKit

/// One request to a server.
public struct HTTPRequest: Sendable, PrintsRedacted {
    /// The method, such as `GET`, `POST` or `PROPFIND`.
    public var method: String
    public var address: WebAddress
    /// Header fields. `Authorization` and `Cookie` aren't sent to another origin than that of ``address``; the others
    /// follow redirects.
    public var headers: [String: String]
    /// The body; nil for none.
    public var body: [UInt8]?
    /// A login, sent to the origin of ``address`` only.
    public var login: BasicLogin?

    public init(
        _ method: String = "GET", _ address: WebAddress, headers: [String: String] = [:], body: [UInt8]? = nil,
        login: BasicLogin? = nil
    ) {
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.login = login
    }

    /// A POST of a form.
    public static func form(
        _ address: WebAddress, _ fields: [(name: String, value: String)], headers: [String: String] = [:]
    ) -> HTTPRequest {
        let text = fields.map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }
        return HTTPRequest(
            "POST", address, headers: headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 },
            body: Array(text.joined(separator: "&").utf8))
    }

    /// A POST of a JSON value.
    public static func json(_ address: WebAddress, _ value: JSONValue, headers: [String: String] = [:]) -> HTTPRequest {
        HTTPRequest(
            "POST", address, headers: headers.merging(["Content-Type": "application/json"]) { $1 },
            body: JSONBody.bytes(of: value))
    }
}
