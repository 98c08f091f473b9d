import ProviderHTTP
import ProviderKit

/// An object of an installation, as addresses name it: `crs_123`.
///
/// Related: components/ILIAS/StaticURL of ILIAS
struct IliasTarget: Hashable, Sendable {
    /// Longer ones are no address of an object, and take a regular expression long.
    private static let pathBound = 512

    /// ILIAS's word for its kind: `crs`, `fold`, `file`; nil if the address doesn't say it.
    var type: String?
    /// Its place in the repository.
    var ref: Int64
    /// The path of the installation, without a slash at its end.
    var root = ""

    init(type: String?, ref: Int64) {
        self.type = type
        self.ref = ref
    }

    /// Nil for an address that isn't that of an object.
    init?(_ address: WebAddress) {
        let path = address.path
        guard path.utf8.count <= Self.pathBound else { return nil }
        let query = Self.query(of: address)
        if let match = path.wholeMatch(of: /(.*)\/(?:goto\.php|go)\/([a-z]+)\/(\d+)(?:\/.*)?/) {
            self.init(match.output.1, match.output.2, match.output.3)
        } else if let match = path.wholeMatch(of: /(.*)\/goto_.+_([a-z]+)_(\d+)(?:_[^\/]*)?\.html/) {
            self.init(match.output.1, match.output.2, match.output.3)
        } else if let match = path.wholeMatch(of: /(.*)\/goto\.php/),
            let target = query["target"]?.wholeMatch(of: /([a-z]+)_(\d+)(?:_.*)?/)
        {
            self.init(match.output.1, target.output.1, target.output.2)
        } else if let match = path.wholeMatch(of: /(.*)\/ilias\.php/), let ref = query["ref_id"] {
            self.init(match.output.1, Self.type(of: query), ref[...])
        } else {
            return nil
        }
    }

    private init?(_ root: Substring, _ type: Substring?, _ ref: Substring) {
        guard let ref = Int64(ref), ref > 0 else { return nil }
        self.init(type: type.map(String.init), ref: ref)
        self.root = String(root)
    }

    /// As in a video's id; nil without a type.
    var name: String? { type.map { "\($0)_\(ref)" } }

    /// Reads ``name``.
    static func named(_ name: some StringProtocol) -> IliasTarget? {
        guard let match = String(name).wholeMatch(of: /([a-z]+)_(\d+)/), let ref = Int64(match.output.2) else {
            return nil
        }
        return IliasTarget(type: String(match.output.1), ref: ref)
    }

    /// The fields of a query, their names in lower case. Of several with one name the first counts.
    static func query(of address: WebAddress) -> [String: String] {
        var fields: [String: String] = [:]
        for field in address.query?.split(separator: "&") ?? [] {
            let pair = field.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let value = PercentEncoding.decoded(pair[1]) else { continue }
            let name = pair[0].lowercased()
            fields[name] = fields[name] ?? value
        }
        return fields
    }

    /// Of an address in which a class stands for a type.
    private static func type(of query: [String: String]) -> Substring? {
        switch query["baseclass"]?.lowercased() {
        case "ilmediacasthandlergui": "mcst"
        case "illinkresourcehandlergui": "webr"
        default: query["cmd"]?.lowercased() == "sendfile" ? "file" : nil
        }
    }
}
