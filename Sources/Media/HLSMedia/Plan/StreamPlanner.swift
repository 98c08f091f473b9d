import MediaTransfer

/// Turns the segments of a playlist into those of a plan, in order.
struct StreamPlanner: RedactedInPrint {
    private let playlist: MediaPlaylist
    private let base: ParsedURL
    /// The remaining bytes for addresses.
    private(set) var budget: Int
    /// The previous segment's keys, and their meaning.
    private var keys: ([PlaylistKey], SegmentKeys) = ([], .clear)
    /// Addresses of keys by their URIs.
    private var keyURLs: [String: String] = [:]
    /// In the order of their first use.
    private var keyNumbers: [String: Int] = [:]
    /// By index in the playlist.
    private var mapIndexes: [Int: Int] = [:]
    private var known: [MapIdentity: Int] = [:]

    private(set) var segments: [PlannedSegment] = []
    private(set) var maps: [PlannedMap] = []
    /// For each of ``maps`` the index of its first occurrence in the playlist.
    private(set) var mapSources: [Int] = []

    private struct MapIdentity: Hashable, RedactedInPrint {
        let url: String
        let range: Range<Int64>?
        let key: String?
        let iv: [UInt8]?
    }

    init(_ playlist: MediaPlaylist, base: ParsedURL, addressLimit: Int = StreamPlan.addressLimit) {
        budget = addressLimit
        self.playlist = playlist
        self.base = base
        segments.reserveCapacity(playlist.segments.count)
    }

    /// The number of other keys used before the one at this address.
    func keyNumber(_ url: String) -> Int? { keyNumbers[url] }

    mutating func take(_ segment: MediaSegment) throws(StreamRefusal) {
        let url = try address(segment.uri, line: segment.line)
        let map = try segment.map.map { index throws(StreamRefusal) in try mapIndex(index) }
        segments.append(
            PlannedSegment(
                url: url, range: segment.byteRange, duration: segment.duration, sequence: segment.sequence,
                key: try key(segment.keys, sequence: segment.sequence, line: segment.line), map: map,
                isGap: segment.isGap, startsDiscontinuity: segment.isDiscontinuity))
    }

    private mutating func mapIndex(_ index: Int) throws(StreamRefusal) -> Int {
        if let known = mapIndexes[index] { return known }
        let map = playlist.maps[index]
        let planned = PlannedMap(
            url: try address(map.uri, line: map.line), range: map.byteRange,
            key: try key(map.keys, sequence: map.sequence, line: map.line))
        let identity = MapIdentity(
            url: planned.url, range: planned.range, key: planned.key?.url, iv: planned.key?.iv)
        let result: Int
        if let place = known[identity] {
            result = place
        } else {
            result = maps.count
            maps.append(planned)
            mapSources.append(index)
            known[identity] = result
        }
        mapIndexes[index] = result
        return result
    }

    private mutating func key(
        _ given: [PlaylistKey], sequence: Int64, line: Int
    ) throws(StreamRefusal) -> PlannedKey? {
        if keys.0 != given { keys = (given, try SegmentKeys(given)) }
        guard case .aes128(let uri, let iv) = keys.1 else { return nil }
        let url: String
        if let known = keyURLs[uri] {
            url = known
        } else {
            url = try address(uri, line: line)
            if keyNumbers[url] == nil { keyNumbers[url] = keyNumbers.count }
            keyURLs[uri] = url
        }
        return PlannedKey(url: url, iv: iv ?? Self.initializationVector(sequence))
    }

    /// The number as 16 bytes, big-endian (RFC 8216 §5.2).
    private static func initializationVector(_ sequence: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: 8)
            + (0..<8).reversed().map { UInt8(truncatingIfNeeded: sequence >> ($0 * 8)) }
    }

    private mutating func address(_ uri: String, line: Int) throws(StreamRefusal) -> String {
        guard let url = URLReference.resolve(uri, against: base) else {
            throw .unsupported(reason: "an address that is neither http nor https, for line \(line) of the playlist")
        }
        budget -= url.utf8.count
        guard budget >= 0 else { throw .unsupported(reason: "the addresses of the segments take too much memory") }
        return url
    }
}
