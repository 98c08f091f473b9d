import ProviderHTTP
import ProviderKit

/// The events that an Opencast object lists: a table, tiles, or since version 9 of the plugin a list of ILIAS's own.
///
/// Related: classes/Event and templates/default of opencast-ilias/OpenCast
struct IliasEvents: Sendable {
    struct Event: Sendable {
        var id: String
        var title = ""
        /// The page of its player.
        var player: WebAddress
    }

    private(set) var events: [Event] = []
    /// The name of the table, if there are more rows than it shows.
    private(set) var longTable: String?
    private(set) var next: WebAddress?
    /// Whether there is a table in whole, or tiles, if only an empty one.
    private(set) var isList = false

    /// - Parameter part: a page, or what a script puts into it.
    init(_ part: IliasPage) {
        var reader = Reader(cursor: HTMLCursor(part.bytes), address: part.address)
        reader.read(into: &self)
    }

    private struct Reader {
        private static let attributes: Set = ["class", "id", "href", "src", "data-action"]

        var cursor: HTMLCursor
        let address: WebAddress
        /// The text of an element that is the title of an event.
        private var text: (element: String, event: Event, bytes: [UInt8])?
        /// An event whose title is in the next cell.
        private var untitled: Event?
        /// The buttons of the pages, how deep in them the reader is, and whether that of this page came already.
        private var pages: (element: String, depth: Int, isBehind: Bool)?
        private var hasPages = false
        private var table: String?

        init(cursor: HTMLCursor, address: WebAddress) { (self.cursor, self.address) = (cursor, address) }

        mutating func read(into found: inout IliasEvents) {
            while let byte = cursor.byte {
                guard byte == UInt8(ascii: "<"), let tag = cursor.readTag(attributes: Self.attributes) else {
                    text?.bytes.append(byte)
                    cursor.advance()
                    continue
                }
                text?.bytes.append(UInt8(ascii: " "))
                if !tag.name.isEmpty { take(tag, &found) }
            }
            if let untitled { found.add(untitled) }
        }

        private mutating func take(_ tag: HTMLCursor.Tag, _ found: inout IliasEvents) {
            let classes = (tag.attributes["class"] ?? "").split(whereSeparator: \.isWhitespace)
            let id = tag.attributes["id"] ?? ""
            if tag.name == "table", id.hasPrefix("tbl_xoct") { table = id }
            if let link = tag.attributes["href"],
                let match = link.firstMatch(of: /(tbl_xoct_\w+?)_table_nav=[^&\x22]*:(\d+)/), match.output.2 != "0"
            {
                found.longTable = String(match.output.1)
            }
            if tag.name == "/table" && table != nil || id == "xoct_tile_container" { found.isList = true }
            readPages(tag, classes, &found)
            if let open = text, tag.name == "/" + open.element {
                text = nil
                var event = open.event
                event.title = HTMLStripper.text(of: String(decoding: open.bytes, as: UTF8.self), bound: 1000)
                found.add(event)
            }
            if let event = event(tag) {
                // A button says "Play", and a picture nothing.
                if tag.name == "a", !classes.contains("btn") {
                    text = (tag.name, event, [])
                } else {
                    untitled = event
                }
            } else if let event = untitled, tag.name == "td" || classes.contains("xoct_event_title") {
                untitled = nil
                text = (tag.name, event, [])
            }
        }

        /// The event whose player is behind a link, or within a frame.
        private func event(_ tag: HTMLCursor.Tag) -> Event? {
            guard tag.name == "a" || tag.name == "iframe",
                let link = (tag.attributes["href"] ?? tag.attributes["src"]).map({ HTMLStripper.unescaped($0) }),
                link.lowercased().contains("cmd=streamvideo"), let player = address.resolving(link),
                let id = IliasTarget.query(of: player)["eid"], !id.isEmpty
            else { return nil }
            return Event(id: id, player: player)
        }

        /// The button of this page is pressed, and that behind it leads to the next one.
        private mutating func readPages(
            _ tag: HTMLCursor.Tag, _ classes: [Substring], _ found: inout IliasEvents
        ) {
            guard var open = pages else {
                guard classes.contains("il-viewcontrol-pagination"), !hasPages else { return }
                hasPages = true
                pages = (tag.name, 1, false)
                return
            }
            if tag.name == open.element { open.depth += 1 }
            if tag.name == "/" + open.element { open.depth -= 1 }
            if tag.name == "button" {
                let link = tag.attributes["data-action"].map { HTMLStripper.unescaped($0) }
                if open.isBehind, found.next == nil { found.next = link.flatMap(address.resolving) }
                if classes.contains("engaged") { open.isBehind = true }
            }
            pages = open.depth > 0 ? open : nil
        }
    }

    mutating func add(_ event: Event) {
        guard let place = events.firstIndex(where: { $0.id == event.id }) else { return events.append(event) }
        if events[place].title.isEmpty { events[place].title = event.title }
    }
}

extension IliasSite {
    private static let pageBound = 500
    /// More rows no table shows.
    private static let rowBound = 800

    /// The events on the page of an Opencast object and on those behind it.
    func events(_ page: IliasPage) async throws(ProviderError) -> [IliasEvents.Event] {
        var part = try await loaded(page)
        var list = IliasEvents(part)
        // Without one there may be none; with a mistake nobody knows.
        if list.events.isEmpty, !list.isList, let failure = part.failure { throw mistake(failure) }
        if let table = list.longTable {
            part = try await self.part(part.address.adding(query: [("\(table)_trows", "\(Self.rowBound)")]), of: page)
            list = IliasEvents(part)
            guard list.isList else { throw unknownAnswer }
            guard list.longTable == nil else {
                throw ProviderError(
                    .unavailable, "\(address.host) doesn't show all recordings in one table", server: address.origin)
            }
        } else if let next = list.next, IliasTarget.query(of: next)["page_size"] != "10" {
            // With pages of another size some sites leave events out.
            part = try await self.part(page.address.adding(query: [("page_size", "10")]), of: page)
            list = IliasEvents(part)
            guard !list.events.isEmpty else { throw unknownAnswer }
        }
        var (all, seen) = (list, Set([part.address]))
        while let next = list.next {
            guard isOwn(next), seen.insert(next).inserted, seen.count < Self.pageBound else { throw unknownAnswer }
            list = IliasEvents(try await self.part(next, of: page))
            guard !list.events.isEmpty else { throw unknownAnswer }
            for event in list.events { all.add(event) }
        }
        return all.events
    }

    /// Another page of the same object, or a part of it, with the events in it.
    private func part(_ address: WebAddress, of object: IliasPage) async throws(ProviderError) -> IliasPage {
        let response = try await response(.init("GET", address))
        let part = IliasPage(response)
        if response.isHTML, !part.isIlias, IliasEvents(part).isList { return part }
        let page = try checked(response)
        guard page.target == object.target else { throw refusal(page) }
        return try await loaded(page)
    }

    /// The part that a script of the page would ask for.
    private func loaded(_ page: IliasPage) async throws(ProviderError) -> IliasPage {
        guard let end = page.bytes[...].place(of: "async=true"),
            let start = page.bytes[..<end.lowerBound].lastIndex(where: { "'\"".utf8.contains($0) })
        else { return page }
        let link = String(decoding: page.bytes[(start + 1)..<end.upperBound], as: UTF8.self)
        guard let address = page.address.resolving(link.replacing("\\/", with: "/")), isOwn(address) else {
            throw unknownAnswer
        }
        let response = try await response(.init("GET", address))
        let part = IliasPage(response)
        guard IliasEvents(part).isList else { throw refusal(try checked(response)) }
        return part
    }

    // MARK: - The player

    /// What the player of an event gets to know.
    ///
    /// Related: src/Util/Player/StandardPlayerDataBuilder.php of opencast-ilias/OpenCast
    func player(_ address: WebAddress) async throws(ProviderError) -> IliasPlayer {
        let response = try await unfollowed(address)
        if let next = response[header: "Location"].flatMap(response.address.resolving) {
            if next.origin == self.address.origin { throw refusal(try await page(next)) }
            guard HandOver(next) != nil else { throw refusal(try checked(try await self.response(.init("GET", next)))) }
            throw ProviderError(
                .forbidden,
                "\(self.address.host) shows this event in a player at \(next.host), and lists no address of it")
        }
        if let player = IliasPlayer(IliasPage(response)) { return player }
        let text = String(decoding: response.body.prefix(300), as: UTF8.self)
        if text.hasPrefix("Error:") {
            throw ProviderError(
                .notReady, "\(self.address.host) says: \(HTMLStripper.text(of: text, bound: 300))")
        }
        throw refusal(try checked(response))
    }
}

/// What the player of an event gets to know: its pictures, each in several files.
struct IliasPlayer: Sendable {
    let data: JSONValue
    let isLive: Bool

    /// Nil for a page without a player.
    init?(_ page: IliasPage) {
        guard page.bytes[...].place(of: "paella_config_file") != nil,
            let data = page.json(behind: "layer.init(", from: "{"), data["streams"]?.array != nil
        else { return nil }
        self.data = data
        isLive =
            data["streams"]?.array?.contains { $0["sources"]?["hlsLive"] != nil } == true
            || page.bytes[...].place(of: "\"is_live_stream\":true") != nil
    }

    var title: String? { data["metadata"]?["title"]?.string }

    /// A picture that the site has.
    struct View: Sendable {
        var role: String
        var address: WebAddress
        var kind: Resolution.Kind
    }

    /// The pictures for a quality, that with the sound first. A file is better than a playlist.
    func views(_ quality: [String], at page: WebAddress) -> [View] {
        var views: [View] = []
        for stream in data["streams"]?.array ?? [] {
            let role = stream["content"]?.string ?? "presenter"
            guard !views.contains(where: { $0.role == role }) else { continue }
            func files(_ format: String) -> [Rendition<WebAddress>] {
                (stream["sources"]?[format]?.list ?? []).compactMap { source in
                    source["src"]?.string.flatMap(page.resolving).map { address in
                        Rendition(media: address, height: source["res"]?["h"]?.wholeNumber.flatMap { Int(exactly: $0) })
                    }
                }
            }
            let found: (WebAddress, Resolution.Kind)? =
                if let file = RenditionChoice.of(files("mp4"), quality: quality) {
                    (file, .file)
                } else if let list = files("hls").first?.media {
                    (list, .hls)
                } else if let list = files("dash").first?.media { (list, .dash) } else { nil }
            if let (address, kind) = found { views.append(View(role: role, address: address, kind: kind)) }
        }
        return views.filter { $0.role == "presenter" } + views.filter { $0.role != "presenter" }
    }

    func subtitles(at page: WebAddress) -> [Resolution.Subtitle] {
        (data["captions"]?.array ?? []).compactMap { caption in
            guard let address = caption["url"]?.string.flatMap(page.resolving) else { return nil }
            let language = caption["lang"]?.string ?? "unknown"
            return .init(lang: language == "unknown" || language.isEmpty ? "und" : language, url: address.text)
        }
    }
}
