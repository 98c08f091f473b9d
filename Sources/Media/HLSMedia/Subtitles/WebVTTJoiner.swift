/// Makes one WebVTT file from the segments of a playlist of subtitles.
///
/// The file has one header; `STYLE`, `REGION` and `NOTE` blocks, each once, before all cues; and the cues by start,
/// moved to the time of the video, which begins at 0. A cue in several segments is written once.
///
/// The times of cues (RFC 8216 §3.5): `X-TIMESTAMP-MAP` maps them to times of the media, whose origin is the first time
/// of the video if known, else that of the first map: streams begin with a map to their own beginning. Without a map
/// the cues count from the beginning of the stream. Hosts whose segments each count from their own beginning are
/// detected by cues that end before their segment begins: if most segments that can show it have only such cues, all
/// cues without a map are moved to the start of their segment.
package struct WebVTTJoiner: Sendable {
    /// The limit on the text in bytes.
    package static let textBound = 8 << 20
    /// The limit on the number of cues.
    package static let cueBound = 100_000

    /// The number of invalid cues, other blocks and maps that were skipped, and of cues before the beginning.
    package private(set) var skippedCount = 0

    private struct Part {
        /// Counted from 0, including segments without cues.
        var number: Int
        /// In milliseconds.
        var start: Int64
        var map: TimestampMap?
        var cues: [WebVTTCue]
    }

    private let origin: Int64?
    private var parts: [Part] = []
    private var segmentCount = 0
    /// The first map, and the start of its segment in milliseconds.
    private var firstMap: (map: TimestampMap, start: Int64)?
    /// Whether all maps are equal.
    private var areMapsAlike = true
    private var blocks: [String] = []
    private var knownBlocks: Set<String> = []
    private var textLength = 0
    private var cueCount = 0

    /// - Parameter origin: the time of the media at the beginning of the video, in ticks of 90 kHz; nil if unknown.
    package init(origin: UInt64? = nil) {
        self.origin = origin.map { Int64($0 % UInt64(TimestampMap.period)) }
    }

    /// Adds the next segment, in the order of the playlist.
    ///
    /// Throws if it isn't WebVTT, or if there are more than 8 MiB or 100,000 cues in total; the segment is omitted
    /// then.
    /// - Parameter start: its start in the playlist.
    package mutating func add(_ bytes: UnsafeRawBufferPointer, start: Duration) throws(WebVTTError) {
        guard bytes.count <= Self.textBound - textLength else { throw .tooLarge }
        guard let segment = WebVTTSegment(bytes) else { throw .notWebVTT }
        guard segment.cues.count <= Self.cueBound - cueCount else { throw .tooLarge }
        textLength += bytes.count
        cueCount += segment.cues.count
        skippedCount += segment.malformedCount
        for block in segment.blocks where knownBlocks.insert(block).inserted { blocks.append(block) }
        // Bounded to 3000 years.
        let seconds = min(max(0, start.components.seconds), 100_000_000_000)
        let milliseconds = seconds * 1000 + max(0, start.components.attoseconds) / 1_000_000_000_000_000
        if let map = segment.map {
            areMapsAlike = areMapsAlike && map.media == (firstMap?.map.media ?? map.media)
            firstMap = firstMap ?? (map, milliseconds)
        }
        if !segment.cues.isEmpty {
            parts.append(Part(number: segmentCount, start: milliseconds, map: segment.map, cues: segment.cues))
        }
        segmentCount += 1
    }

    /// The same for bytes in an array.
    package mutating func add(_ bytes: [UInt8], start: Duration) throws(WebVTTError) {
        // A result, since an array's closure doesn't keep the type of its error.
        let taken = bytes.withUnsafeBytes { buffer in
            Result { () throws(WebVTTError) in try add(buffer, start: start) }
        }
        try taken.get()
    }

    /// The file with all segments. Called once, at the end.
    package mutating func joined() -> String {
        var text = "WEBVTT\n"
        for block in blocks { text += "\n" + block + "\n" }
        for cue in placedCues() { text += "\n" + cue.text }
        return text
    }

    private mutating func placedCues() -> [WebVTTCue] {
        let origin = origin ?? originOfMaps
        let isByPart = areCuesByPart
        var merger = CueMerger()
        for part in parts {
            let offset =
                if let map = part.map, let first = part.cues.first {
                    map.offset(origin: origin, cue: first.start, expected: part.start)
                } else {
                    isByPart ? part.start : 0
                }
            for cue in part.cues {
                if let moved = cue.moved(by: offset) {
                    merger.add(moved, segment: part.number)
                } else {
                    skippedCount += 1
                }
            }
        }
        return merger.ordered()
    }

    /// The time of the media at the beginning of the stream, from the first map. A map that is equal in all segments
    /// refers to that beginning, otherwise each refers to the beginning of its segment.
    private var originOfMaps: Int64 {
        guard let (map, start) = firstMap else { return 0 }
        return areMapsAlike ? map.media : map.media - start * 90 % TimestampMap.period
    }

    private var areCuesByPart: Bool {
        var balance = 0
        for part in parts where part.map == nil && part.start > 0 {
            balance += part.cues.allSatisfy { $0.end <= part.start } ? 1 : -1
        }
        return balance > 0
    }
}

/// The reason why a segment of subtitles was refused.
package enum WebVTTError: Error, Sendable, Equatable {
    /// It has no WebVTT signature.
    case notWebVTT
    /// The segments have more than ``WebVTTJoiner/textBound`` bytes or ``WebVTTJoiner/cueBound`` cues in total.
    case tooLarge
}
