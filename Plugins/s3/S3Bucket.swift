import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A bucket, and the keys to it.
struct S3Bucket: Sendable, PrintsRedacted {
    /// The address of the bucket itself.
    let address: WebAddress
    /// The folder of the course: empty, or ending in a slash.
    let prefix: String
    /// Nil for a bucket that everybody may read.
    let signer: S3Signer?

    init(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, now: Date
    ) throws(ProviderError) {
        let endpoint = try Endpoint.address(parameters)
        guard let bucket = parameters["bucket"]?.string, !bucket.isEmpty else {
            throw ProviderError(.invalidParameters, "bucket is missing", parameter: "bucket")
        }
        let isVirtual = parameters["style"]?.string == "virtual"
        let address =
            isVirtual
            ? WebAddress("\(endpoint.scheme)://\(bucket).\(endpoint.host)/")
            : endpoint.appending([bucket], isFolder: false)
        // Keys are those of the endpoint: nothing else in the name may become a host.
        let host = isVirtual ? "\(bucket.lowercased()).\(endpoint.host)" : endpoint.host
        guard let address, address.scheme == endpoint.scheme, address.host == host, address.query == nil else {
            throw ProviderError(.invalidParameters, "bucket isn't the name of a bucket", parameter: "bucket")
        }
        self.address = address
        let folder = parameters["prefix"]?.string ?? ""
        prefix = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
        let entry = HostLogins(credentials).entry(for: endpoint)
        signer = entry.flatMap { entry in
            guard let key = entry["access_key"]?.string, let secret = entry["secret_key"]?.string else { return nil }
            return S3Signer(
                accessKey: key, secretKey: Secret(secret),
                sessionToken: entry["session_token"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) },
                region: parameters["region"]?.string ?? "us-east-1",
                seconds: Int(now.timeIntervalSince1970.rounded(.down)))
        }
    }

    /// The parameters for the address of a bucket, or of a folder in it; nil for another address. At Amazon the host
    /// tells the region, and may have the bucket; elsewhere the bucket is the first part of the path.
    static func parameters(of text: String) -> [String: JSONValue]? {
        guard let address = WebAddress(text), address.query == nil else { return nil }
        var names = address.path.split(separator: "/").map { PercentEncoding.decoded($0) ?? "" }
        guard !names.contains("") else { return nil }
        var parameters: [String: JSONValue] = [:]
        if let match = address.host.wholeMatch(of: /(?:(.+)\.)?s3[.-]([a-z0-9-]+)\.amazonaws\.com/) {
            parameters["region"] = .string(String(match.2))
            parameters["endpoint"] = .string("\(address.scheme)://s3.\(match.2).amazonaws.com")
            if let bucket = match.1 { names.insert(String(bucket), at: 0) }
        } else {
            parameters["endpoint"] = .string(address.origin)
        }
        guard let bucket = names.first, bucket.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{1,254}/) != nil else {
            return nil
        }
        parameters["bucket"] = .string(bucket)
        if names.count > 1 { parameters["prefix"] = .string(names.dropFirst().joined(separator: "/")) }
        return parameters
    }

    /// The name of the folder that the parameters are about: the last one of its prefix, or the bucket.
    static func folderName(_ parameters: [String: JSONValue]) -> String? {
        parameters["prefix"]?.string?.split(separator: "/").last.map(String.init) ?? parameters["bucket"]?.string
    }

    /// A client that leads to no nearer network than the bucket is in.
    func client(_ settings: HostSettings) -> HTTPClient { HTTPClient(settings: settings, confinedTo: address) }

    /// The course's folder, for this process.
    var name: String { "\(address.text) \(prefix)" }

    /// The address to request an object at.
    func request(for key: String, lifetime: Int) -> WebAddress {
        signer?.presigned(address(of: key), lifetime: lifetime) ?? address(of: key)
    }

    /// The address of an object.
    func address(of key: String) -> WebAddress {
        let root = address.path.hasSuffix("/") ? address.path : address.path + "/"
        return address.replacing(path: root + PercentEncoding.encoded(key, keeping: "/"))
    }

    /// Whether the address of an object leads to it: dots are removed from paths on the way.
    static func isAddressable(_ key: String) -> Bool {
        !key.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
}
