extension SegmentIndex {
    /// Reads the cues of a WebM file, which begin its clusters. Related: RFC 9559 §5.1.5.
    ///
    /// - Parameters:
    ///   - cues: complete.
    ///   - offset: of the cues in the file.
    ///   - header: the beginning of the file, up to its first cluster or its cues.
    package static func read(
        cues: [UInt8], at offset: Int64, header: [UInt8]
    ) throws(SegmentIndexError) -> SegmentIndex {
        guard let file = header.withUnsafeBytes({ WebMHeader($0) }) else { throw .invalid }
        let points = cues.withUnsafeBytes { CuePoint.all(in: $0) }
        guard let points else { throw .missing }
        var index = SegmentIndex()
        for (number, point) in points.enumerated() {
            guard let start = file.place(point.position) else { throw .invalid }
            let isLast = number == points.count - 1
            let after = isLast ? nil : points[number + 1]
            // The cues may follow the clusters, or come before them.
            let end = after.flatMap { file.place($0.position) } ?? (offset > start ? offset : file.end)
            let begin = file.seconds(point.time)
            let seconds = (after.map { file.seconds($0.time) } ?? file.duration ?? begin) - begin
            guard let end, end > start, end <= PlaylistLimit.size, begin <= PlaylistLimit.seconds, seconds >= 0,
                seconds <= PlaylistLimit.seconds
            else { throw .invalid }
            index.entries.append(Entry(range: start..<end, start: begin, duration: seconds))
        }
        guard !index.entries.isEmpty else { throw .invalid }
        return index
    }
}

/// A moment, and the cluster that begins with it.
private struct CuePoint {
    var time: UInt64
    /// From the beginning of the segment's contents.
    var position: UInt64

    /// One for each cluster, in order; nil without cues.
    static func all(in bytes: UnsafeRawBufferPointer) -> [CuePoint]? {
        guard let cues = EBMLElements(bytes).first(WebM.cues), cues.isWhole else { return nil }
        var points: [CuePoint] = []
        for element in cues.elements where element.name == WebM.cuePoint {
            guard let time = element.elements.first(WebM.cueTime)?.number,
                let position = element.elements.first(WebM.cueTrackPositions)?
                    .elements.first(WebM.cueClusterPosition)?.number
            else { return nil }
            // A cluster may have several cues.
            if points.last?.position == position { continue }
            points.append(CuePoint(time: time, position: position))
        }
        return points
    }
}

/// What the beginning of a WebM file says of it.
private struct WebMHeader {
    /// The offset of the segment's contents in the file.
    private var start: Int64
    /// Nanoseconds per unit of time.
    private var scale: UInt64
    /// The end of the segment in the file; nil if unknown.
    var end: Int64?
    /// In seconds; nil if unknown.
    var duration: Double?

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let segment = EBMLElements(bytes).first(WebM.segment) else { return nil }
        start = Int64(segment.place)
        if let size = segment.size, size <= UInt64(PlaylistLimit.size) { end = start + Int64(size) }
        let info = segment.elements.first(WebM.info)
        let scale = info?.elements.first(WebM.timestampScale)?.number ?? WebM.defaultScale
        self.scale = scale
        duration = info?.elements.first(WebM.duration)?.decimal.map { $0 * Double(scale) / 1e9 }
    }

    func seconds(_ time: UInt64) -> Double { Double(time) * Double(scale) / 1e9 }

    /// A position as an offset in the file; nil beyond the limit.
    func place(_ position: UInt64) -> Int64? {
        position <= UInt64(PlaylistLimit.size) ? start + Int64(position) : nil
    }
}
