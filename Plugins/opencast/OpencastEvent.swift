import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event, as the search has it: its media package and what Dublin Core says of it.
struct OpencastEvent: Sendable {
    /// A file, or the master playlist of a picture in several sizes.
    struct Media: Sendable {
        var address: WebAddress
        var kind = Resolution.Kind.file
        var size: Int64?
        var checksums: Checksums?
        var mediaType: String?
        var hasSound = true
    }

    let id: String
    let title: String?
    let begins: Date?
    /// In seconds.
    let duration: Double?
    let seriesTitle: String?
    private let tracks: [JSONValue]
    private let attachments: [JSONValue]

    init?(_ entry: JSONValue) {
        guard let package = entry["mediapackage"], let id = Self.id(of: entry) else { return nil }
        self.id = id
        title = Self.text(entry["dc"]?["title"]?.list.first ?? package["title"] ?? entry["dcTitle"])
        seriesTitle = Self.text(package["seriestitle"])
        begins = (package["start"] ?? entry["dc"]?["created"]?.list.first)?.string.flatMap(WebDate.date)
        duration = package["duration"]?.number.flatMap { $0 > 0 ? $0 / 1000 : nil }
        tracks = package["media"]?["track"]?.list ?? []
        attachments = package["attachments"]?["attachment"]?.list ?? []
    }

    /// Whether it is on air, or will be.
    var isLive: Bool { tracks.contains { $0["live"] == .bool(true) } }

    /// The media of each role for these qualities: first the one that is the video's own.
    func views(_ quality: [String]) -> [(role: String, media: Media)] {
        var roles: [String] = []
        var (files, streams): ([String: [Rendition<Media>]], [String: Media]) = ([:], [:])
        for track in tracks {
            guard let role = Self.role(track), let rendition = Self.rendition(track) else { continue }
            if !roles.contains(role) { roles.append(role) }
            if rendition.media.kind == .file {
                files[role, default: []].append(rendition)
            } else {
                streams[role] = streams[role] ?? rendition.media
            }
        }
        let views = roles.compactMap { role in
            (RenditionChoice.of(files[role] ?? [], quality: quality) ?? streams[role]).map { (role: role, media: $0) }
        }
        let order = ["combined", "presenter", "presentation"]
        // Of two pictures often one only has the sound.
        return views.enumerated().sorted { one, other in
            func rank(_ view: (role: String, media: Media)) -> Int {
                (order.firstIndex(of: view.role) ?? order.count) + (view.media.hasSound ? 0 : 10)
            }
            return (rank(one.element), one.offset) < (rank(other.element), other.offset)
        }.map(\.element)
    }

    /// Captions are tracks, and attachments in older versions.
    var subtitles: [Resolution.Subtitle] {
        (tracks + attachments).compactMap { element in
            guard let flavor = element["type"]?.string, flavor.hasPrefix("captions/"),
                let url = element["url"]?.string
            else { return nil }
            let tag = Self.tags(element).first { $0.hasPrefix("lang:") }?.dropFirst(5)
            let end = flavor.firstIndex(of: "+").map { flavor[flavor.index(after: $0)...] }
            return .init(lang: (tag ?? end).map(String.init) ?? "und", url: url)
        }
    }

    /// The picture of the player, else of the search.
    var cover: String? {
        for kind in ["player+preview", "search+preview"] {
            let found = attachments.first { $0["type"]?.string?.hasSuffix("/" + kind) == true }
            if let url = found?["url"]?.string { return url }
        }
        return nil
    }

    /// The part of a flavor that says whose picture it is; nil for captions, and for what is no track of its own.
    private static func role(_ track: JSONValue) -> String? {
        guard track["live"] != .bool(true), let flavor = track["type"]?.string else { return nil }
        return switch flavor.prefix(while: { $0 != "/" }) {
        case "captions", "": nil
        case "composite", "composition", "multitrack": "combined"
        case let other: String(other)
        }
    }

    private static func rendition(_ track: JSONValue) -> Rendition<Media>? {
        guard let address = track["url"]?.string.flatMap(WebAddress.init) else { return nil }
        let isPlaylist = address.path.lowercased().hasSuffix(".m3u8")
        // Variants of a playlist, and the files that they are made of, are tracks, too.
        if isPlaylist ? track["master"] == .bool(false) : track["logicalname"] != nil { return nil }
        let mediaType = track["mimetype"]?.string
        let video = track["video"]?.list.first
        let lines = video?["resolution"]?.string?.split(separator: "x").last.flatMap { Int($0) }
        let digest = track["checksum"]?["$"]?.string
        return Rendition(
            media: Media(
                address: address, kind: isPlaylist ? .hls : .file,
                size: isPlaylist ? nil : track["size"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil },
                checksums: !isPlaylist && track["checksum"]?["type"]?.string == "md5" && digest?.count == 32
                    ? Checksums(md5: digest) : nil, mediaType: isPlaylist ? nil : mediaType,
                hasSound: isPlaylist || track["audio"] != nil || video == nil),
            height: lines, bitrate: video?["bitrate"]?.number.map { $0 / 1000 },
            hasPicture: isPlaylist || video != nil || mediaType?.hasPrefix("audio/") != true)
    }

    /// A text that looks like a number has become one in the package; in Dublin Core it stays a text.
    static func text(_ value: JSONValue?) -> String? {
        value?.string ?? value?.wholeNumber.map { "\($0)" } ?? value?.number.map { "\($0)" }
    }

    /// Of an event or a series.
    static func id(of entry: JSONValue) -> String? {
        text(entry["dc"]?["identifier"]?.list.first ?? entry["mediapackage"]?["id"] ?? entry["id"])
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func tags(_ element: JSONValue) -> [String] {
        (element["tags"]?["tag"]?.list ?? []).compactMap(\.string)
    }
}
