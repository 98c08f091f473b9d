import ProviderHTTP
import ProviderKit

/// Courses that are folders on a web server that lists them.
struct IndexProvider: Provider {
    static let headers = ["Accept": "text/html, application/json;q=0.9"]

    private let pages = ListingPages()
    private let beside = BesideVideos()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let endpoint = try Endpoint(request)
        let media = try MediaFiles(request.course.parameters)
        return try await pages.page(request) { _ throws(ProviderError) in
            let found = try await FolderWalk(request.course.parameters).files { path in
                do throws(ProviderError) {
                    return .success(try await Self.entries(endpoint, path, media))
                } catch {
                    return .failure(error)
                }
            }
            await beside.note(found.beside, of: endpoint.address.text)
            return .whole(FolderListing.listing(found.files), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let endpoint = try Endpoint(request)
        guard let path = FolderListing.path(ofID: request.video.id), let address = endpoint.address.appending(path)
        else {
            throw ProviderError(.notFound, "the video's id isn't a path in the folder")
        }
        let media = try MediaFiles(request.video.parameters)
        return await beside.adding(
            to: Resolution(url: address.text, token: endpoint.login?.token), at: path, of: endpoint.address.text,
            read: { folder throws(ProviderError) in
                try await Self.entries(endpoint, folder, media).beside.compactMap(\.path.last)
            }, address: { endpoint.address.appending($0)?.text })
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let endpoint = try Endpoint(request.parameters, request.credentials, request.settings)
        let found = try await Self.entries(endpoint, [], try MediaFiles(request.parameters))
        return FolderListing.courses(found.folders) { name in
            endpoint.address.appending([name], isFolder: true).map { ["endpoint": .string($0.text)] }
        }
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let endpoint = Endpoint(request), endpoint.address.query == nil else { return Recognition() }
        let response = try await endpoint.client.get(endpoint.address, headers: Self.headers, login: endpoint.login)
        // Servers send a folder's address without its slash to that with one.
        let folder = response.address
        guard folder.origin == endpoint.address.origin, folder.path.hasSuffix("/"), folder.query == nil,
            IndexReader(response).isFolder(try MediaFiles([:]))
        else { return Recognition() }
        return Recognition(.init(title: folder.lastName, parameters: ["endpoint": .string(folder.text)]))
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await HostLogins.login(request) { HTTPRequest("GET", $0.address, login: $0.login) }
    }

    private static func entries(
        _ endpoint: Endpoint, _ path: [String], _ media: MediaFiles
    ) async throws(ProviderError) -> FolderWalk.Entries {
        guard let address = endpoint.address.appending(path, isFolder: true) else { return FolderWalk.Entries() }
        let response =
            path.isEmpty
            ? try await root(endpoint, address)
            : try await endpoint.client.get(address, headers: headers, login: endpoint.login)
        return try await IndexReader(response).entries(media, endpoint.client, endpoint.login).beneath(path)
    }

    /// The course's own folder. Its address may be that of a file by mistake: before another is made of it, the server
    /// is asked about it, if it looks like a file's; any other one only after the server has nothing at the folder's.
    private static func root(_ endpoint: Endpoint, _ address: WebAddress) async throws(ProviderError) -> HTTPResponse {
        let file = EndpointFile(endpoint: endpoint)
        let head = file.isLikely ? await file.head() : nil
        if EndpointFile.isFile(head, isNoFolder: false) { throw await file.error(head) }
        do throws(ProviderError) {
            let response = try await endpoint.client.get(address, headers: headers, login: endpoint.login)
            if EndpointFile.isFeed(response) { throw EndpointFile.error(at: endpoint, isFeed: true) }
            return response
        } catch {
            guard file.isPossible, error.kind == .notFound || error.kind == .gone else { throw error }
            let head = if let head { head } else { await file.head() }
            throw EndpointFile.isFile(head, isNoFolder: true) ? await file.error(head) : error
        }
    }
}
