import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Courses that are folders of a bucket.
struct S3Provider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let bucket = try S3Bucket(parameters, request.credentials, now: request.now)
        let media = try MediaFiles(parameters)
        let client = HTTPClient(settings: request.settings)
        return try await pages.page(request) { _ throws(ProviderError) in
            .whole(FolderListing.listing(try await S3Reader(bucket, client).files(media)), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let bucket = try S3Bucket(parameters, request.credentials, now: request.now)
        let key = bucket.prefix + request.video.id
        guard S3Bucket.isAddressable(key) else {
            throw ProviderError(.notFound, "an object with . or .. in its path can't be requested")
        }
        if request.previous?.reason == .rejected {
            // Its server has told the host a status only; to us it tells why.
            try await S3Reader(bucket, HTTPClient(settings: request.settings)).tryObject(key)
        }
        guard let signer = bucket.signer else { return Resolution(url: bucket.address(of: key).text) }
        let lifetime = Int(parameters["lifetime"]?.int ?? 3600)
        guard (1...604_800).contains(lifetime) else {
            throw ProviderError(.invalidParameters, "lifetime is at most 604800", parameter: "lifetime")
        }
        return Resolution(
            url: signer.presigned(bucket.address(of: key), lifetime: lifetime).text,
            expiresAt: Date(timeIntervalSince1970: Double(signer.seconds) + Double(lifetime)))
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        var request = request
        // Neither has a blank in it.
        let words = (request.secrets.value["secret_key"] ?? "").split(separator: " ").map(String.init)
        request.secrets.value["secret_key"] = words.first
        if words.count == 2 { request.secrets.value["session_token"] = words[1] }
        let (credentials, _) = try HostLogins.adding(request, required: ["access_key", "secret_key"])
        // Keys can be tried only where they may do something.
        if request.parameters["bucket"] != nil {
            let bucket = try S3Bucket(request.parameters, Secret(credentials), now: request.now)
            let settings = request.settings
            _ = try await HostLogins.trying { () async throws(ProviderError) in
                try await S3Reader(bucket, HTTPClient(settings: settings)).page(after: nil, count: 1)
            }
        }
        return Login(credentials: credentials)
    }
}
