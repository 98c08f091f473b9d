import ProviderHTTP
import ProviderKit

/// Courses that are folders on a WebDAV server.
struct WebDAVProvider: Provider {
    private let pages = ListingPages()
    private let shares = WebDAVShares()
    private let beside = BesideVideos()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let folder = try await shares.folder(try Endpoint(request), parameters)
        let media = try MediaFiles(parameters)
        return try await pages.page(request) { validator throws(ProviderError) in
            let root = try await folder.state()
            if let validator, root == validator { return .unchanged }
            let found = try await FolderWalk(parameters).files { path in
                do throws(ProviderError) {
                    return .success(try await folder.entries(path, media))
                } catch {
                    return .failure(error)
                }
            }
            await beside.note(found.beside, of: folder.address.text)
            // Read before the files: what changes meanwhile is found the next time.
            return .whole(FolderListing.listing(found.files), validator: root)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let folder = try await shares.folder(try Endpoint(request), request.video.parameters)
        guard let path = FolderListing.path(ofID: request.video.id), let address = folder.address.appending(path) else {
            throw ProviderError(.notFound, "the video's id isn't a path in the folder")
        }
        let media = try MediaFiles(request.video.parameters)
        return await beside.adding(
            to: Resolution(url: address.text, token: folder.login?.token), at: path, of: folder.address.text,
            read: { names throws(ProviderError) in
                try await folder.entries(names, media).beside.compactMap(\.path.last)
            }, address: { folder.address.appending($0)?.text })
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let endpoint = try Endpoint(request.parameters, request.credentials, request.settings)
        let folder = try await shares.folder(endpoint, request.parameters)
        let found = try await folder.entries([], try MediaFiles(request.parameters))
        let above = (request.parameters["folder"]?.string ?? "").split(separator: "/").map(String.init)
        return FolderListing.courses(found.folders) { name in
            ["folder": .string((above + [name]).joined(separator: "/"))]
        }
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let endpoint = Endpoint(request), endpoint.address.query == nil else { return Recognition() }
        _ = try await shares.folder(endpoint, [:]).state()
        // A share's link has a token in the place of a name.
        let title = WebDAVShares.candidates(endpoint).isEmpty ? endpoint.address.lastName : nil
        return Recognition(.init(title: title, parameters: ["endpoint": .string(request.address)]))
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await HostLogins.login(request) { endpoint in
            // A share is asked under its own name, with the password only.
            let share = WebDAVShares.candidates(endpoint).first
            return WebDAVFolder(
                address: share?.address ?? endpoint.address, login: share?.login ?? endpoint.login,
                client: endpoint.client
            ).request(at: share?.address ?? endpoint.address, depth: 0)
        }
    }
}
