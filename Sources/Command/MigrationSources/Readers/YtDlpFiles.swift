/// The files beneath a folder of yt-dlp's, by what they are.
struct YtDlpFiles {
    private static let infoEnding = ".info.json"

    /// Everything of one name, whatever its endings.
    struct Group {
        /// The path of the `.info.json`.
        var info: String?
        /// The paths of complete media; the best one first.
        var media: [String] = []
        /// The paths of media that end in `.part`.
        var partials: [String] = []
    }

    /// By the path without endings.
    private(set) var groups: [String: Group] = [:]
    /// Those of ``groups``, in order.
    private(set) var stems: [String] = []
    init(_ place: SourceFolder) throws {
        var pieces: [(path: String, stem: String)] = []
        try place.walk { path in
            if path.hasSuffix(".ytdl") || MediaFileName.last(path).contains(".part-Frag") { return }
            if path.hasSuffix(Self.infoEnding) {
                let stem = String(path.dropLast(Self.infoEnding.utf8.count))
                return edit(stem) { $0.info = path }
            }
            let isPartial = path.hasSuffix(".part")
            let name = isPartial ? String(path.dropLast(5)) : path
            guard MediaFileName.rank(name) != nil, let (stem, _) = MediaFileName.split(name) else { return }
            if Self.withoutFormat(stem) != nil { return pieces.append((path, stem)) }
            add(path, stem, isPartial)
        }
        for (path, stem) in pieces {
            // Sound or picture by itself: its video isn't put together. A word that isn't surely a format's only counts
            // beside the video.
            guard let (whole, isSure) = Self.withoutFormat(stem) else { continue }
            if isSure {
                edit(whole) { _ in }
            } else if groups[whole] == nil {
                add(path, stem, path.hasSuffix(".part"))
            }
        }
        stems.sort()
    }

    private mutating func add(_ path: String, _ stem: String, _ isPartial: Bool) {
        edit(stem) { group in
            if isPartial { return group.partials.append(path) }
            let rank = MediaFileName.rank(path) ?? .max
            let place = group.media.firstIndex { (MediaFileName.rank($0) ?? .max) > rank } ?? group.media.count
            group.media.insert(path, at: place)
        }
    }

    private mutating func edit(_ stem: String, _ change: (inout Group) -> Void) {
        if groups[stem] == nil { stems.append(stem) }
        change(&groups[stem, default: Group()])
    }

    /// `a` of `a.f137` and `a.temp`, which are surely pieces, and of `a.fhls-1`, which may be; nil for other names.
    private static func withoutFormat(_ stem: String) -> (whole: String, isSure: Bool)? {
        guard let (whole, format) = MediaFileName.split(stem) else { return nil }
        if format == "temp" { return (whole, true) }
        guard format.hasPrefix("f"), format.utf8.count > 1 else { return nil }
        let isWord = format.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D
        }
        return isWord ? (whole, format.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }) : nil
    }

    /// The id at the end of a name that yt-dlp made: `title [id]`.
    static func id(inName stem: String) -> String? {
        let name = MediaFileName.last(stem)
        guard name.hasSuffix("]"), let begin = name.lastIndex(of: "[") else { return nil }
        let id = name[name.index(after: begin)...].dropLast()
        return id.isEmpty ? nil : String(id)
    }
}
