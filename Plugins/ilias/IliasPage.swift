import ProviderHTTP
import ProviderKit

/// What a page of ILIAS shows, in the forms of ILIAS 8 to 10.
///
/// Related: components/ILIAS/Container/templates and components/ILIAS/UI/src/templates of ILIAS;
/// PFERD/crawl/ilias/kit_ilias_html.py of Garmelon/PFERD
struct IliasPage: Sendable {
    /// An object that is listed on the page of another.
    struct Item: Sendable {
        /// Without a type if the page doesn't tell it.
        var target: IliasTarget
        var title = ""
        /// Where its title leads. Of some tiles only a script knows it.
        var address: WebAddress?
        var isLinked = false
        /// Whether it only leads to an object elsewhere.
        var isReference = false
        /// The first of its properties, which is the extension of a file.
        var property: String?
        /// What it is listed in: the object of the page, an item group, or a session.
        var parent: Int64?
        var group: Group?

        /// Whether it may have others in it, as far as the page tells.
        var isOfRepository: Bool {
            let query = address.map { IliasTarget.query(of: $0) } ?? [:]
            return query["baseclass"]?.lowercased() == "ilrepositorygui" && !showsSummary
        }

        /// Whether its title leads to what anybody may know of it: it can't be opened, or not yet.
        var showsSummary: Bool {
            let query = address.map { IliasTarget.query(of: $0) } ?? [:]
            return query["cmdclass"]?.lowercased() == "ilinfoscreengui" && query["cmd"]?.lowercased() == "showsummary"
        }
    }

    /// Items with a heading of their own.
    struct Group: Hashable, Sendable {
        var ref: Int64
        var title: String
    }

    /// A link in the text of a page.
    struct Link: Sendable {
        var address: WebAddress
        var text: String
    }

    /// A video in the text of a page.
    struct Figure: Sendable {
        var sources: [WebAddress] = []
        var caption: String?
    }

    private static let blockBound = 200

    let address: WebAddress
    let bytes: [UInt8]
    /// Whose page it is, by the link that it offers to copy.
    var target: IliasTarget?
    /// Whether there are the controls of ILIAS.
    var isIlias = false
    var offersLogin = false
    var offersRegistration = false
    var title: String?
    /// Of a refusal, or of a mistake of the site.
    var failure: String?
    var items: [Item] = []
    /// The items of the pages that list a user's courses.
    var listed: [Item] = []
    /// Files that are listed in its text.
    var files: [Link] = []
    /// What leads to other servers.
    var links: [Link] = []
    var figures: [Figure] = []
    var hasTabs = false
    var showsContents = false
    /// Where the object's contents are, if the page shows something else of it.
    var contents: WebAddress?
    /// Where sessions are shown that are hidden.
    var hiddenSessions: [WebAddress] = []

    init(_ response: HTTPResponse) {
        address = response.address
        bytes = response.body
        var reader = IliasReader(bytes)
        reader.read(into: &self)
        // Since ILIAS 9 the link is in a script.
        if let call = text(behind: "il.Footer.permalink.copyText(", upTo: ")") {
            let link = call.filter { !"\\\"' ".contains($0) }
            target = address.resolving(link).flatMap { IliasTarget($0) } ?? target
        }
    }

    /// Whether it shows nothing of an object, but only says what is wrong.
    var isFailure: Bool {
        failure != nil && items.isEmpty && files.isEmpty && links.isEmpty && figures.isEmpty && !hasCast
    }

    /// Whether a script gets the entries of a media cast.
    var hasCast: Bool { bytes[...].place(of: Self.castMark) != nil }

    /// The entries of a media cast; nil if they aren't a list.
    ///
    /// Related: components/ILIAS/MediaCast/Presentation/class.VideoViewGUI.php of ILIAS
    var cast: [JSONValue]? { json(behind: Self.castMark, from: "[")?.array }

    private static let castMark = "il.VideoPlaylist.init("

    /// Whether somebody who is logged in sees it.
    var isOfUser: Bool { isIlias && !offersLogin }

    /// The part of the page that its author has written.
    var content: String {
        guard let start = bytes[...].place(of: "ilContentContainer") else { return "" }
        let rest = bytes[start.upperBound...]
        let ends = ["il_right_col", "il-maincontrols-footer", "c-maincontrols__footer"]
        let end = ends.compactMap { rest.place(of: $0)?.lowerBound }.min() ?? rest.endIndex
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// Where blocks that show only their first items have the next ones. The block of an item group has its number.
    var unfinished: [(block: String, address: WebAddress)] {
        var found: [(block: String, address: WebAddress)] = []
        var rest = bytes[...]
        for _ in 0..<Self.blockBound {
            guard let place = rest.place(of: "il.Container.initShowMore(") else { break }
            rest = rest[place.upperBound...]
            let words = String(decoding: rest.prefix(4096).prefix { $0 != UInt8(ascii: ")") }, as: UTF8.self)
                .split(separator: "'")
            if words.count >= 5, let next = address.resolving(HTMLStripper.unescaped(words[4])) {
                found.append((String(words[2]), next))
            }
        }
        return found
    }

    /// What is between two marks, at most 4 KiB; nil without them.
    func text(behind mark: String, upTo end: Character) -> String? {
        guard let place = bytes[...].place(of: mark) else { return nil }
        let text = String(decoding: bytes[place.upperBound...].prefix(4096), as: UTF8.self)
        return text.firstIndex(of: end).map { String(text[..<$0]) }
    }

    /// The JSON that begins behind a mark with `first`, a brace or a bracket; nil without it.
    func json(behind mark: String, from first: Unicode.Scalar) -> JSONValue? {
        guard let place = bytes[...].place(of: mark),
            let start = bytes[place.upperBound...].firstIndex(of: UInt8(ascii: first))
        else { return nil }
        var (depth, isText, isEscaped) = (0, false, false)
        for index in bytes[start...].indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText: depth += 1
            case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText: depth -= 1
            default: break
            }
            if depth == 0 { return try? JSONReader.value(of: Array(bytes[start...index])) }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Where `text` is for the first time.
    func place(of text: String) -> Range<Int>? {
        let wanted = Array<UInt8>(text.utf8)
        var rest = self
        while let first = wanted.first, let start = rest.firstIndex(of: first) {
            if self[start...].starts(with: wanted) { return start..<(start + wanted.count) }
            rest = self[(start + 1)...]
        }
        return nil
    }
}
