import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The videos of a course, or of one block of it, in the order in which it is read.
///
/// Related: lms/djangoapps/course_api/blocks/serializers.py of openedx/edx-platform
struct OpenEdXCourse {
    struct Item {
        var id: String
        var title: String?
        var video: OpenEdXVideo
        /// Why this user may not see it.
        var denial: String?
    }

    /// A section or a subsection; `chapter` and `sequential` in the API.
    struct Chapter {
        var id: String
        var title: String?
        var items: [Item] = []
    }

    /// A block that is to be read.
    private struct Place {
        var id: String
        /// Of the sections that it is in.
        var titles: [String] = []
        var chapter: Int?
        /// The title of what it is in within its section.
        var unit: String?
    }

    /// Sections in sections: a course has two.
    private static let depthBound = 8
    private static let idBound = 1024

    private(set) var title: String?
    private(set) var chapters: [Chapter] = []
    /// In no chapter.
    private(set) var items: [Item] = []
    /// Why the user may not see something of it; nil if nothing is denied.
    private(set) var denial: String?
    private var ids: Set<String> = []
    private let site: WebAddress

    /// - Parameter blocks: by their ids. Their order says nothing.
    init(_ blocks: [String: JSONValue], from root: String, at site: WebAddress) throws(ProviderError) {
        self.site = site
        title = Self.text(blocks[root]?["display_name"])
        var seen: Set<String> = []
        var open = [Place(id: root)]
        while let place = open.popLast() {
            guard seen.insert(place.id).inserted else { continue }
            guard let block = blocks[place.id], let children = Self.children(of: block) else {
                throw Self.incomplete(at: site)
            }
            let below = read(block, at: place)
            for id in children.reversed() {
                var next = below
                next.id = id
                open.append(next)
            }
        }
        // Of a course, each block is below another one; what is below one that is denied isn't told.
        guard blocks[root]?["type"]?.string != "course" || denial != nil || seen.count == blocks.count else {
            throw Self.incomplete(at: site)
        }
    }

    /// The ids of the blocks below one; nil for what is no block. A block has a type and a name, which may be empty; it
    /// has no list of children if there are none.
    private static func children(of block: JSONValue) -> [String]? {
        guard block["type"]?.string != nil, block["display_name"]?.string != nil else { return nil }
        guard let children = block["children"] else { return [] }
        guard let list = children.array else { return nil }
        let ids = list.compactMap(\.string)
        return ids.count == list.count ? ids : nil
    }

    private static func incomplete(at site: WebAddress) -> ProviderError {
        ProviderError(.unavailable, "the blocks in the answer of \(site.host) are incomplete", server: site.origin)
    }

    var all: [Item] { items + chapters.flatMap(\.items) }

    /// Takes a block's own videos; returns the place of the blocks below it.
    private mutating func read(_ block: JSONValue, at place: Place) -> Place {
        let name = Self.text(block["display_name"])
        let denial = Self.denial(of: block)
        self.denial = self.denial ?? denial
        var below = place
        switch block["type"]?.string {
        case "chapter", "sequential":
            if below.titles.count < Self.depthBound { below.titles.append(name ?? place.id) }
            below.chapter = chapters.count
            chapters.append(Chapter(id: place.id, title: Self.bounded(below.titles.joined(separator: " / "))))
        case "video":
            let video = OpenEdXVideo(block["student_view_data"], at: site)
            add(Item(id: place.id, title: name ?? place.unit, video: video, denial: denial), at: place)
        case "html":
            guard let html = block["student_view_data"]?["html"]?.string else { break }
            for reference in HTMLMedia.references(in: html) {
                guard let address = site.resolving(reference),
                    let item = link(address, in: place.id, title: name ?? place.unit)
                else { continue }
                add(item, at: place)
            }
        default: below.unit = name ?? place.unit
        }
        return below
    }

    private mutating func add(_ item: Item, at place: Place) {
        guard item.id.utf8.count <= Self.idBound, ids.insert(item.id).inserted else { return }
        if let chapter = place.chapter {
            chapters[chapter].items.append(item)
        } else {
            items.append(item)
        }
    }

    /// Nil for a link to what is neither a file that is a video nor a video on a host that a provider knows.
    private func link(_ address: WebAddress, in block: String, title: String?) -> Item? {
        if let provider = HandOver(address) {
            let place = address.text.drop { $0 != "/" }.dropFirst(2)
            return Item(id: provider.id ?? "\(block)#\(place)", title: title, video: OpenEdXVideo(provider))
        }
        guard MediaFiles.isMedia(address.lastName) else { return nil }
        // A query may be a secret, and all that two addresses differ in.
        let query = address.query.map { "?" + SHA256.hash(data: Data($0.utf8)).prefix(8).hex } ?? ""
        let path = address.path.drop { $0 == "/" } + query
        let place = address.origin == site.origin ? String(path) : "\(address.host)/\(path)"
        // Of a file of the course the name is behind the course's key.
        let name = address.lastName.split(separator: "block@").last.map(String.init) ?? address.lastName
        return Item(
            id: "\(block)#\(place)", title: Self.bounded(MediaFiles.title(name)), video: OpenEdXVideo(file: address))
    }

    private static func denial(of block: JSONValue) -> String? {
        guard let reason = block["authorization_denial_reason"]?.string else { return nil }
        let message = block["authorization_denial_message"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return HTMLStripper.text(of: message ?? reason, bound: 300)
    }

    /// Names are plain text.
    static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : bounded($0) }
    }

    /// A title may have 1 KiB.
    private static func bounded(_ title: String) -> String {
        String(String.UnicodeScalarView(title.unicodeScalars.prefix(250)))
    }
}
