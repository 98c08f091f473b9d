/// The credentials of a user in the order in which they came or were made, so that each server's are renewed once: a
/// value without time or tasks.
struct CredentialHistory: Sendable, PrintsRedacted {
    /// What a renewal begins with.
    enum Beginning: Sendable {
        /// Somebody has renewed them since: these are they.
        case isDone(JSONValue)
        /// They belong to an earlier login, of which the host takes nothing any more.
        case isForeign
        /// Nobody has: new ones are made of these, which belong to this login.
        case make(of: JSONValue, login: Int)
    }

    /// So many are known as older ones: more than can be under way.
    private static let most = 512

    private(set) var newest = JSONValue.null
    /// Whether the host's requests have the newest ones.
    private var isHeld = false
    /// When each came, in their order.
    private var places: [JSONValue: Int] = [:]
    private var count = 0
    /// Counts logins: what belongs to an earlier one isn't mixed with the present one's.
    private(set) var login = 0
    /// By server: since which place its own are new.
    private var since: [String: Int] = [:]

    private mutating func add(_ credentials: JSONValue) -> Int {
        count += 1
        newest = credentials
        places[credentials] = count
        if places.count > Self.most, let oldest = places.min(by: { $0.value < $1.value }) { places[oldest.key] = nil }
        return count
    }

    /// Takes the credentials of a request. Returns those that it should use.
    mutating func arrived(_ credentials: JSONValue) -> JSONValue {
        if count > 0, credentials == newest {
            isHeld = true
        } else if count > 0, !isHeld, credentials == .null || places[credentials] != nil {
            // It was sent before the host learned of the newest ones.
            return credentials == .null ? .null : newest
        } else {
            // The first ones, or those of another login.
            places = [:]
            since = [:]
            login += 1
            _ = add(credentials)
            isHeld = true
        }
        return credentials
    }

    /// The newest ones, if the host doesn't have them and they were made of these; otherwise nil.
    func newer(than credentials: JSONValue) -> JSONValue? {
        // A plain nil would be JSON's null.
        guard !isHeld, credentials != newest, places[credentials] != nil else { return .none }
        return newest
    }

    /// Begins to renew the credentials of a request at a server.
    mutating func begin(_ credentials: JSONValue, at server: String) -> Beginning {
        if count == 0 { _ = add(credentials) }
        guard let place = places[credentials] else { return .isForeign }
        return place < since[server] ?? 0 ? .isDone(newest) : .make(of: newest, login: login)
    }

    /// Takes what was made of `base`. Returns the newest ones, with what was renewed at other servers meanwhile.
    mutating func finish(_ made: JSONValue, of base: JSONValue, login: Int, at server: String) -> JSONValue {
        guard login == self.login else { return made }
        since[server] = add(Self.merged(base, made, newest))
        isHeld = false
        return newest
    }

    /// `newest` with what `made` changes of `base`; `made` itself if these aren't all objects.
    private static func merged(_ base: JSONValue, _ made: JSONValue, _ newest: JSONValue) -> JSONValue {
        guard base != newest, let old = base.object, let new = made.object, let present = newest.object else {
            return made
        }
        var merged = present.filter { new[$0.key] != nil || old[$0.key] == nil }
        for (key, value) in new where value != old[key] {
            merged[key] = Self.merged(old[key] ?? .null, value, present[key] ?? .null)
        }
        return .object(merged)
    }
}
