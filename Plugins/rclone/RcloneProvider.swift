import ProviderHTTP
import ProviderKit

/// Courses that are folders of a storage that the user's own rclone reaches.
///
/// A video is served by `rclone serve http` on the loopback interface.
struct RcloneProvider: Provider {
    private struct Entry: Decodable {
        var path: String
        var size: Int64
        var modified: String?

        enum CodingKeys: String, CodingKey {
            case path = "Path"
            case size = "Size"
            case modified = "ModTime"
        }
    }

    private let pages = ListingPages()
    private let servers = RcloneServers()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let remote = try RcloneRemote(parameters)
        let media = try MediaFiles(parameters)
        let depth = Int(parameters["depth"]?.int ?? 10)
        return try await pages.page(request) { _ throws(ProviderError) in
            let arguments = ["lsjson", "--recursive", "--files-only", "--no-mimetype", "--max-depth", "\(depth + 1)"]
            let output = try await RcloneProgram.output(of: arguments, remote)
            guard let entries = try? JSONText.decode([Entry].self, from: output) else {
                throw ProviderError(.unavailable, "rclone answers with something else than a list of files")
            }
            let files = entries.map { entry in
                FolderFile(
                    path: entry.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init),
                    // Some storages don't know the size before a file is read.
                    size: entry.size < 0 ? nil : entry.size, modified: entry.modified.flatMap(WebDate.date))
            }
            return .whole(
                FolderListing.listing(files.filter { $0.path.last.map(media.includes) == true }), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let remote = try RcloneRemote(request.video.parameters)
        let server = try await servers.server(of: remote)
        guard let path = FolderListing.path(ofID: request.video.id), let address = server.address.appending(path) else {
            throw ProviderError(.notFound, "the video's id isn't a path in the folder")
        }
        // After a refusal the same address is right: rclone renews its own login at the storage.
        return Resolution(url: address.text, token: server.login.token, extendable: true)
    }
}
