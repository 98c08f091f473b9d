import ProviderHTTP
import ProviderKit

/// What the errors of Open edX mean, where the status doesn't say it, and what they say.
enum OpenEdXErrors {
    static let judge: @Sendable (HTTPResponse) -> HTTPClient.Verdict = { response in
        guard [400, 401, 403].contains(response.status), !response.isHTML, let answer = try? response.json() else {
            return .status
        }
        let host = response.address.host
        // Of a login and its renewal: RFC 6749 §5.2.
        switch answer["error"]?.string {
        case "invalid_client":
            return .failed(
                ProviderError(
                    .authRequired,
                    "\(host) doesn't know the client of this login: name that of its app with --set client=NAME"))
        case "unauthorized_client":
            return .failed(
                ProviderError(
                    .authRequired,
                    "\(host) takes no user name and password from programs: log in with a browser's session"))
        default: break
        }
        guard response.status == 403, let text = (answer["developer_message"] ?? answer["detail"])?.string else {
            return .status
        }
        return .failed(ProviderError(.forbidden, "\(host) says: \(HTMLStripper.text(of: text, bound: 300)) (403)"))
    }
}
