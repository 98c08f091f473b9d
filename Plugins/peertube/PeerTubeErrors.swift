import ProviderHTTP
import ProviderKit

/// What PeerTube's errors mean, where the status doesn't say it.
///
/// Related: packages/models/src/server/server-error-code.enum.ts of PeerTube, RFC 9457
enum PeerTubeErrors {
    static let judge: @Sendable (HTTPResponse) -> HTTPClient.Verdict = { response in
        guard (400...499).contains(response.status), !response.isHTML, let answer = try? response.json() else {
            return .status
        }
        let host = response.address.host
        // An id or a name that can't be one.
        if response.status == 400, answer["invalid-params"] != nil {
            return .failed(ProviderError(.notFound, "\(host) has nothing with this id or name (400)"))
        }
        guard let code = answer["code"]?.string else { return .status }
        return switch code {
        case "video_requires_password":
            .failed(
                ProviderError(
                    .forbidden, "this video has a password of its own: log in with --set video=ID"))
        case "incorrect_video_password":
            .failed(ProviderError(.forbidden, "\(host) refuses the password of this video"))
        // Of a login and its renewal.
        case "invalid_grant", "invalid_client", "invalid_two_factor", "access_denied", "account_waiting_for_approval",
            "account_approval_rejected":
            .failed(ProviderError(.authRequired, "\(host) refuses this login (\(response.status), \(code))"))
        default: .status
        }
    }

    static func code(of response: HTTPResponse) -> String? { (try? response.json())?["code"]?.string }
}
