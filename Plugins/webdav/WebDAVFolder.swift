import ProviderHTTP
import ProviderKit

/// A folder on a WebDAV server.
///
/// Related: RFC 4918 §9.1
struct WebDAVFolder: Sendable, PrintsRedacted {
    private static let dav = "DAV:"
    private static let ownCloud = "http://owncloud.org/ns"
    private static let question = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><d:resourcetype/><d:getcontentlength/>\
        <d:getlastmodified/><d:getetag/><oc:permissions/></d:prop></d:propfind>
        """.utf8)

    /// It ends in a slash, or gets one.
    var address: WebAddress
    var login: BasicLogin?
    var client: HTTPClient

    /// Asks for the properties of `address` (depth 0), or also of what is in it (1).
    func request(at address: WebAddress, depth: Int) -> HTTPRequest {
        HTTPRequest(
            "PROPFIND", address,
            // Nextcloud refuses the address of a share to what could be a form on another page.
            headers: [
                "Depth": String(depth), "Content-Type": "application/xml; charset=utf-8",
                "X-Requested-With": "XMLHttpRequest",
            ], body: Self.question, login: login)
    }

    /// The ETag of the folder, if it changes with anything beneath it: Nextcloud and ownCloud do so. Nil elsewhere,
    /// where an ETag of a folder, if there is one, may say nothing of the folders in it.
    func state() async throws(ProviderError) -> String? {
        let response = try await client.send(request(at: address, depth: 0))
        guard let own = try Self.found(in: response).first(where: { $0.names.isEmpty }) else {
            throw ProviderError(
                .unavailable, "\(response.address.host) doesn't tell of the folder that it was asked for")
        }
        guard own.isFolder else {
            throw ProviderError(.invalidParameters, "endpoint is a file, not a folder", parameter: "endpoint")
        }
        return own.isOwnCloud ? own.etag : nil
    }

    /// What is directly in the folder at `path` beneath this one.
    func entries(
        _ path: [String], _ media: MediaFiles
    ) async throws(ProviderError) -> FolderWalk.Entries {
        guard let address = address.appending(path, isFolder: true) else { return FolderWalk.Entries() }
        let response = try await client.send(request(at: address, depth: 1))
        return try Self.entries(in: response, at: path, media)
    }

    /// What an answer says to be directly in the folder that was asked for, which is at `path`.
    static func entries(
        in response: HTTPResponse, at path: [String], _ media: MediaFiles
    ) throws(ProviderError) -> FolderWalk.Entries {
        var entries = FolderWalk.Entries()
        for found in try found(in: response) where found.names.count == 1 {
            if found.isFolder {
                entries.folders.append(found.names[0])
            } else {
                entries.add(
                    FolderFile(
                        path: path + found.names, size: found.size, modified: found.modified.flatMap(WebDate.date)),
                    media)
            }
        }
        return entries
    }

    /// A folder or file of an answer.
    private struct Found {
        /// From the folder that was asked for; none for that itself.
        var names: [String]
        var isFolder = false
        var isOwnCloud = false
        var size: Int64?
        var modified: String?
        var etag: String?
    }

    private static func found(in response: HTTPResponse) throws(ProviderError) -> [Found] {
        if [405, 501].contains(response.status) {
            throw ProviderError(
                .invalidParameters,
                "\(response.address.host) doesn't offer WebDAV at this address (\(response.status))",
                parameter: "endpoint")
        }
        let root = try response.checked().xml()
        guard root.name == "multistatus", root.namespace == Self.dav else {
            throw ProviderError(.unavailable, "\(response.address.host) answers with XML that isn't WebDAV's")
        }
        return root.all("response", in: Self.dav).compactMap { found($0, beneath: response.address) }
    }

    private static func found(_ element: XMLElement, beneath folder: WebAddress) -> Found? {
        guard let reference = element.text(of: "href", in: Self.dav), let address = folder.resolving(reference),
            let names = Self.names(of: address, beneath: folder)
        else { return nil }
        var found = Found(names: names)
        for group in element.all("propstat", in: Self.dav) {
            // `HTTP/1.1 404 Not Found` has the names of properties that aren't there.
            let status = group.text(of: "status", in: Self.dav)?.split(separator: " ").dropFirst().first
            guard status == nil || status == "200", let properties = group.first("prop", in: Self.dav) else { continue }
            let type = properties.first("resourcetype", in: Self.dav)
            found.isFolder = found.isFolder || type?.first("collection", in: Self.dav) != nil
            found.isOwnCloud = found.isOwnCloud || properties.first("permissions", in: Self.ownCloud) != nil
            found.size = properties.text(of: "getcontentlength", in: Self.dav).flatMap { Int64($0) } ?? found.size
            found.modified = properties.text(of: "getlastmodified", in: Self.dav) ?? found.modified
            found.etag = properties.text(of: "getetag", in: Self.dav) ?? found.etag
        }
        return found
    }

    /// The names from `folder` down to `address`, decoded; nil if it isn't beneath it, or a name isn't UTF-8. Servers
    /// encode the same name in different ways, and behind proxies even name another host.
    private static func names(of address: WebAddress, beneath folder: WebAddress) -> [String]? {
        func names(_ path: String) -> [String]? {
            var names: [String] = []
            for part in path.split(separator: "/") {
                guard let name = PercentEncoding.decoded(part), !name.utf8.contains(0x2F), !name.utf8.contains(0),
                    name != ".", name != ".."
                else { return nil }
                names.append(name)
            }
            return names
        }
        guard let all = names(address.path), let own = names(folder.path), all.starts(with: own) else { return nil }
        return Array(all.dropFirst(own.count))
    }
}
