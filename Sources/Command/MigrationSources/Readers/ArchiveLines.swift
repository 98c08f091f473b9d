/// The lines of a `--download-archive`: an extractor's name and an id each.
struct ArchiveLines {
    /// Without doubles, in their order, each with its number.
    private var lines: [(number: Int, text: String)] = []
    private var places: [String: Int] = [:]
    private var ids: [String: Int] = [:]
    private var isUsed: [Bool] = []
    /// The lines that can't be read.
    private(set) var faults: [(number: Int, fault: FormatFault)] = []

    /// Reads a file; there are no lines without one.
    init(_ place: SourceFolder, _ path: String?) throws {
        guard let path else { return }
        var all = TextLines()
        try place.forEachPiece(of: path) { piece in
            try all.feed(piece) { add($0) }
            return true
        }
        try all.finish { add($0) }
        isUsed = Array(repeating: false, count: lines.count)
    }

    /// Whether there is this line.
    mutating func use(_ line: String) -> Bool {
        guard let place = places[line] else { return false }
        isUsed[place] = true
        return true
    }

    /// The first line with an id, of whatever extractor.
    mutating func use(id: String) -> String? {
        guard let place = ids[id] else { return nil }
        isUsed[place] = true
        return lines[place].text
    }

    /// Those that weren't used so far.
    var unused: [(number: Int, text: String)] { zip(lines, isUsed).filter { !$0.1 }.map(\.0) }

    private mutating func add(_ line: TextLines.Line) {
        if let fault = line.fault { return faults.append((line.number, fault)) }
        let text = line.text.trimmed
        guard !text.isEmpty, !text.hasPrefix("#"), places[text] == nil else { return }
        // A line without an id can't be one of an archive.
        guard let id = Self.id(of: text) else { return faults.append((line.number, .line(line.number))) }
        places[text] = lines.count
        if ids[id] == nil { ids[id] = lines.count }
        lines.append((line.number, text))
    }

    /// What follows the extractor.
    static func id(of line: String) -> String? {
        guard let blank = line.utf8.firstIndex(of: 0x20) else { return nil }
        let id = line[line.utf8.index(after: blank)...]
        return id.isEmpty ? nil : String(id)
    }
}
