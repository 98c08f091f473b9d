import ProviderHTTP
import ProviderKit

/// Courses that are folders on a web server that lists them.
struct IndexProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let endpoint = try Endpoint(request)
        let media = try MediaFiles(request.course.parameters)
        return try await pages.page(request) { _ throws(ProviderError) in
            let files = try await FolderWalk(request.course.parameters).files { path in
                do throws(ProviderError) {
                    return .success(try await Self.entries(endpoint, path, media))
                } catch {
                    return .failure(error)
                }
            }
            return .whole(FolderListing.listing(files), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let endpoint = try Endpoint(request)
        guard let path = FolderListing.path(ofID: request.video.id), let address = endpoint.address.appending(path)
        else {
            throw ProviderError(.notFound, "the video's id isn't a path in the folder")
        }
        return Resolution(url: address.text, token: endpoint.login?.token)
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await HostLogins.login(request) { HTTPRequest("GET", $0.address, login: $0.login) }
    }

    private static func entries(
        _ endpoint: Endpoint, _ path: [String], _ media: MediaFiles
    ) async throws(ProviderError) -> FolderWalk.Entries {
        guard let address = endpoint.address.appending(path, isFolder: true) else { return FolderWalk.Entries() }
        let response = try await endpoint.client.get(
            address, headers: ["Accept": "text/html, application/json;q=0.9"], login: endpoint.login)
        var entries = try IndexReader(response).entries(includes: media.includes)
        entries.files = entries.files.map { file in
            var file = file
            file.path = path + file.path
            return file
        }
        return entries
    }
}
