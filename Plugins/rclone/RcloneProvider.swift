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
    private let beside = BesideVideos()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let remote = try RcloneRemote(parameters)
        let media = try MediaFiles(parameters)
        let depth = Int(parameters["depth"]?.int ?? 10)
        return try await pages.page(request) { _ throws(ProviderError) in
            let found = try await Self.entries(remote, media, depth: depth)
            await beside.note(found.beside, of: remote.text)
            return .whole(FolderListing.listing(found.files), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let remote = try RcloneRemote(request.video.parameters)
        let media = try MediaFiles(request.video.parameters)
        let server = try await servers.server(of: remote)
        guard let path = FolderListing.path(ofID: request.video.id), let address = server.address.appending(path) else {
            throw ProviderError(.notFound, "the video's id isn't a path in the folder")
        }
        // After a refusal the same address is right: rclone renews its own login at the storage.
        return await beside.adding(
            to: Resolution(url: address.text, token: server.login.token, extendable: true), at: path, of: remote.text,
            read: { folder throws(ProviderError) in
                try await Self.entries(remote.beneath(folder), media, depth: 0).beside.compactMap(\.path.last)
            }, address: { server.address.appending($0)?.text })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard !request.address.contains("://") else { return Recognition() }
        let parameters: [String: JSONValue] = ["remote": .string(request.address)]
        // Without rclone, or without such a storage, it isn't one.
        do throws(ProviderError) {
            _ = try await Self.entries(RcloneRemote(parameters), MediaFiles([:]), depth: 0)
        } catch { return Recognition() }
        let name = request.address.split { $0 == ":" || $0 == "/" }.last.map(String.init)
        return Recognition(.init(title: name, parameters: parameters))
    }

    private static func entries(
        _ remote: RcloneRemote, _ media: MediaFiles, depth: Int
    ) async throws(ProviderError) -> FolderWalk.Entries {
        let arguments = ["lsjson", "--recursive", "--files-only", "--no-mimetype", "--max-depth", "\(depth + 1)"]
        let output = try await RcloneProgram.output(of: arguments, remote)
        guard let found = try? JSONReader.decode([Entry].self, from: output) else {
            throw ProviderError(.unavailable, "rclone answers with something else than a list of files")
        }
        var entries = FolderWalk.Entries()
        for entry in found {
            entries.add(
                FolderFile(
                    path: entry.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init),
                    // Some storages don't know the size before a file is read.
                    size: entry.size < 0 ? nil : entry.size, modified: entry.modified.flatMap(WebDate.date)), media)
        }
        return entries
    }
}
