/// What a segment of WebVTT has in it. Reading never fails but for a missing signature: what can't be read is passed over
/// and counted, as players do. Related: WebVTT §6.1, §6.2.
struct WebVTTSegment: Sendable, Equatable {
    /// A block of more lines is several.
    private static let lineBound = 100_000

    /// `STYLE`, `REGION` and `NOTE` with their lines, without an empty line at the end.
    var blocks: [String] = []
    var cues: [WebVTTCue] = []
    var map: TimestampMap?
    /// Cues and other blocks that can't be read.
    var malformedCount = 0

    /// Nil if the text doesn't begin as WebVTT does. A text without anything in it is a segment without cues, as some hosts
    /// have it.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let body = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        guard body.contains(where: { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }) else { return }
        var lines = WebVTTLines(body)
        guard let signature = lines.next(), signature.hasPrefix("WEBVTT"),
            signature.utf8.dropFirst(6).first.map({ $0 == 0x20 || $0 == 0x09 }) ?? true
        else { return nil }
        // Lines of the header go to the next empty one, but a cue may follow at once.
        var line = lines.next()
        while let header = line, !header.isEmpty, !Self.hasArrow(header) {
            readMap(header)
            line = lines.next()
        }
        var block: [Substring] = []
        while let found = line {
            if !found.isEmpty, block.count < Self.lineBound {
                block.append(found)
            } else {
                if !block.isEmpty { read(block[...]) }
                // What is left of a block without an end can't be read.
                if !found.isEmpty { malformedCount += 1 }
                block.removeAll(keepingCapacity: true)
            }
            line = lines.next()
        }
        if !block.isEmpty { read(block[...]) }
    }

    private mutating func readMap(_ line: Substring) {
        guard TimestampMap.isMap(line) else { return }
        let found = TimestampMap(line: line)
        if found == nil { malformedCount += 1 }
        map = map ?? found
    }

    private mutating func read(_ block: ArraySlice<Substring>) {
        guard let first = block.first else { return }
        let word = first.prefix { $0 != " " && $0 != "\t" }
        let isAlone = first.dropFirst(word.count).allSatisfy { $0 == " " || $0 == "\t" }
        if !Self.hasArrow(first), word == "NOTE" || ((word == "STYLE" || word == "REGION") && isAlone) {
            blocks.append(block.joined(separator: "\n"))
        } else if TimestampMap.isMap(first) {
            // Behind an empty line, where it doesn't belong.
            block.forEach { readMap($0) }
        } else {
            readCues(block)
        }
    }

    /// A cue, or several that no empty line divides.
    private mutating func readCues(_ block: ArraySlice<Substring>) {
        let arrows = block.indices.filter { Self.hasArrow(block[$0]) }
        guard let first = arrows.first, first <= block.startIndex + 1 else {
            malformedCount += 1
            return
        }
        for (number, arrow) in arrows.enumerated() {
            guard var cue = WebVTTCue(timing: block[arrow]) else {
                malformedCount += 1
                continue
            }
            if number == 0, arrow > block.startIndex { cue.identifier = String(block[block.startIndex]) }
            let end = number + 1 < arrows.count ? arrows[number + 1] : block.endIndex
            cue.payload = block[(arrow + 1)..<end].joined(separator: "\n")
            cues.append(cue)
        }
    }

    private static func hasArrow(_ line: Substring) -> Bool { line.utf8.contains("-->".utf8) }
}
