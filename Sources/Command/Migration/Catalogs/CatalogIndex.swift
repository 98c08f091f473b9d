import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MigrationSources
import SyncFacts
import YAMLSource

/// Finds the video of a catalog that a record of another store is: by ids, by addresses and other values of its
/// parameters, by its SHA-256. A clue that several videos have is none.
struct CatalogIndex {
    /// What was found for a record.
    enum Finding: Equatable {
        case video(DownloadKey)
        case nothing
        /// Only clues that several videos have.
        case several
    }

    private enum Place {
        case one(DownloadKey)
        case several
    }

    private var keys: Set<DownloadKey> = []
    private var ids: [String: Place] = [:]
    private var values: [String: Place] = [:]
    private var digests: [Checksum: Place] = [:]

    init(_ catalog: Catalog) {
        keys.reserveCapacity(catalog.videoCount)
        ids.reserveCapacity(catalog.videoCount)
        for course in catalog.courses {
            for (chapter, videos) in [(nil, course.videos)] + course.chapters.map({ ($0 as Chapter?, $0.videos) }) {
                for video in videos { add(video, course, chapter) }
            }
        }
    }

    /// Whether the catalogs have this video.
    func contains(_ key: DownloadKey) -> Bool { keys.contains(key) }

    /// The video of a record.
    func find(_ record: SourceRecord) -> Finding {
        if let course = record.course, let video = record.video {
            let key = DownloadKey(course: course, video: video)
            if keys.contains(key) { return .video(key) }
        }
        let names = [record.video].compactMap(\.self) + record.names
        // The name of a file says nothing where the store knows the id.
        let known = record.video.map { [$0] } ?? names + names.compactMap(Self.stem)
        let clues: [[Place?]] = [
            known.map { ids[Identifier.normalized($0)] },
            (names + [record.url].compactMap(\.self)).flatMap(Self.forms).map { values[$0] },
            [record.file?.sha256.flatMap { digests[$0] }],
        ]
        var isShared = false
        for places in clues {
            for case let place? in places {
                switch place {
                case .one(let key): return .video(key)
                case .several: isShared = true
                }
            }
        }
        return isShared ? .several : .nothing
    }

    private mutating func add(_ video: Video, _ course: Course, _ chapter: Chapter?) {
        let key = DownloadKey(course: course.id, video: video.id)
        keys.insert(key)
        Self.add(key, video.id, to: &ids)
        if let sha256 = video.checksum { Self.add(key, sha256, to: &digests) }
        let parameters = video.settings.parameters
        for node in parameters.values {
            guard let text = node.string else { continue }
            var whole = text
            if text.contains("{") {
                var fields = ["id": video.writtenID, "course": course.writtenID, "chapter": chapter?.writtenID ?? ""]
                for (name, value) in parameters where value.string != text { fields[name] = value.string }
                whole = Self.filled(text, fields)
            }
            for form in Self.forms(whole) { Self.add(key, form, to: &values) }
        }
    }

    private static func add<Clue>(_ key: DownloadKey, _ clue: Clue, to places: inout [Clue: Place]) {
        switch places[clue] {
        case nil: places[clue] = .one(key)
        case .one(key), .several: break
        case .one: places[clue] = .several
        }
    }

    /// A template such as `https://h/{course}/{id}.mp4` with its names filled in.
    private static func filled(_ template: String, _ fields: [String: String]) -> String {
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            text += fields[String(rest[rest.index(after: open)..<close])] ?? ""
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// The forms under which a value is found: as it is, and for an address without percent-encoding, and then without
    /// its query, which often expires.
    private static func forms(_ text: String) -> [String] {
        guard text.utf8.count <= 8192 else { return [] }
        let head = text.prefix(8).lowercased()
        guard head.hasPrefix("http://") || head == "https://" else { return [text] }
        let whole = text.prefix { $0 != "#" }
        let start = whole.range(of: "://")?.upperBound ?? whole.startIndex
        let host = whole[start...].prefix { $0 != "/" && $0 != "?" }
        let path = whole[host.endIndex...]
        let address = whole[..<start].lowercased() + host.lowercased()
        let bare = path.prefix { $0 != "?" }
        let plain = [path, bare].map { address + (String($0).removingPercentEncoding ?? String($0)) }
        return plain[0] == plain[1] ? [plain[0]] : plain
    }

    /// The last component of a name without its ending; nil if that is the name itself.
    private static func stem(_ name: String) -> String? {
        guard name.utf8.count <= 4096 else { return nil }
        let last = name.split(separator: "/").last ?? ""
        let dot = last.lastIndex(of: ".") ?? last.endIndex
        let stem = dot == last.startIndex ? last : last[..<dot]
        return stem.isEmpty || stem == name ? nil : String(stem)
    }
}
