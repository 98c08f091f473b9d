import ProviderHTTP
import ProviderKit

/// What Panopto's errors mean, where the status doesn't say it.
enum PanoptoErrors {
    /// Of the token endpoint: a login, or a renewal, is refused with the status 400.
    ///
    /// Related: RFC 6749 §5.2
    static let judge: @Sendable (HTTPResponse) -> HTTPClient.Verdict = { response in
        guard let code = code(of: response) else { return .status }
        return .failed(
            ProviderError(
                .authRequired,
                "\(response.address.host) refuses this login (\(HTMLStripper.text(of: code, bound: 100)))"))
    }

    /// OAuth's word for a refusal; nil for any other response.
    static func code(of response: HTTPResponse) -> String? {
        guard [400, 401].contains(response.status), !response.isHTML else { return nil }
        return (try? response.json())?["error"]?.string
    }

    /// An answer to the site's pages, unless it is an error, which comes with the status 200 and a message in HTML.
    ///
    /// - Parameter kind: of an error that is no want of a login.
    static func checked(
        _ response: HTTPResponse, otherwise kind: ProviderError.Kind
    ) throws(ProviderError) -> JSONValue {
        let answer = try response.json()
        let error = answer["ErrorCode"] != nil ? answer : answer["d"] ?? .null
        guard let code = error["ErrorCode"]?.wholeNumber else { return answer }
        let host = response.asked.host
        if code == 2 {
            throw ProviderError(.authRequired, "\(host) asks for a login", server: response.asked.origin)
        }
        let text = error["ErrorMessage"]?.string.map { HTMLStripper.text(of: $0, bound: 300) }
        throw ProviderError(kind, "\(host) says: \(text ?? "error") (\(code))", server: response.asked.origin)
    }
}
