import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The videos of an object and of those in it. One page is read after the other: sites are slow.
struct IliasCourse: Sendable {
    /// A video of the course. Its id begins with the name of the object that it is in: `file_123`, `xoct_5/…`.
    struct Item: Sendable {
        enum Place: Sendable {
            /// A file of the repository; one that can't be downloaded yet isn't open.
            case file(ref: Int64, isOpen: Bool)
            /// The page of an event's player.
            case event(WebAddress)
            /// A file whose address ends, if it is signed.
            case media(WebAddress, isSigned: Bool)
            case elsewhere(HandOver)
        }

        var id: String
        var title: String
        var place: Place
        /// Its name as a file.
        var name: String?
        /// In seconds.
        var duration: Double?
        /// Files beside it that have its name.
        var beside: [(name: String, ref: Int64)] = []
    }

    /// The object, a folder, session, page or item group in it, an Opencast object or a media cast.
    struct Chapter: Sendable {
        var id: String
        var title: String
        var items: [Item] = []
        fileprivate var names: [(name: String, ref: Int64)] = []
    }

    /// Objects with others in them, or with videos.
    static let folders: Set = ["crs", "grp", "cat", "fold", "sess", "copa", "mcst", "xoct", "root"]
    private static let folderBound = 500

    private struct Step {
        var target: IliasTarget
        var link: WebAddress?
        var titles: [String]
        var parent: String?
    }

    let site: IliasSite
    let media: MediaFiles
    let now: Date
    private(set) var title: String?
    /// The first one is the object itself.
    private(set) var chapters: [Chapter] = []
    private var ids: Set<String> = []

    init(at site: IliasSite, _ media: MediaFiles, now: Date) { (self.site, self.media, self.now) = (site, media, now) }

    var items: [Item] { chapters.flatMap(\.items) }

    /// Reads an object and those in it.
    mutating func read(_ ref: Int64) async throws(ProviderError) {
        // The next one is the last.
        var waiting = [Step(target: IliasTarget(type: nil, ref: ref), titles: [])]
        var known = Set([ref])
        while let step = waiting.popLast() {
            let isRoot = step.parent == nil
            do throws(ProviderError) {
                let steps = try await visit(step).filter { known.insert($0.target.ref).inserted }
                waiting += steps.reversed()
            } catch {
                guard !isRoot, error.kind == .forbidden else { throw isRoot ? error : Self.unlisted(error, at: site) }
                // Of a course's groups one is in few.
                let isUsual = error.kind == .forbidden && ["grp", "crs"].contains(step.target.type)
                HostLog.write(
                    isUsual ? .debug : .warning, "left out \(step.titles.joined(separator: " / ")): \(error.message)")
            }
            guard known.count <= Self.folderBound else {
                throw ProviderError(
                    .invalidParameters, "there are more than \(Self.folderBound) objects in this one",
                    parameter: "course")
            }
        }
        for place in chapters.indices { pair(&chapters[place]) }
    }

    /// Reads what is on the page of one object, without those in it.
    mutating func read(only target: IliasTarget) async throws(ProviderError) {
        if target.type == "webr" {
            chapters.append(Chapter(id: "\(target.ref)", title: ""))
            try await addLinks(IliasPage.Item(target: target), to: 0)
        } else {
            _ = try await visit(Step(target: target, titles: []), isAlone: true)
        }
    }

    private mutating func visit(_ step: Step, isAlone: Bool = false) async throws(ProviderError) -> [Step] {
        let page = try await site.object(step.target, at: step.link)
        guard let own = page.target, let type = own.type, Self.folders.contains(type) else {
            if step.parent != nil {
                // A type that the list didn't tell.
                guard step.target.type == nil else { throw site.unknownAnswer }
                return []
            }
            throw ProviderError(
                .invalidParameters, "this is no course, group, category or folder", parameter: "course")
        }
        if step.parent == nil { title = page.title }
        let place = chapters.count
        chapters.append(Chapter(id: "\(own.ref)", title: step.titles.joined(separator: " / ")))
        switch type {
        case "xoct":
            for event in try await site.events(page) {
                add(Item(id: "xoct_\(own.ref)/\(event.id)", title: event.title, place: .event(event.player)), to: place)
            }
            return []
        case "mcst" where page.hasCast: try addCast(page, own, to: place)
        default: addEmbedded(page, own, to: place)
        }
        return isAlone ? [] : try await addObjects(page, own, step, to: place)
    }

    // MARK: - Objects

    private mutating func addObjects(
        _ page: IliasPage, _ own: IliasTarget, _ step: Step, to place: Int
    ) async throws(ProviderError) -> [Step] {
        let sessions = Set(page.items.filter { $0.target.type == "sess" }.map(\.target.ref))
        var groups: [Int64: Int] = [:]
        var steps: [Step] = []
        for item in page.items where !item.isReference && !sessions.contains(item.parent ?? 0) {
            // With an icon of its own an object may tell its type on its own page only.
            guard item.isLinked, let type = item.target.type ?? (item.isOfRepository ? "fold" : nil) else { continue }
            var (place, titles) = (place, step.titles)
            if let group = item.group {
                titles += [group.title]
                if groups[group.ref] == nil {
                    groups[group.ref] = chapters.count
                    chapters.append(Chapter(id: "\(group.ref)", title: titles.joined(separator: " / ")))
                }
                place = groups[group.ref] ?? place
            }
            switch type {
            case "file": addFile(item, to: place)
            case "webr": try await addLinks(item, to: place)
            case "crs" where own.type != "cat" && own.type != "root",
                "cat" where own.type != "cat" && own.type != "root":
                continue
            case _ where Self.folders.contains(type) && !item.showsSummary:
                let title = type == "sess" ? IliasDate.absolute(item.title, at: now) : item.title
                steps.append(
                    Step(target: item.target, link: item.address, titles: titles + [title], parent: own.type))
            default: continue
            }
        }
        return steps
    }

    private mutating func addFile(_ item: IliasPage.Item, to place: Int) {
        let end = item.property?.wholeMatch(of: /[A-Za-z0-9]{1,8}/).map { "." + $0.output.lowercased() } ?? ""
        let name = item.title.lowercased().hasSuffix(end) ? item.title : item.title + end
        guard media.includes(name) else {
            chapters[place].names.append((name, item.target.ref))
            return
        }
        add(
            Item(
                id: "file_\(item.target.ref)", title: MediaFiles.title(name),
                place: .file(ref: item.target.ref, isOpen: !item.showsSummary), name: name), to: place)
    }

    /// The links of a weblink, which its list doesn't show. One that leads nowhere any more has none.
    private mutating func addLinks(_ item: IliasPage.Item, to place: Int) async throws(ProviderError) {
        do throws(ProviderError) {
            let links = try await site.links(item.target, at: item.address)
            for link in links {
                let isNamed = links.count > 1 && !link.text.isEmpty && link.text != link.address.text
                addLink(
                    link.address, title: isNamed ? link.text : item.title, of: "webr_\(item.target.ref)", to: place)
            }
        } catch {
            guard error.kind == .forbidden else { throw Self.unlisted(error, at: site) }
            HostLog.write(.debug, "can't read a link: \(error.message)")
        }
    }

    /// ILIAS itself redirects where nothing is: 404 and 410 of what it lists come from what stands before it.
    private static func unlisted(_ error: ProviderError, at site: IliasSite) -> ProviderError {
        guard [.notFound, .gone].contains(error.kind) else { return error }
        return ProviderError(.unavailable, error.message, server: site.address.origin)
    }

    // MARK: - Media

    /// What the author of a page has put into it.
    private mutating func addEmbedded(_ page: IliasPage, _ own: IliasTarget, to place: Int) {
        guard let name = own.name else { return }
        // A video may be there in several formats.
        var found: [(address: WebAddress, title: String?)] = page.figures.compactMap { figure in
            (figure.sources.first { media.includes($0.lastName) } ?? figure.sources.first).map { ($0, figure.caption) }
        }
        let shown = Set(page.figures.flatMap(\.sources))
        for link in HTMLMedia.links(in: page.content) {
            guard let address = page.address.resolving(link.reference), !shown.contains(address) else { continue }
            let text = page.links.first { $0.address == address }?.text ?? ""
            found.append((address, text.isEmpty ? link.title : text))
        }
        let names = Dictionary(found.map { ($0.address.lastName, 1) }, uniquingKeysWith: +)
        for (address, title) in found {
            addLink(address, title: title, of: name, isAlone: names[address.lastName] == 1, to: place)
        }
        for file in page.files {
            // The size is behind the name.
            let title = file.text.replacing(/\s*\([\d.,]+\s*[A-Za-z]{1,5}\)$/, with: "")
            guard media.includes(title), let id = IliasTarget.query(of: file.address)["file_id"] else { continue }
            add(
                Item(
                    id: "\(name)/\(id)", title: MediaFiles.title(title),
                    place: .media(file.address, isSigned: false), name: title), to: place)
        }
    }

    /// A file that is played or linked, or a video on a host that another provider knows.
    ///
    /// - Parameter isAlone: whether nothing else on the page has a file of this name.
    private mutating func addLink(
        _ address: WebAddress, title: String?, of object: String, isAlone: Bool = true, to place: Int
    ) {
        let name = address.lastName
        if media.includes(name) {
            let path = address.path.firstMatch(of: /\/(mm_\d+\/.+)$/).map { String($0.output.1) }
            let end =
                path.flatMap { PercentEncoding.decoded($0) }
                ?? (site.isOwn(address)
                    ? name + (isAlone ? "" : "/\((title ?? "").prefix(200))") : "\(address.host)\(address.path)")
            // Since ILIAS 10 only name and caption are the same each time. A number alone would pass to the next one if
            // one is removed.
            let count = chapters[place].items.count {
                $0.id == "\(object)/\(end)" || $0.id.hasPrefix("\(object)/\(end)/")
            }
            add(
                Item(
                    id: count == 0 ? "\(object)/\(end)" : "\(object)/\(end)/\(count + 1)",
                    title: title ?? MediaFiles.title(name), place: .media(address, isSigned: Self.isSigned(address)),
                    name: name), to: place)
        } else if let other = HandOver(address) {
            let id = other.id ?? "\(object)/\(address.text.drop { $0 != "/" }.dropFirst(2))"
            add(Item(id: id, title: title ?? "", place: .elsewhere(other)), to: place)
        }
    }

    private static func isSigned(_ address: WebAddress) -> Bool {
        address.query?.contains("il_wac_token=") == true || address.path.contains("/deliver.php/")
    }

    private mutating func addCast(_ page: IliasPage, _ own: IliasTarget, to place: Int) throws(ProviderError) {
        guard let entries = page.cast else { throw site.unknownAnswer }
        for entry in entries {
            guard let id = entry["id"]?.string ?? entry["id"]?.wholeNumber.map({ "\($0)" }),
                let address = entry["resource"]?.string.flatMap({ page.address.resolving(HTMLStripper.unescaped($0)) })
            else { throw site.unknownAnswer }
            let title = entry["title"]?.string
            if let other = HandOver(address) {
                add(
                    Item(id: other.id ?? "mcst_\(own.ref)/\(id)", title: title ?? "", place: .elsewhere(other)),
                    to: place)
                continue
            }
            let kind = entry["mime"]?.string?.split(separator: "/")
            let end = MediaFiles.isMedia(address.lastName) ? nil : kind?.last.map { $0 == "mpeg" ? "mp3" : String($0) }
            let name = address.lastName + (end.map { ".\($0)" } ?? "")
            guard media.includes(name) else { continue }
            add(
                Item(
                    id: "mcst_\(own.ref)/\(id)", title: title ?? MediaFiles.title(name),
                    place: .media(address, isSigned: Self.isSigned(address)), name: name,
                    duration: entry["duration"]?.number.flatMap { $0 > 0 ? $0 : nil }), to: place)
        }
    }

    // MARK: - Results

    private mutating func add(_ item: Item, to place: Int) {
        if ids.insert(item.id).inserted { chapters[place].items.append(item) }
    }

    private func pair(_ chapter: inout Chapter) {
        for index in chapter.items.indices {
            guard case .file = chapter.items[index].place, let name = chapter.items[index].name else { continue }
            chapter.items[index].beside = chapter.names.filter { BesideVideos.belongs($0.name, to: name) }
        }
    }
}

/// The dates before the titles of sessions.
enum IliasDate {
    private static let months = [
        "en": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        "de": ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"],
    ]
    private static let days = [
        "Yesterday": ("en", -1), "Today": ("en", 0), "Tomorrow": ("en", 1), "Gestern": ("de", -1), "Heute": ("de", 0),
        "Morgen": ("de", 1),
    ]

    /// With the date in the place of a word like "Today": what has another title each day would be moved each day.
    ///
    /// Related: german_months of PFERD/crawl/ilias/kit_ilias_html.py of Garmelon/PFERD
    static func absolute(_ title: String, at now: Date) -> String {
        let word = title.prefix { $0.isLetter }
        guard let (language, offset) = days[String(word)] else { return title }
        let rest = title[word.endIndex...]
        guard rest.contains(/^(?:,|:|$| -)/), let names = months[language] else { return title }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = calendar.dateComponents([.year, .month, .day], from: now.addingTimeInterval(Double(offset) * 86_400))
        guard let number = day.day, let month = day.month, let year = day.year else { return title }
        return "\(number < 10 ? "0" : "")\(number). \(names[month - 1]) \(year)\(rest)"
    }
}
