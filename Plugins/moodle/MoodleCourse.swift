import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The videos of a course, as an answer of `core_course_get_contents` has them.
///
/// Related: course/externallib.php of Moodle
struct MoodleCourse {
    /// A video of the course.
    struct Item {
        var id: String
        var title: String
        /// Where it is; nil as long as the user may not see it.
        var address: WebAddress?
        var provider: HandOver?
        var name: String?
        var size: Int64?
        var modified: Date?
        /// Why it can't be had yet.
        var restriction: String?
        /// Files beside it that have its name.
        var beside: [(name: String, address: WebAddress)] = []
    }

    /// A section, or a folder in it.
    struct Chapter {
        var id: String
        var title: String
        var items: [Item] = []
    }

    let site: MoodleSite
    let media: MediaFiles
    /// The HTML of pages, by their modules' numbers.
    let pages: [Int: String]
    private(set) var chapters: [Chapter] = []
    /// Why an activity can't be opened yet; nil if all can be.
    private(set) var restriction: String?
    /// Sections that are inside of others, by their numbers.
    private var inner: [Int: JSONValue] = [:]

    init(
        _ sections: [JSONValue], at site: MoodleSite, _ media: MediaFiles, pages: [Int: String]
    ) throws(ProviderError) {
        (self.site, self.media, self.pages) = (site, media, pages)
        for section in sections where section["component"]?.string == "mod_subsection" {
            inner[try number(section)] = section
        }
        for section in sections where section["component"]?.string != "mod_subsection" {
            try add(section, beneath: [])
        }
    }

    var items: [Item] { chapters.flatMap(\.items) }

    private mutating func add(_ section: JSONValue, beneath titles: [String]) throws(ProviderError) {
        let id = try number(section)
        guard let modules = section["modules"]?.array else { throw site.unknownAnswer }
        let titles = titles + [Self.text(section["name"]) ?? "\(id)"]
        let place = chapters.count
        chapters.append(Chapter(id: "\(id)", title: titles.joined(separator: " / ")))
        chapters[place].items += embedded(section["summary"], id: "section \(id)", title: titles.last ?? "")
        for module in modules {
            let number = try number(module)
            guard let kind = module["modname"]?.string else { throw site.unknownAnswer }
            if module["uservisible"] == .bool(false) { restriction = restriction ?? Self.restriction(module) }
            switch kind {
            case "subsection":
                if let section = Self.section(module).flatMap({ inner.removeValue(forKey: $0) }) {
                    try add(section, beneath: titles)
                }
            case "folder": try addFolder(module, number, beneath: titles)
            default: chapters[place].items += try items(of: module, number)
            }
        }
    }

    private func items(of module: JSONValue, _ number: Int) throws(ProviderError) -> [Item] {
        let title = Self.text(module["name"]) ?? "\(number)"
        guard module["uservisible"] != .bool(false) else { return restricted(module, number, title) }
        let files = try files(module)
        switch module["modname"]?.string {
        case "resource":
            // The first file is the one that the module shows, the others are what it needs.
            let chosen = files.filter { media.includes($0.name) }
            return chosen.enumerated().map { place, file in
                var item = item(of: file, among: files, id: place == 0 ? "\(number)" : "\(number)/\(file.path)")
                if place == 0 { item.title = title }
                return item
            }
        case "url":
            return files.compactMap { file in link(file.address, id: "\(number)", title: title) }.prefix(1).map(\.self)
        default:
            let html = [module["description"]?.string, pages[number]].compactMap(\.self).joined(separator: "\n")
            var items = embedded(.string(html), id: "\(number)", title: title)
            let known = Set(items.compactMap(\.address?.path))
            items += files.filter { media.includes($0.name) && !known.contains($0.address.path) }.map {
                item(of: $0, among: files, id: "\(number)/\($0.path)")
            }
            return items
        }
    }

    private mutating func addFolder(
        _ module: JSONValue, _ number: Int, beneath titles: [String]
    ) throws(ProviderError) {
        guard module["uservisible"] != .bool(false) else { return }
        let files = try files(module)
        let root = titles + [Self.text(module["name"]) ?? "\(number)"]
        var places: [String: Int] = [:]
        let ordered = files.map { (file: $0, order: $0.path.split(separator: "/").map { NaturalOrder(String($0)) }) }
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.file)
        for file in ordered where media.includes(file.name) {
            let folder = file.path.split(separator: "/").dropLast().map(String.init)
            let key = folder.joined(separator: "/")
            let place = places[key] ?? chapters.count
            if places[key] == nil {
                places[key] = place
                let id = ([String(number)] + folder).joined(separator: "/")
                chapters.append(Chapter(id: "folder \(id)", title: (root + folder).joined(separator: " / ")))
            }
            chapters[place].items.append(item(of: file, among: files, id: "\(number)/\(file.path)"))
        }
    }

    /// A module that the user can't open yet. Its icon tells what kind of file is in it.
    private func restricted(_ module: JSONValue, _ number: Int, _ title: String) -> [Item] {
        guard module["modname"]?.string == "resource",
            module["modicon"]?.string?.contains(/\/f\/(?:video|audio|mpeg|avi|quicktime|wmv|flash|mp3|wav|mov)\b/)
                == true
        else { return [] }
        var item = Item(id: "\(number)", title: title)
        item.restriction = Self.restriction(module)
        return [item]
    }

    private static func restriction(_ module: JSONValue) -> String {
        module["availabilityinfo"]?.string.map { HTMLStripper.text(of: $0, bound: 300) } ?? "restricted"
    }

    // MARK: - Files

    private struct File {
        /// From the module's own folder down.
        var path: String
        var name: String
        var address: WebAddress
        var size: Int64?
        var modified: Date?
    }

    private func files(_ module: JSONValue) throws(ProviderError) -> [File] {
        let contents = module["contents"]?.array ?? []
        let files = contents.compactMap { content -> File? in
            guard let name = content["filename"]?.string, let text = content["fileurl"]?.string,
                let address = WebAddress(text)
            else { return nil }
            let folder = (content["filepath"]?.string ?? "/").split(separator: "/").map(String.init)
            return File(
                path: (folder + [name]).joined(separator: "/"), name: name, address: address,
                size: content["filesize"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil },
                modified: Date(seconds: content["timemodified"]))
        }
        // All that these two have are files; others may have none, and parts without an address.
        if ["resource", "folder"].contains(module["modname"]?.string) {
            guard module["contents"]?.array != nil, files.count == contents.count else { throw site.unknownAnswer }
        }
        return files
    }

    private func item(of file: File, among files: [File], id: String) -> Item {
        var item = Item(id: id, title: MediaFiles.title(file.name), address: file.address, name: file.name)
        (item.size, item.modified) = (file.size, file.modified)
        let folder = file.path.dropLast(file.name.count)
        item.beside = files.filter {
            $0.path.dropLast($0.name.count) == folder && BesideVideos.belongs($0.name, to: file.name)
                && !media.includes($0.name)
        }.map { ($0.name, $0.address) }
        return item
    }

    // MARK: - Links

    /// What a piece of HTML plays and links to.
    private func embedded(_ html: JSONValue?, id: String, title: String) -> [Item] {
        guard let html = html?.string, !html.isEmpty else { return [] }
        var ids: Set<String> = []
        return HTMLMedia.references(in: html).compactMap { reference in
            guard let found = site.address.resolving(reference) else { return nil }
            let address = site.own(found)
            let place = site.has(address) ? address.lastName : "\(address.text.drop { $0 != "/" }.dropFirst(2))"
            var item = link(address, id: "\(id)/\(place)", title: title)
            if let name = item?.name { item?.title = MediaFiles.title(name) }
            return item.flatMap { ids.insert($0.id).inserted ? $0 : nil }
        }
    }

    /// Nil for a link to what is neither a file that counts as a video nor a video on a host that a provider knows.
    private func link(_ address: WebAddress, id: String, title: String) -> Item? {
        let name = address.lastName
        if media.includes(name) { return Item(id: id, title: title, address: address, name: name) }
        return HandOver(address).map { Item(id: $0.id ?? id, title: title, provider: $0) }
    }

    // MARK: - Values

    /// The number of a section or a module.
    private func number(_ entry: JSONValue) throws(ProviderError) -> Int {
        guard let number = Self.number(entry["id"]) else { throw site.unknownAnswer }
        return number
    }

    private static func number(_ value: JSONValue?) -> Int? {
        value?.wholeNumber.flatMap { Int(exactly: $0) }
    }

    /// Without the tags and entities that Moodle's filters write.
    private static func text(_ value: JSONValue?) -> String? {
        value?.string.map { HTMLStripper.text(of: $0, bound: 1000) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The number of the section that a module shows, in the JSON of its `customdata`.
    private static func section(_ module: JSONValue) -> Int? {
        guard let text = module["customdata"]?.string, let data = try? JSONReader.value(of: Array(text.utf8)) else {
            return nil
        }
        return number(data["sectionid"])
    }
}
