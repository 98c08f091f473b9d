import ProviderHTTP
import ProviderKit

/// What Kaltura's exceptions mean: they come with status 200.
///
/// Related: api_v3/lib/KalturaErrors.php and alpha/apps/kaltura/lib/APIErrors.class.php of Kaltura
enum KalturaErrors {
    /// The code of an answer that is an exception. Its message and arguments may have the session in them.
    static func code(of answer: JSONValue) -> String? {
        guard answer["objectType"]?.string == "KalturaAPIException" else { return nil }
        return answer["code"]?.string ?? "unknown"
    }

    static func error(_ code: String, from server: WebAddress, hasLogin: Bool) -> ProviderError {
        let (host, origin) = (server.host, server.origin)
        switch code {
        case "INVALID_KS", "EXPIRED_KS":
            return ProviderError(.authRequired, "\(host) refuses this session (\(code))", server: origin)
        case "START_SESSION_ERROR", "INVALID_APP_TOKEN_HASH", "APP_TOKEN_ID_NOT_FOUND", "APP_TOKEN_NOT_ACTIVE",
            "APP_TOKEN_EXPIRED":
            return ProviderError(.authRequired, "\(host) refuses this login (\(code))", server: origin)
        case "MISSING_KS", "SERVICE_FORBIDDEN":
            return hasLogin
                ? ProviderError(.forbidden, "\(host) refuses this to your session (\(code))")
                : ProviderError(.authRequired, "\(host) asks for a login (\(code))", server: origin)
        case "INVALID_WIDGET_ID", "INVALID_PARTNER_ID", "UNKNOWN_PARTNER_ID":
            return ProviderError(
                .invalidParameters, "\(host) has no account with this number (\(code))", parameter: "partner")
        case "ENTRY_ID_NOT_FOUND", "INVALID_ENTRY_ID", "CATEGORY_NOT_FOUND", "INVALID_PLAYLIST_TYPE",
            "INVALID_OBJECT_ID":
            return ProviderError(
                .notFound, "\(host) has nothing with this id\(hasLogin ? "" : " for everybody") (\(code))")
        case "ACTION_BLOCKED":
            return ProviderError(.rateLimited, "\(host) takes no more requests now (\(code))", server: origin)
        default:
            let shown = HTMLStripper.text(of: code, bound: 60)
            return ProviderError(.unavailable, "\(host) answers with an error (\(shown))", server: origin)
        }
    }
}
