import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the listing of a folder: the pages of nginx, Apache and others, or the JSON of nginx.
///
/// Of a page only links directly into the folder count, so that columns to sort by, the parent folder and whatever a theme
/// adds are left out.
struct IndexReader {
    private struct JSONEntry: Decodable {
        var name: String
        var type: String
        var mtime: String?
        var size: Int64?
    }

    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    /// The entries, files by `includes`.
    func entries(includes: (String) -> Bool) throws(ProviderError) -> FolderWalk.Entries {
        var entries = FolderWalk.Entries()
        if response.mediaType == "application/json" {
            for entry in try response.json(as: [JSONEntry].self) where Self.isName(entry.name) {
                if entry.type == "directory" {
                    entries.folders.append(entry.name)
                } else if includes(entry.name) {
                    entries.files.append(
                        FolderFile(path: [entry.name], size: entry.size, modified: entry.mtime.flatMap(WebDate.date)))
                }
            }
            return entries
        }
        var (seen, unreadable): (Set<[UInt8]>, Int) = ([], 0)
        for link in Self.links(response.body) {
            guard let rest = self.rest(of: PlainText.unescaped(link.reference)) else { continue }
            guard let name = PercentEncoding.decoded(rest.name), Self.isName(name) else {
                unreadable += 1
                continue
            }
            // Icons are often links, too. Names that Swift takes for equal are different files.
            guard seen.insert(Array(name.utf8)).inserted else { continue }
            if rest.isFolder {
                entries.folders.append(name)
            } else if includes(name) {
                entries.files.append(FolderFile(path: [name], modified: Self.date(link.after)))
            }
        }
        if unreadable > 0 {
            HostLog.write(.warning, "left out \(unreadable) entries whose names aren't UTF-8, or have a slash in them")
        }
        let start = String(decoding: response.body.prefix(4096), as: UTF8.self).lowercased()
        guard
            start.contains("index of") || start.contains("directory listing") || !entries.files.isEmpty
                || !entries.folders.isEmpty
        else {
            throw ProviderError(
                .unavailable, "\(response.address.host) answers with a page that is no listing of a folder")
        }
        return entries
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0) && !name.utf8.contains(0x2F)
    }

    /// What of a reference follows the folder's own address; nil if it doesn't lead directly into the folder.
    private func rest(of reference: String) -> (name: Substring, isFolder: Bool)? {
        guard !reference.hasPrefix("?"), !reference.hasPrefix("#"),
            let address = response.address.resolving(reference), address.origin == response.address.origin,
            address.query == nil
        else { return nil }
        let folder = response.address.path.utf8
        // The same name may be encoded in several ways, so the number of slashes decides.
        let depth = folder.count { $0 == 0x2F }
        let names = address.path.split(separator: "/", omittingEmptySubsequences: false)
        let isFolder = names.last?.isEmpty == true
        guard names.count == depth + (isFolder ? 2 : 1), names.count > 1,
            Self.equal(names[..<depth].joined(separator: "/"), String(response.address.path.dropLast()))
        else { return nil }
        let name = names[depth]
        return name.isEmpty ? nil : (name, isFolder)
    }

    private static func equal(_ a: String, _ b: String) -> Bool {
        a == b || PercentEncoding.decoded(a).map { $0 == PercentEncoding.decoded(b) } == true
    }

    /// The values of `href`, each with the beginning of what follows its link.
    private static func links(_ page: [UInt8]) -> [(reference: String, after: ArraySlice<UInt8>)] {
        var links: [(reference: String, after: ArraySlice<UInt8>)] = []
        var index = 0
        while let open = page[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = open + 1
            guard index + 1 < page.count, page[index] | 0x20 == UInt8(ascii: "a"), page[index + 1] <= 0x20 else {
                continue
            }
            guard let (reference, end) = reference(page, from: index + 1) else { continue }
            index = end
            links.append((reference, page[end..<min(end + 600, page.count)]))
        }
        return links
    }

    /// The value of `href` of the tag whose attributes begin here, and the tag's end.
    private static func reference(_ page: [UInt8], from start: Int) -> (String, Int)? {
        var index = start
        var found: String?
        while index < page.count, page[index] != UInt8(ascii: ">") {
            if page[index] <= 0x20 {
                index += 1
                continue
            }
            let name = page[index...].prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") }
            index = name.endIndex
            guard index < page.count, page[index] == UInt8(ascii: "=") else {
                if name.isEmpty { index += 1 }
                continue
            }
            index += 1
            guard index < page.count else { return nil }
            let quote = page[index]
            let value: ArraySlice<UInt8>
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = page[(index + 1)...].prefix { $0 != quote }
                index = value.endIndex + 1
            } else {
                value = page[index...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }
                index = value.endIndex
            }
            if String(decoding: name, as: UTF8.self).lowercased() == "href" {
                found = String(decoding: value, as: UTF8.self)
            }
        }
        return found.map { ($0, min(index, page.count)) }
    }

    /// The time behind a link, before the next one: `20-Nov-2026 23:00` as nginx writes it, `2026-11-20 23:00` as Apache
    /// does. Neither has a zone: it is taken for UTC.
    private static func date(_ after: ArraySlice<UInt8>) -> Date? {
        var text = ""
        var isTag = false
        var rest = String(decoding: after, as: UTF8.self)[...]
        // Behind the link's own text, which may look like a date.
        if let end = rest.firstRange(of: "</a>") { rest = rest[end.upperBound...] }
        for character in rest {
            if character == "<" {
                isTag = true
                if text.count > 40 { break }
                text += " "
            } else if character == ">" {
                isTag = false
            } else if !isTag {
                text.append(character)
            }
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        for (day, clock) in zip(words, words.dropFirst()).prefix(3) {
            guard clock.count == 5 || clock.count == 8, clock.contains(":") else { continue }
            if let date = WebDate.date("\(day)T\(clock.count == 5 ? "\(clock):00" : "\(clock)")Z")
                ?? WebDate.date("\(day) \(clock) GMT")
            {
                return date
            }
        }
        return nil
    }
}
