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
    private let beside = BesideVideos()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let bucket = try S3Bucket(parameters, request.credentials, now: request.now)
        let media = try MediaFiles(parameters)
        let client = bucket.client(request.settings)
        return try await pages.page(request) { _ throws(ProviderError) in
            let found = try await S3Reader(bucket, client).files(media)
            await beside.note(found.beside, of: bucket.name)
            return .whole(FolderListing.listing(found.files), validator: nil)
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
            try await S3Reader(bucket, bucket.client(request.settings)).tryObject(key)
        }
        let lifetime = Int(parameters["lifetime"]?.int ?? 3600)
        guard (1...604_800).contains(lifetime) else {
            throw ProviderError(.invalidParameters, "lifetime is at most 604800", parameter: "lifetime")
        }
        let end = bucket.signer.map { Date(timeIntervalSince1970: Double($0.seconds) + Double(lifetime)) }
        let media = try MediaFiles(parameters)
        let client = bucket.client(request.settings)
        return await beside.adding(
            to: Resolution(url: bucket.request(for: key, lifetime: lifetime).text, expiresAt: end),
            at: request.video.id.split(separator: "/", omittingEmptySubsequences: false).map(String.init),
            of: bucket.name,
            read: { folder throws(ProviderError) in
                try await S3Reader(bucket, client).files(media, in: folder).beside.compactMap(\.path.last)
            },
            address: { path in
                let key = bucket.prefix + path.joined(separator: "/")
                return S3Bucket.isAddressable(key) ? bucket.request(for: key, lifetime: lifetime).text : nil
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let parameters = S3Bucket.parameters(of: request.address) else { return Recognition() }
        let bucket = try S3Bucket(parameters, request.credentials, now: request.now)
        _ = try await S3Reader(bucket, bucket.client(request.settings)).page(after: nil, count: 1)
        return Recognition(.init(title: S3Bucket.folderName(parameters), parameters: parameters))
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
                try await S3Reader(bucket, bucket.client(settings)).page(after: nil, count: 1)
            }
        }
        return Login(credentials: credentials)
    }
}
