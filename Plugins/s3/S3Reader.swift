import ProviderHTTP
import ProviderKit

/// Lists the objects of a bucket with ListObjectsV2.
struct S3Reader {
    private static let objectBound = 200_000
    private static let folderBound = 10_000
    /// Of the request itself.
    private static let lifetime = 300
    private static let refusedKeys: Set<String> = [
        "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "TokenRefreshRequired",
        "InvalidSecurity",
    ]

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

    /// All objects beneath the prefix that are videos, or may belong to one.
    func files(_ media: MediaFiles) async throws(ProviderError) -> FolderWalk.Entries {
        try await entries(media, within: Self.objectBound)
    }

    /// Those directly in the folder at `path`.
    func files(_ media: MediaFiles, in path: [String]) async throws(ProviderError) -> FolderWalk.Entries {
        try await entries(media, folder: path, within: Self.folderBound)
    }

    private func entries(
        _ media: MediaFiles, folder: [String]? = nil, within bound: Int
    ) async throws(ProviderError) -> FolderWalk.Entries {
        var entries = FolderWalk.Entries()
        var (next, count, leftOut): (String?, Int, Int) = (nil, 0, 0)
        repeat {
            let page = try await page(after: next, folder: folder)
            count += page.files.count
            guard count <= bound else {
                throw ProviderError(
                    .invalidParameters, "there are more than \(bound) objects: narrow prefix", parameter: "prefix")
            }
            for file in page.files where file.path.last?.isEmpty == false {
                let before = entries.files.count
                entries.add(file, media)
                if !S3Bucket.isAddressable(file.path.joined(separator: "/")), entries.files.count > before {
                    entries.files.removeLast()
                    leftOut += 1
                }
            }
            guard page.next == nil || page.next != next else {
                throw ProviderError(.unavailable, "\(bucket.address.host) repeats a page of the listing")
            }
            next = page.next
        } while next != nil
        if leftOut > 0 { HostLog.write(.warning, "left out \(leftOut) objects with . or .. in their paths") }
        return entries
    }

    /// One page of all objects, or of those directly in a folder, from the token of the page before.
    func page(
        after token: String?, count: Int = 1000, folder: [String]? = nil
    ) async throws(ProviderError) -> Page {
        let prefix = bucket.prefix + (folder ?? []).reduce(into: "") { $0 += $1 + "/" }
        var fields = [
            (name: "list-type", value: "2"), ("prefix", prefix), ("encoding-type", "url"), ("max-keys", String(count)),
        ]
        if folder != nil { fields.append(("delimiter", "/")) }
        if let token { fields.append(("continuation-token", token)) }
        let address = bucket.address.adding(query: fields)
        let response = try await client.send(
            HTTPRequest("GET", bucket.signer?.presigned(address, lifetime: Self.lifetime) ?? address))
        guard response.status == 200 else { throw failure(response) }
        return try Self.page(in: response, prefix: bucket.prefix)
    }

    /// The objects of an answer whose keys begin with `prefix`, by what follows it.
    static func page(in response: HTTPResponse, prefix: String) throws(ProviderError) -> Page {
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
                let key = isEncoded ? decoded(written) : written,
                key.utf8.starts(with: prefix.utf8)
            else { continue }
            let rest = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
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
        // Of all buckets at the endpoint, whatever the host of this one is called.
        error.server = nil
        return error
    }
}
