import ProviderHTTP
import ProviderKit

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

    /// - Parameter blocks: by their ids. Their order says nothing. A block without a type, or one that isn't there
    ///   although another one names it, is `unavailable`.
    init(_ blocks: [String: JSONValue], from root: String, at site: WebAddress) throws(ProviderError) {
        self.site = site
        title = Self.text(blocks[root]?["display_name"])
        var seen: Set<String> = []
        var open = [Place(id: root)]
        while let place = open.popLast() {
            guard (1...Self.idBound).contains(place.id.utf8.count), seen.insert(place.id).inserted else { continue }
            let children = blocks[place.id]?["children"]
            guard let block = blocks[place.id], block["type"]?.string != nil,
                children == nil || children?.array?.allSatisfy({ $0.string != nil }) == true
            else { throw ProviderError(.unavailable, "\(site.host) names blocks that it doesn't describe") }
            let below = read(block, at: place)
            for child in (children?.array ?? []).reversed() {
                guard let id = child.string else { continue }
                var next = below
                next.id = id
                open.append(next)
            }
        }
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
        // Without the query, which may be a secret.
        let path = String(address.path.drop { $0 == "/" })
        let place = address.origin == site.origin ? path : address.host + "/" + path
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
