import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A video or sound of an account.
struct KalturaEntry: Sendable {
    /// Finds those that aren't ready, too; not those that are deleted (3), or that a moderator has blocked (6) or
    /// rejected (3).
    ///
    /// Related: alpha/lib/enums/entryStatus.php, entryModerationStatus.php
    static let filter: [String: JSONValue] = ["statusIn": "-2,-1,0,1,2,4,5,7", "moderationStatusNotIn": "3"]

    var id: String
    var name: String?
    var description: String?
    var duration: Double?
    var createdAt: Date?
    /// When it may be played; nil for always.
    var startsAt: Date?
    var endsAt: Date?
    var thumbnail: String?
    /// The entry of whose lecture it is another picture.
    var parent: String?
    private let status: String
    private let moderation: Int64?
    private let isMedia: Bool

    /// Nil for what isn't written as the server does: the type of a plugin's entry is a text.
    init?(_ entry: JSONValue) {
        let (type, media) = (entry["type"], entry["mediaType"]?.wholeNumber)
        guard let id = entry["id"]?.string, !id.isEmpty, type?.wholeNumber != nil || type?.string != nil,
            type?.wholeNumber != 1 || media != nil
        else { return nil }
        self.id = id
        name = entry["name"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        description = entry["description"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        duration = (entry["msDuration"]?.number.map { $0 / 1000 } ?? entry["duration"]?.number).flatMap {
            $0 > 0 ? $0 : nil
        }
        createdAt = Date(seconds: entry["createdAt"])
        startsAt = Date(seconds: entry["startDate"])
        endsAt = Date(seconds: entry["endDate"])
        thumbnail = entry["thumbnailUrl"]?.string.flatMap(WebAddress.init)?.text
        parent = entry["parentEntryId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        status = entry["status"]?.wholeNumber.map(String.init) ?? entry["status"]?.string ?? ""
        moderation = entry["moderationStatus"]?.wholeNumber
        isMedia = type?.wholeNumber == 1 && [1, 5].contains(media)
    }

    /// Whether a list has it as a video of its own.
    var isListed: Bool { isMedia && parent == nil }

    var listed: Listing.Video {
        Listing.Video(
            id: id, title: name, description: description, publishedAt: createdAt, duration: duration,
            cover: thumbnail, availableAt: startsAt)
    }

    /// The server leaves open which of two that were made in the same second comes first.
    func isOlder(than other: KalturaEntry) -> Bool {
        (createdAt ?? .distantPast, id) < (other.createdAt ?? .distantPast, other.id)
    }

    /// Why it can't be had; nil if it can.
    ///
    /// Related: alpha/lib/enums/entryStatus.php, entryModerationStatus.php
    func hindrance(at host: String, now: Date) -> ProviderError? {
        if let startsAt, startsAt > now { return ProviderError(.notReady, "\(host) has it from a later time on") }
        if let endsAt, endsAt < now { return ProviderError(.gone, "\(host) has it no longer") }
        return switch (status, moderation) {
        case ("5", _), ("2", 1): ProviderError(.notReady, "it waits for a moderator of \(host)")
        case ("6", _), ("2", 3): ProviderError(.forbidden, "a moderator of \(host) has blocked it")
        case ("2", _): isMedia ? nil : ProviderError(.notFound, "this entry of \(host) is no video and no sound")
        case ("-2", _), ("-1", _): ProviderError(.notReady, "\(host) couldn't convert it")
        case ("3", _): ProviderError(.gone, "\(host) has deleted it")
        default: ProviderError(.notReady, "\(host) is still working on it")
        }
    }
}

/// The files and streams of an entry.
struct KalturaMedia: Sendable, PrintsRedacted {
    struct Choice: Sendable {
        var address: WebAddress
        var kind = Resolution.Kind.file
        var fileExtension: String?
        var size: Int64?
    }

    /// `sources` of the entry's playback context.
    let sources: [JSONValue]
    let host: String

    /// The file of these qualities, else the stream.
    ///
    /// - Parameters:
    ///   - flavors: of the entry or of another picture of it.
    ///   - entry: the entry that they are of; the sources of another picture name the main one.
    func choice(_ flavors: [JSONValue], of entry: String, _ quality: [String]) throws(ProviderError) -> Choice {
        let open = sources.filter { ($0["drm"]?.list ?? []).isEmpty }
        if let (source, files) = files(flavors, in: open),
            let file = RenditionChoice.of(files, quality: quality),
            let address = Self.address(source, of: entry, flavors: file["id"]?.string ?? "")
        {
            let size = file["sizeInBytes"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil }
            let end = file["fileExt"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            return Choice(address: address, fileExtension: end, size: size)
        }
        if let stream = open.first(where: { $0["format"]?.string == "applehttp" }),
            let address = Self.address(stream, of: entry, flavors: nil)
        {
            return Choice(address: address, kind: .hls)
        }
        if sources.isEmpty || !open.isEmpty {
            throw ProviderError(.notReady, "\(host) has no file of it that can be downloaded yet")
        }
        throw ProviderError(.drm, "\(host) has this video encrypted only")
    }

    private func files(_ flavors: [JSONValue], in open: [JSONValue]) -> (JSONValue, [Rendition<JSONValue>])? {
        guard let source = open.first(where: { $0["format"]?.string == "url" }) else { return nil }
        let served = Set((source["flavorIds"]?.string ?? "").split(separator: ",").map(String.init))
        let files = flavors.filter {
            $0["status"]?.wholeNumber == 2 && served.contains($0["id"]?.string ?? "")
        }.map { flavor in
            let height = flavor["height"]?.wholeNumber.flatMap { Int(exactly: $0) } ?? 0
            return Rendition(
                media: flavor, height: height > 0 ? height : nil, bitrate: flavor["bitrate"]?.number,
                // Sound alone has neither width nor height.
                hasPicture: height > 0 || flavor["width"]?.wholeNumber ?? 0 > 0)
        }
        return files.isEmpty ? nil : (source, files)
    }

    /// The address of a source with another entry and other flavors in it: of several flavors the server takes the
    /// first, not the best.
    private static func address(_ source: JSONValue, of entry: String, flavors: String?) -> WebAddress? {
        guard let address = source["url"]?.string.flatMap(WebAddress.init) else { return nil }
        var names = address.path.split(separator: "/").map(String.init)
        func replace(_ name: String, _ value: String) {
            guard let place = names.firstIndex(of: name), place + 1 < names.count else { return }
            names[place + 1] = PercentEncoding.encoded(value)
        }
        replace("entryId", entry)
        if let flavors { replace("flavorIds", flavors) }
        return address.replacing(path: "/" + names.joined(separator: "/"))
    }
}
