import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is in a folder.
struct PanoptoFolder: Sendable {
    /// Nil if nothing in it tells it.
    var title: String?
    /// The oldest first.
    var sessions: [Listing.Video]
    /// The folders in it.
    var folders: [(id: String, title: String)]

    private init(title: String?, sessions: [(begins: Date?, video: Listing.Video)], folders: [(String, String)]) {
        self.title = title
        self.sessions = sessions.sorted { one, other in
            (one.begins ?? .distantPast, one.video.id) < (other.begins ?? .distantPast, other.video.id)
        }.map(\.video)
        self.folders = folders.map { (entry: $0, order: NaturalOrder($0.1)) }.sorted { $0.order < $1.order }
            .map { (id: $0.entry.0, title: $0.entry.1) }
    }

    /// As the API has it, where texts are plain.
    init(sessions: [JSONValue], children: [JSONValue], at site: PanoptoSite) throws(ProviderError) {
        self.init(
            title: Self.common(sessions.map { Self.text($0["FolderDetails"]?["Name"]) }),
            sessions: try sessions.map { session throws(ProviderError) in
                let id = try Self.id(session["Id"], at: site)
                let begins = session["StartTime"]?.string.flatMap(WebDate.date)
                return (
                    begins,
                    Listing.Video(
                        id: id, title: Self.text(session["Name"]), description: Self.text(session["Description"]),
                        publishedAt: begins, duration: Self.duration(session["Duration"]))
                )
            },
            folders: try children.map { child throws(ProviderError) in
                let id = try Self.id(child["Id"], at: site)
                return (id, Self.text(child["Name"]) ?? id)
            })
    }

    /// As the site's pages have it, where texts are HTML. `SessionID` isn't always the id of a session, and playlists
    /// have neither it nor a `DeliveryID`.
    init(rows: [JSONValue], subfolders: [JSONValue], at site: PanoptoSite) throws(ProviderError) {
        let rows = rows.filter { row in
            row.object == nil || ["DeliveryID", "SessionID"].contains { row[$0] ?? .null != .null }
        }
        self.init(
            title: Self.common(rows.map { Self.plain($0["FolderName"]) }),
            sessions: try rows.map { row throws(ProviderError) in
                let id = try Self.id(row["DeliveryID"], at: site)
                let begins = Self.date(row["StartTime"])
                return (
                    begins,
                    Listing.Video(
                        id: id, title: Self.plain(row["SessionName"]), description: Self.plain(row["Abstract"]),
                        publishedAt: begins, duration: Self.duration(row["Duration"]))
                )
            },
            folders: try subfolders.map { folder throws(ProviderError) in
                let id = try Self.id(folder["ID"], at: site)
                return (id, Self.plain(folder["Name"]) ?? id)
            })
    }

    /// What is left out for the want of an id would count as gone.
    private static func id(_ value: JSONValue?, at site: PanoptoSite) throws(ProviderError) -> String {
        guard let id = PanoptoPage.id(value?.string) else { throw site.unknownAnswer }
        return id
    }

    /// The folder's name, if all sessions agree on it.
    private static func common(_ names: [String?]) -> String? {
        names.first.flatMap { first in names.allSatisfy { $0 == first } ? first : nil }
    }

    static func text(_ value: JSONValue?) -> String? { value?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// A text that was escaped for HTML.
    static func plain(_ value: JSONValue?) -> String? { text(value).map { HTMLStripper.unescaped($0) } }

    static func duration(_ value: JSONValue?) -> Double? { value?.number.flatMap { $0 > 0 ? $0 : nil } }

    /// A date of .NET: `/Date(1795222800000)/`, in milliseconds.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let match = value?.string?.wholeMatch(of: /\/Date\((-?\d{1,18})(?:[+-]\d{4})?\)\//),
            let milliseconds = Double(match.output.1)
        else { return nil }
        return Date(seconds: .double(milliseconds / 1000))
    }
}

extension PanoptoSite {
    private static let pageBound = 2000
    /// The most that the site's own pages ask for.
    private static let rowCount = 250
    /// Above all folders.
    private static let root = "00000000-0000-0000-0000-000000000000"

    func folder(_ id: String) async throws(ProviderError) -> PanoptoFolder {
        guard access != .tokens else {
            return try PanoptoFolder(
                sessions: try await all(["folders", id, "sessions"], [("sortField", "CreatedDate")]),
                children: try await all(["folders", id, "children"]), at: self)
        }
        let (rows, subfolders) = try await rows(of: id)
        if access == .nobody, rows.isEmpty, subfolders.isEmpty { throw loginNeeded(for: "this folder") }
        return try PanoptoFolder(rows: rows, subfolders: subfolders, at: self)
    }

    /// The title of a folder that is there and may be seen.
    func title(of folder: String) async throws(ProviderError) -> String? {
        guard access != .tokens else {
            let answer = try await value(["folders", folder])
            guard answer["Id"]?.string != nil else { throw unknownAnswer }
            return PanoptoFolder.text(answer["Name"])
        }
        let answer = try await service("GetFolderInfo", ["folderID": .string(folder)])
        guard answer["Name"] != nil else {
            if access == .nobody { throw loginNeeded(for: "this folder") }
            throw ProviderError(.notFound, "\(address.host) has no such folder, or doesn't show it to this login")
        }
        return PanoptoFolder.plain(answer["Name"])
    }

    /// The topmost folders that the user sees.
    func topFolders() async throws(ProviderError) -> [(id: String, title: String)] {
        switch access {
        case .tokens:
            let top = try await all(["folders", Self.root, "children"])
            guard top.isEmpty else { return try PanoptoFolder(sessions: [], children: top, at: self).folders }
            // All of them may be within folders that the user doesn't see.
            let all = try await all(["folders", "search"], [("searchQuery", "*")])
            let ids = Set(all.compactMap { $0["Id"]?.string })
            let inner = all.filter { !ids.contains($0["ParentFolder"]?["Id"]?.string ?? "") }
            return try PanoptoFolder(sessions: [], children: inner, at: self).folders
        case .browser: return try await foldersOfPages()
        case .nobody: throw loginNeeded(for: "your folders")
        }
    }

    /// Throws unless the session of the browser is valid.
    func requireSession() async throws(ProviderError) { _ = try await page(0, of: nil, count: 1) }

    /// Of a list of the API, whose only end is an empty page.
    private func all(
        _ path: [String], _ fields: [(name: String, value: String)] = []
    ) async throws(ProviderError) -> [JSONValue] {
        var (found, last): ([JSONValue], [JSONValue]) = ([], [])
        for number in 0..<Self.pageBound {
            let page = try await session.get(api(path).adding(query: fields + [("pageNumber", "\(number)")])).json()
            guard let results = page["Results"]?.array else { throw unknownAnswer }
            if results.isEmpty { return found }
            guard results != last else { break }
            found += results
            last = results
        }
        throw ProviderError(.unavailable, "the pages of \(address.host) don't end", server: address.origin)
    }

    private func rows(of folder: String) async throws(ProviderError) -> (rows: [JSONValue], folders: [JSONValue]) {
        var folders: [JSONValue] = []
        // Playlists among them have no id of a delivery.
        let rows = try await PagedList(server: address, pageCount: Self.rowCount).entries {
            $0["DeliveryID"]?.string
        } page: { number, _ throws(ProviderError) in
            let page = try await page(number, of: folder, count: Self.rowCount)
            if number == 0 {
                // Nobody is told of them without a login.
                guard let told = page.folders ?? (access == .nobody ? [] : nil) else { throw unknownAnswer }
                folders = told
            }
            return (page.rows, page.total)
        }
        return (rows, folders)
    }

    /// A page of the sessions in a folder, or everywhere.
    private func page(
        _ number: Int, of folder: String?, count: Int
    ) async throws(ProviderError) -> (rows: [JSONValue], total: Int64, folders: [JSONValue]?) {
        let page = try await service(
            "GetSessions",
            [
                "queryParameters": [
                    "query": .null, "folderID": folder.map { .string($0) } ?? .null, "sortColumn": 1,
                    "sortAscending": true, "page": .int(Int64(number)), "maxResults": .int(Int64(count)),
                    "getFolderData": true, "includePlaylists": false, "bookmarked": false,
                ]
            ])
        guard let results = page["Results"], results == .null || results.array != nil,
            let total = page["TotalNumber"]?.wholeNumber
        else { throw unknownAnswer }
        return (results.list, total, page["Subfolders"]?.array)
    }

    /// What the site shows as a tree of folders. The fields are those of its own request.
    private func foldersOfPages() async throws(ProviderError) -> [(id: String, title: String)] {
        var (found, ids): ([JSONValue], Set<String>) = ([], [])
        for number in 0..<Self.pageBound {
            let fields = [
                ("parentId", "null"), ("folderSet", "1"), ("includeMyFolder", "false"),
                ("includePersonalFolders", "true"), ("page", "\(number)"), ("sort", "Depth"),
                ("names[0]", "SessionCount"),
            ]
            let page = try await own(HTTPRequest("GET", place("Api/Folders").adding(query: fields))) {
                $0.array.map(JSONValue.array)
            }
            // One without an id is refused below.
            let new = page.list.filter { $0["Id"]?.string.map { ids.insert($0).inserted } ?? true }
            if new.isEmpty { break }
            found += new
        }
        return try PanoptoFolder(sessions: [], children: found, at: self).folders
    }
}
