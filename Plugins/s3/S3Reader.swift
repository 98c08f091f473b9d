import ProviderHTTP
import ProviderKit

/// Lists the objects of a bucket with ListObjectsV2.
struct S3Reader {
    private static let objectBound = 200_000
    /// Of the request itself.
    private static let lifetime = 300
    private static let refusedKeys: Set<String> = [
        "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "TokenRefreshRequired",
        "InvalidSecurity",
    ]

    /// A page of the listing.
    struct Page {
        var files: [FolderFile]
        var next: String?
    }

    private let bucket: S3Bucket
    private let client: HTTPClient

    init(_ bucket: S3Bucket, _ client: HTTPClient) {
        self.bucket = bucket
        self.client = client
    }

    /// All objects beneath the prefix that are videos.
    func files(_ media: MediaFiles) async throws(ProviderError) -> [FolderFile] {
        var files: [FolderFile] = []
        var next: String?
        var count = 0
        repeat {
            let page = try await page(after: next)
            count += page.files.count
            guard count <= Self.objectBound else {
                throw ProviderError(
                    .invalidParameters, "there are more than \(Self.objectBound) objects: narrow prefix",
                    parameter: "prefix")
            }
            files += page.files.filter { $0.path.last.map { !$0.isEmpty && media.includes($0) } == true }
            guard page.next == nil || page.next != next else {
                throw ProviderError(.unavailable, "\(bucket.address.host) repeats a page of the listing")
            }
            next = page.next
        } while next != nil
        let addressable = files.filter { S3Bucket.isAddressable($0.path.joined(separator: "/")) }
        if addressable.count < files.count {
            HostLog.write(.warning, "left out \(files.count - addressable.count) objects with . or .. in their paths")
        }
        return addressable
    }

    /// One page of all objects, from the token of the page before.
    func page(after token: String?, count: Int = 1000) async throws(ProviderError) -> Page {
        var fields = [
            (name: "list-type", value: "2"), ("prefix", bucket.prefix), ("encoding-type", "url"),
            ("max-keys", String(count)),
        ]
        if let token { fields.append(("continuation-token", token)) }
        let address = bucket.address.adding(query: fields)
        let response = try await client.send(
            HTTPRequest("GET", bucket.signer?.presigned(address, lifetime: Self.lifetime) ?? address))
        guard response.status == 200 else { throw failure(response) }
        let root = try response.xml()
        guard root.name == "ListBucketResult" else {
            throw ProviderError(.unavailable, "\(response.address.host) answers with XML that is no list of objects")
        }
        let space = root.namespace
        let isEncoded = root.text(of: "EncodingType", in: space) == "url"
        var files: [FolderFile] = []
        for object in root.all("Contents", in: space) {
            // The key's own blanks at its ends belong to it.
            guard let written = object.first("Key", in: space)?.text,
                let key = isEncoded ? Self.decoded(written) : written,
                key.utf8.starts(with: bucket.prefix.utf8)
            else { continue }
            let rest = String(decoding: key.utf8.dropFirst(bucket.prefix.utf8.count), as: UTF8.self)
            files.append(
                FolderFile(
                    path: rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init),
                    size: object.text(of: "Size", in: space).flatMap { Int64($0) },
                    modified: object.text(of: "LastModified", in: space).flatMap(WebDate.date)))
        }
        let isTruncated = root.text(of: "IsTruncated", in: space) == "true"
        return Page(files: files, next: isTruncated ? root.text(of: "NextContinuationToken", in: space) : nil)
    }

    /// Asks for the first byte of an object, and throws what a refusal means.
    func tryObject(_ key: String) async throws(ProviderError) {
        let address = bucket.address(of: key)
        let request = HTTPRequest(
            "GET", bucket.signer?.presigned(address, lifetime: Self.lifetime) ?? address,
            headers: ["Range": "bytes=0-0"])
        let response = try await client.send(request)
        // An empty object has no first byte.
        if !(200...299).contains(response.status), response.status != 416 { throw failure(response) }
    }

    /// As in a form: a plus is a blank.
    private static func decoded(_ text: String) -> String? { PercentEncoding.decoded(text.replacing("+", with: "%20")) }

    /// What a refusal means: S3 tells it in XML.
    private func failure(_ response: HTTPResponse) -> ProviderError {
        let host = response.address.host
        let root = try? response.xml()
        let code = (root?.name == "Error" ? root?.text(of: "Code", in: root?.namespace ?? "") : nil)
            .flatMap { $0.utf8.count <= 64 && $0.allSatisfy { $0.isASCII && $0.isLetter } ? $0 : nil }
        var error = response.statusError
        let region = response[header: "x-amz-bucket-region"] ?? root?.text(of: "Region", in: root?.namespace ?? "")
        switch code {
        case let code? where Self.refusedKeys.contains(code):
            error = ProviderError(.authRequired, "\(host) refuses these keys (\(code))")
        case "NoSuchKey": error = ProviderError(.notFound, "the bucket doesn't have this object any more")
        case "NoSuchBucket": error = ProviderError(.notFound, "\(host) has no such bucket")
        case "RequestTimeTooSkewed":
            error = ProviderError(.unavailable, "\(host) has another time than this machine (RequestTimeTooSkewed)")
        case "SlowDown", "TooManyRequests", "RequestLimitExceeded":
            error = ProviderError(
                .rateLimited, "\(host) asks for fewer requests (\(code ?? ""))", retryAfter: response.retryAfter)
        case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
            let known = region.flatMap {
                $0.utf8.count < 40 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
                    ? $0 : nil
            }
            error = ProviderError(
                .invalidParameters, "the bucket is in another region\(known.map { ": \($0)" } ?? "")",
                parameter: "region")
        case _ where bucket.signer == nil && response.status == 403:
            error = ProviderError(.authRequired, "\(host) doesn't let everybody read this bucket: log in")
        case let code? where error.kind == .unavailable: error.message += " (\(code))"
        default: break
        }
        return error
    }
}
