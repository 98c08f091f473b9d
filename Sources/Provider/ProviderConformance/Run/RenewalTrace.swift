import ProviderKit

/// The credentials that the plugin's answers have replaced.
struct RenewalTrace: PrintsRedacted {
    /// The first request whose answer had new credentials.
    private(set) var request: CheckRequest?
    /// Whether requests keep outdated credentials.
    var keepsOutdated = false
    private var outdated: [JSONValue] = []

    /// Takes renewed credentials from the answer to a request; those to use from now on.
    mutating func take(_ fresh: JSONValue, after asked: CheckRequest, now credentials: JSONValue?) -> JSONValue? {
        guard let old = asked.params["credentials"], old != .null, old != fresh else { return credentials }
        if request == nil { request = asked }
        guard !keepsOutdated, old == credentials else { return credentials }
        outdated.append(old)
        return fresh
    }

    /// The request as a run would send it now: with the credentials that replace its own.
    func current(_ request: CheckRequest, _ credentials: JSONValue?) -> CheckRequest {
        guard !keepsOutdated, let own = request.params["credentials"], outdated.contains(own), let credentials else {
            return request
        }
        return request.with("credentials", credentials)
    }
}
