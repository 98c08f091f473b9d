import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the listing of a folder: the pages of nginx, Apache, lighttpd, Caddy and others, or the JSON of nginx and
/// Caddy.
///
/// Of a page only links directly into the folder count, so that columns to sort by, the parent folder and whatever a
/// theme adds are left out.
struct IndexReader {
    /// Of nginx (`type`, `mtime`) or Caddy (`is_dir`, `mod_time`).
    private struct JSONEntry: Decodable {
        var name: String
        var type: String?
        var mtime: String?
        var size: Int64?
        var isDir: Bool?
        var modTime: String?

        enum CodingKeys: String, CodingKey {
            case name, type, mtime, size
            case isDir = "is_dir"
            case modTime = "mod_time"
        }
    }

    private static let unmarkedBound = 500

    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    /// What is in the folder, the files by `media`. A server that doesn't mark folders is asked for each name that may
    /// be one: it redirects to the name with a slash.
    func entries(
        _ media: MediaFiles, _ client: HTTPClient, _ login: BasicLogin?
    ) async throws(ProviderError) -> FolderWalk.Entries {
        if response.mediaType == "application/json" { return try json(media) }
        var (entries, unmarked) = try page(media)
        if unmarked.count > Self.unmarkedBound {
            HostLog.write(.warning, "\(response.address.host) doesn't mark folders, and has too many names to try")
            unmarked = []
        }
        for name in unmarked {
            guard let address = response.address.appending([name]) else { continue }
            let answer = try await client.send(HTTPRequest("HEAD", address, login: login))
            // A part of the course that isn't seen is worse than none.
            if answer.status == 429 || answer.status >= 500 { throw answer.statusError }
            if answer.address.path.hasSuffix("/") { entries.folders.append(name) }
        }
        return entries
    }

    /// Whether the response is the listing of a folder, and not any page with links: it says so, leads to the folder
    /// above, or has media.
    func isFolder(_ media: MediaFiles) -> Bool {
        if response.mediaType == "application/json" { return (try? json(media)) != nil }
        guard response.mediaType == "text/html" || response.mediaType == "application/xhtml+xml",
            let found = try? page(media)
        else { return false }
        let hasParent = PageLinks(response.body).links.contains { $0.reference.hasPrefix("../") }
        return isTitled || hasParent || !found.entries.files.isEmpty
    }

    /// What a list in JSON has.
    func json(_ media: MediaFiles) throws(ProviderError) -> FolderWalk.Entries {
        var entries = FolderWalk.Entries()
        // Some versions of Caddy have null for an empty folder.
        for entry in try response.json(as: [JSONEntry]?.self) ?? [] {
            let isFolder = entry.isDir ?? (entry.type == "directory")
            let name = isFolder && entry.name.hasSuffix("/") ? String(entry.name.dropLast()) : entry.name
            guard Self.isName(name) else { continue }
            if isFolder {
                entries.folders.append(name)
            } else {
                let modified = (entry.mtime ?? entry.modTime).flatMap(WebDate.date)
                entries.add(FolderFile(path: [name], size: entry.size, modified: modified), media)
            }
        }
        return entries
    }

    /// What a page has, and the names that may be folders, because their server marks none.
    func page(
        _ media: MediaFiles
    ) throws(ProviderError) -> (entries: FolderWalk.Entries, unmarked: [String]) {
        var entries = FolderWalk.Entries()
        var files: [FolderFile] = []
        // Names that Swift takes for equal are different files.
        var places: [[UInt8]: Int] = [:]
        var (unreadable, isMarked, hasParent) = (0, false, false)
        for link in PageLinks(response.body).links {
            guard let target = target(of: link.reference) else { continue }
            isMarked = isMarked || target.isFolder
            guard let encoded = target.name else {
                hasParent = hasParent || link.reference.hasPrefix("..")
                continue
            }
            guard let name = PercentEncoding.decoded(encoded), Self.isName(name) else {
                unreadable += 1
                continue
            }
            // Icons are often links, too, and only the last one has the date behind it.
            if let place = places[Array(name.utf8)] {
                if place < files.count, files[place].modified == nil {
                    files[place].modified = ListedDate.date(of: link)
                }
                continue
            }
            let isFolder = target.isFolder || link.label.last { $0 > 0x20 } == UInt8(ascii: "/")
            isMarked = isMarked || isFolder
            places[Array(name.utf8)] = isFolder ? .max : files.count
            if isFolder {
                entries.folders.append(name)
            } else {
                files.append(FolderFile(path: [name], modified: ListedDate.date(of: link)))
            }
        }
        if unreadable > 0 {
            HostLog.write(.warning, "left out \(unreadable) entries whose names aren't UTF-8, or have a slash in them")
        }
        for file in files { entries.add(file, media) }
        let unmarked =
            isMarked ? [] : files.compactMap(\.path.last).filter { !media.includes($0) && Self.mayBeFolder($0) }
        guard hasParent || isTitled || !entries.isEmpty || !unmarked.isEmpty else {
            throw ProviderError(
                .unavailable, "\(response.address.host) answers with a page that is no listing of a folder")
        }
        return (entries, unmarked)
    }

    /// Whether the page calls itself a listing.
    private var isTitled: Bool {
        let start = String(decoding: response.body.prefix(4096), as: UTF8.self).lowercased()
        return ["index of", "directory listing", "listing:"].contains { start.contains($0) }
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0) && !name.utf8.contains(0x2F)
    }

    /// Whether a name has no ending, as a file's would be.
    static func mayBeFolder(_ name: String) -> Bool {
        guard !name.hasPrefix("."), let end = MediaFiles.fileExtension(name) else { return !name.hasPrefix(".") }
        return !(1...8).contains(end.utf8.count) || !end.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            || end.allSatisfy(\.isNumber)
    }

    /// Where a reference leads: directly into the folder, or, without a name, to the one above it. Nil for anywhere
    /// else.
    private func target(of reference: String) -> (name: Substring?, isFolder: Bool)? {
        guard !reference.hasPrefix("?"), !reference.hasPrefix("#"),
            let address = response.address.resolving(reference), address.origin == response.address.origin,
            address.query == nil
        else { return nil }
        let isFolder = address.path.hasSuffix("/")
        // The same name may be encoded in several ways, so the number of slashes decides.
        let own = response.address.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let names = address.path.split(separator: "/", omittingEmptySubsequences: false).dropLast(isFolder ? 1 : 0)
        if isFolder, names.count == own.count - 1, Self.equal(names, own.dropLast()) {
            // Of a name with a slash in its reference it is known that the server writes one.
            return (nil, reference.hasSuffix("/"))
        }
        guard names.count == own.count + 1, Self.equal(names.dropLast(), own), let name = names.last, !name.isEmpty
        else {
            return nil
        }
        return (name, isFolder)
    }

    private static func equal(_ a: ArraySlice<Substring>, _ b: ArraySlice<Substring>) -> Bool {
        let (a, b) = (a.joined(separator: "/"), b.joined(separator: "/"))
        return a == b || PercentEncoding.decoded(a).map { $0 == PercentEncoding.decoded(b) } == true
    }
}
