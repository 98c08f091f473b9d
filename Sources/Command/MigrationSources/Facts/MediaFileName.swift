/// Which file names are those of media, by their endings.
package enum MediaFileName {
    /// The better choice first, where a store has several files of one name.
    private static let ordered = [
        "mp4", "mkv", "webm", "m4v", "mov", "ts", "avi", "flv", "mpg", "mpeg", "wmv", "3gp", "ogv", "m4a", "mp3",
        "opus",
        "ogg", "aac", "flac", "wav", "wma", "mka",
    ]
    private static let ranks = Dictionary(
        ordered.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    /// How good a choice the file is, from 0; nil if it has no ending of media.
    package static func rank(_ name: String) -> Int? { split(name).flatMap { ranks[$0.ending.lowercased()] } }

    /// A name or path, and the ending after its last dot; nil if it has none.
    package static func split(_ name: String) -> (stem: String, ending: String)? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let (stem, ending) = (name[..<dot], name[name.utf8.index(after: dot)...])
        guard !stem.isEmpty, stem.utf8.last != UInt8(ascii: "/"), !ending.isEmpty,
            !ending.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        return (String(stem), String(ending))
    }

    /// A path without its last component, with its slash; empty if it has only one.
    package static func folder(_ path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }

    /// The last component of a path.
    package static func last(_ path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }
}
