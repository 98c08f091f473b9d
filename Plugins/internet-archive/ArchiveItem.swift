import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An item of the archive: a folder of files, some uploaded, some derived from them.
///
/// Related: https://archive.org/developers/md-record.html
struct ArchiveItem: Sendable {
    struct File: Sendable {
        var name: String
        var format: String
        /// Whether somebody uploaded it: the others were derived from one.
        var isOriginal: Bool
        /// Whether only those may have it whom the archive allows it.
        var isPrivate: Bool
        var title: String?
        var size: Int64?
        var duration: Double?
        var height: Int?
        var checksums: Checksums?
        /// The name of the file that it was derived from.
        var parent: String?

        init?(_ file: JSONValue) {
            guard let name = file["name"]?.string, !name.isEmpty else { return nil }
            self.name = name
            format = file["format"]?.string ?? ""
            isOriginal = file["source"]?.string == "original"
            isPrivate = file["private"]?.string == "true" || file["private"] == .bool(true)
            title = file["title"]?.list.first?.string.flatMap { $0.isEmpty ? nil : $0 }
            size = file["size"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil }
            duration = file["length"].flatMap(ArchiveItem.seconds)
            height = file["height"]?.wholeNumber.flatMap { Int(exactly: $0) }
            let (md5, sha1) = (file["md5"]?.string, file["sha1"]?.string)
            if md5 != nil || sha1 != nil { checksums = Checksums(md5: md5, sha1: sha1) }
            parent = file["original"]?.list.first?.string
        }

        /// Files that the archive itself keeps in each item.
        var isOfArchive: Bool {
            ["Metadata", "Archive BitTorrent", "Item Tile", "Item Image", "JPEG Thumb"].contains(format)
        }
    }

    /// What was recorded once, in the forms in which the item has it.
    struct Recording: Sendable {
        /// The name of the file that was uploaded, or was: the others come from it.
        var name: String
        /// In the item's order, at least one.
        var media: [File]
        /// Subtitles, pictures and so on that were made from it.
        var derived: [File]
    }

    var id: String
    var title: String?
    var publishedAt: Date?
    var isCollection: Bool
    /// In natural order of their names; what is in no folder is first.
    var recordings: [Recording]
    /// Whether files were uploaded.
    var isReady: Bool
    /// The names of its files, without those that are private.
    var names: [String]
    /// The machines that have its files.
    var machines: [String]

    /// - Parameter answer: of the archive, with `metadata` and `files`.
    init(_ id: String, _ answer: JSONValue) {
        self.id = id
        let metadata = answer["metadata"]
        title = metadata?["title"]?.list.first?.string.flatMap { $0.isEmpty ? nil : $0 }
        publishedAt = (metadata?["publicdate"] ?? metadata?["addeddate"])?.list.first?.string.flatMap(WebDate.date)
        isCollection = metadata?["mediatype"]?.list.first?.string == "collection"
        let files = (answer["files"]?.array ?? []).compactMap(File.init)
        isReady = files.contains { !$0.isOfArchive }
        names = files.filter { !$0.isPrivate && !$0.isOfArchive }.map(\.name)
        recordings = Self.recordings(files)
        machines =
            ["server", "d1", "d2"].compactMap { answer[$0]?.string }
            + (answer["workable_servers"]?.list ?? []).compactMap(\.string)
    }

    private static func recordings(_ files: [File]) -> [Recording] {
        let byName = files.reduce(into: [String: File]()) { $0[$1.name] = $1 }
        var found: [String: Recording] = [:]
        for file in files {
            let name = root(of: file, in: byName)
            if MediaFiles.isMedia(file.name) {
                found[name, default: Recording(name: name, media: [], derived: [])].media.append(file)
            } else if name != file.name {
                found[name, default: Recording(name: name, media: [], derived: [])].derived.append(file)
            }
        }
        return found.values.filter { !$0.media.isEmpty }.map { recording in
            (recording: recording, folder: recording.folder.map(NaturalOrder.init), name: NaturalOrder(recording.name))
        }.sorted { one, other in
            one.folder == other.folder
                ? one.name < other.name : one.folder.lexicographicallyPrecedes(other.folder)
        }.map(\.recording)
    }

    /// The name of what a file comes from in the end.
    private static func root(of file: File, in files: [String: File]) -> String {
        var (file, steps) = (file, 0)
        while let parent = file.parent, parent != file.name, steps < 16 {
            guard let next = files[parent] else { return parent }
            (file, steps) = (next, steps + 1)
        }
        return file.name
    }

    /// A length as the archive has it: `62.04`, `01:02`, `1:01:02`.
    static func seconds(_ length: JSONValue) -> Double? {
        if let seconds = length.number { return seconds > 0 ? seconds : nil }
        let parts = (length.string ?? "").split(separator: ":").map { JSONValue.string(String($0)).number ?? -1 }
        guard (2...3).contains(parts.count), parts.allSatisfy({ (0..<100_000).contains($0) }) else { return nil }
        let seconds = parts.reduce(0) { $0 * 60 + $1 }
        return seconds > 0 ? seconds : nil
    }
}

extension ArchiveItem.Recording {
    private static let sounds: Set<String> = [
        "aac", "aif", "aiff", "flac", "m4a", "m4b", "mka", "mp3", "oga", "ogg", "opus", "wav", "wma",
    ]

    /// The names of the folders that it is in.
    var folder: [String] { name.split(separator: "/").dropLast().map(String.init) }

    var title: String? { media.lazy.compactMap(\.title).first }

    var duration: Double? { media.lazy.compactMap(\.duration).first }

    /// A picture of its middle: the first one is often black.
    var picture: ArchiveItem.File? {
        let pictures = derived.filter { $0.format == "Thumbnail" && !$0.isPrivate }
        return pictures.isEmpty ? nil : pictures[pictures.count / 2]
    }

    /// Its files that everybody may have; without any, those that some may have.
    var candidates: [ArchiveItem.File] {
        let free = media.filter { !$0.isPrivate }
        return free.isEmpty ? media : free
    }

    /// Its file for these qualities. The best is what was uploaded, whatever the archive knows of its height.
    func file(_ quality: [String]) -> ArchiveItem.File? {
        let candidates = candidates
        if ["best", nil].contains(quality.first), let original = candidates.first(where: \.isOriginal) {
            return original
        }
        return RenditionChoice.of(
            candidates.map { file in
                let end = MediaFiles.fileExtension(file.name)
                return Rendition(
                    media: file, height: file.height.flatMap { $0 > 0 ? $0 : nil },
                    bitrate: file.size.flatMap { size in (file.duration ?? duration).map { Double(size) / 125 / $0 } },
                    hasPicture: !Self.sounds.contains(end ?? ""))
            }, quality: quality)
    }
}
