/// The contents of a WebVTT segment. Only a missing signature is an error: other invalid parts are skipped and counted,
/// as in players. Related: WebVTT §6.1, §6.2.
struct WebVTTSegment: Sendable, Equatable {
    /// A longer block is split.
    private static let lineBound = 100_000

    /// `STYLE`, `REGION` and `NOTE` with their lines, without an empty line at the end.
    var blocks: [String] = []
    var cues: [WebVTTCue] = []
    var map: TimestampMap?
    /// The number of invalid cues and other blocks.
    var malformedCount = 0

    /// Nil without a WebVTT signature. An empty text is a segment without cues, as sent by some hosts.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let body = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        guard body.contains(where: { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }) else { return }
        var lines = WebVTTLines(body)
        guard let signature = lines.next(), signature.hasPrefix("WEBVTT"),
            signature.utf8.dropFirst(6).first.map({ $0 == 0x20 || $0 == 0x09 }) ?? true
        else { return nil }
        // The header extends to the next empty line, but a cue may follow at once.
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
                // The rest of an unterminated block is invalid.
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
            // After an empty line, where it isn't allowed.
            block.forEach { readMap($0) }
        } else {
            readCues(block)
        }
    }

    /// A cue, or several without empty lines between them.
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
