import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs links for nginx's `secure_link_md5`, without any request; lists a folder behind it by its signed index page.
struct SecureLink: Provider {
    private let pages = ListingPages()

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let signer = try LinkSigner(parameters, request.credentials, now: request.now)
        let words = Template.words(of: request)
        let path = try Template(words: words).fill(parameters["path"]?.string ?? "/{id}.mp4", parameter: "path")
        return Resolution(
            url: try signer.url(path, words: words), kind: signer.kind,
            expiresAt: Date(timeIntervalSince1970: Double(signer.expires)),
            fileExtension: parameters["extension"]?.string, mediaType: parameters["media_type"]?.string)
    }

    /// Lists the folder `index`. A video's id is its path from there, and `path` leads to it.
    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        guard let index = parameters["index"]?.string else {
            throw ProviderError(
                .invalidParameters, "index is missing: the path of a folder that the server lists", parameter: "index")
        }
        let folder = index.hasSuffix("/") ? index : index + "/"
        let signer = try LinkSigner(parameters, request.credentials, now: request.now)
        let media = try MediaFiles(parameters)
        let words = ["id": "", "course": request.course.id, "chapter": ""]
        let client = HTTPClient(
            settings: request.settings, confinedTo: WebAddress(try signer.url(folder, words: words)))
        return try await pages.page(request) { _ throws(ProviderError) in
            let found = try await FolderWalk(parameters).files { names in
                do throws(ProviderError) {
                    let path = folder + names.map { $0 + "/" }.joined()
                    return .success(
                        try await Self.entries(client, at: try signer.url(path, words: words), beneath: names, media))
                } catch {
                    return .failure(error)
                }
            }
            var listing = FolderListing.listing(found.files)
            // With the id in braces: a file's name may have some, too.
            let path = JSONValue.string(folder + "{id}")
            for video in listing.videos.indices { listing.videos[video].parameters["path"] = path }
            for chapter in listing.chapters.indices {
                for video in listing.chapters[chapter].videos.indices {
                    listing.chapters[chapter].videos[video].parameters["path"] = path
                }
            }
            return .whole(listing, validator: nil)
        }
    }

    private static func entries(
        _ client: HTTPClient, at url: String, beneath names: [String], _ media: MediaFiles
    ) async throws(ProviderError) -> FolderWalk.Entries {
        guard let address = WebAddress(url) else {
            throw ProviderError(.invalidParameters, "base and index make no address", parameter: "index")
        }
        let response = try await client.get(address, headers: IndexProvider.headers)
        return try await IndexReader(response).entries(media, client, nil).beneath(names)
    }

    /// Stores the typed secret for its host, beside those of other hosts.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        guard let secret = request.secrets.value["secret"], !secret.isEmpty else {
            throw ProviderError(.authRequired, "the secret is missing")
        }
        guard let server = request.secrets.value["host"].flatMap(SecretSource.server) else {
            throw ProviderError(.authRequired, "the host that the secret is for is missing, such as media.example.org")
        }
        var hosts = request.credentials?.value["hosts"]?.object ?? [:]
        hosts[server] = .string(secret)
        return Login(credentials: ["hosts": .object(hosts)])
    }
}
