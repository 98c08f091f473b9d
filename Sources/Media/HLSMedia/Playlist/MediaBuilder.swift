import MediaTransfer

/// Puts a ``MediaPlaylist`` together.
struct MediaBuilder: RedactedInPrint {
    /// A byte range from its tag, until the URI is known.
    private struct PendingRange {
        let length: Int64
        let offset: Int64?
        let error: PlaylistError
    }

    private var playlist = MediaPlaylist()
    /// Whether there was any tag of a media playlist.
    private(set) var isMedia = false
    private var keys: [PlaylistKey] = []
    private var keyChanges = 0
    private var duration: (seconds: Double, error: PlaylistError)?
    private var range: PendingRange?
    private var isGap = false
    private var isDiscontinuity = false
    private var date: String?

    mutating func takePlaylistTag(_ name: String, _ line: PlaylistLine, _ value: Range<Int>) throws(PlaylistError) {
        isMedia = true
        switch name {
        case "EXT-X-TARGETDURATION":
            guard let seconds = line.decimal(value), seconds <= PlaylistLimit.seconds else {
                throw line.error("the target duration isn't a number of seconds", at: value.lowerBound)
            }
            playlist.targetDuration = Int64(seconds.rounded(.up))
        case "EXT-X-MEDIA-SEQUENCE":
            guard let number = line.integer(value) else {
                throw line.error("the media sequence isn't a whole number below 2^62", at: value.lowerBound)
            }
            // Earlier segments would have had other numbers, and so other IVs.
            guard playlist.segments.isEmpty else { throw line.error("the media sequence comes after a segment") }
            playlist.mediaSequence = number
        case "EXT-X-DISCONTINUITY-SEQUENCE":
            guard let number = line.integer(value) else {
                throw line.error("the discontinuity sequence isn't a whole number below 2^62", at: value.lowerBound)
            }
            playlist.discontinuitySequence = number
        case "EXT-X-PLAYLIST-TYPE":
            switch line.text(value).uppercased() {
            case "VOD": playlist.kind = .vod
            case "EVENT": playlist.kind = .event
            default: break
            }
        case "EXT-X-ENDLIST":
            playlist.hasEnd = true
            playlist.endsWithMark = true
        case "EXT-X-I-FRAMES-ONLY": playlist.isIFramesOnly = true
        default: break
        }
    }

    mutating func takeSegmentTag(
        _ name: String, in line: PlaylistLine, value: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        isMedia = true
        switch name {
        case "EXTINF": try takeDuration(line, value)
        case "EXT-X-BYTERANGE":
            guard let given = line.byteRange(value) else {
                throw line.error("the byte range isn't a length and offset", at: value.lowerBound)
            }
            range = PendingRange(
                length: given.length, offset: given.offset,
                error: line.error(
                    given.offset == nil
                        ? "the byte range has no offset, and the segment before isn't of the same resource"
                        : "the byte range ends past 2^53", at: value.lowerBound))
        case "EXT-X-KEY": try takeKey(line, value, &variables)
        case "EXT-X-MAP": try takeMap(line, value, &variables)
        case "EXT-X-DISCONTINUITY": isDiscontinuity = true
        case "EXT-X-GAP": isGap = true
        case "EXT-X-SKIP": playlist.hasSkippedSegments = true
        case "EXT-X-PROGRAM-DATE-TIME": date = value.count <= 64 && !value.isEmpty ? line.text(value) : nil
        default: break
        }
    }

    /// Takes the URI of a segment. One without a duration is an error, unless segments are single pictures.
    mutating func takeURI(_ line: PlaylistLine, _ variables: inout PlaylistVariables) throws(PlaylistError) {
        guard playlist.segments.count < PlaylistLimit.segments else { throw line.error("more than 100,000 segments") }
        guard duration != nil || playlist.isIFramesOnly else { throw line.error("the segment has no EXTINF") }
        let uri = try variables.replaced(line, line.content)
        var segment = MediaSegment(
            uri: uri, duration: duration?.seconds ?? 0, sequence: nextSequence, line: line.number)
        segment.byteRange = try byteRange(of: uri)
        segment.map = playlist.maps.isEmpty ? nil : playlist.maps.count - 1
        segment.keys = keys
        segment.isDiscontinuity = isDiscontinuity
        segment.isGap = isGap
        segment.programDateTime = date
        playlist.segments.append(segment)
        playlist.endsWithMark = false
        duration = nil
        range = nil
        isGap = false
        isDiscontinuity = false
        date = nil
    }

    func finish() throws(PlaylistError) -> MediaPlaylist {
        // Live playlists may end like this; a complete one has been truncated.
        if let duration, playlist.hasEnd || playlist.kind == .vod { throw duration.error }
        return playlist
    }

    /// Both are below 2^62.
    private var nextSequence: Int64 { playlist.mediaSequence + Int64(playlist.segments.count) }

    private mutating func takeDuration(_ line: PlaylistLine, _ value: Range<Int>) throws(PlaylistError) {
        if let duration { throw duration.error }
        var end = value.lowerBound
        while end < value.upperBound, line.bytes[end] != UInt8(ascii: ","), !line.isBlank(end) { end += 1 }
        guard let seconds = line.decimal(value.lowerBound..<end), seconds <= PlaylistLimit.seconds else {
            throw line.error("the duration isn't a number of seconds", at: value.lowerBound)
        }
        duration = (seconds, line.error("the segment has no URI"))
    }

    /// NONE ends every key, another key ends that of its format (RFC 8216 §4.3.2.4).
    private mutating func takeKey(
        _ line: PlaylistLine, _ value: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        guard var key = try PlaylistKey(line, value, &variables) else {
            keys = []
            return
        }
        if let index = keys.firstIndex(where: { $0.format == key.format }) {
            // Segments share unchanged keys: hosts repeat the tag for each of them.
            guard keys[index] != key else { return }
            key.format = keys[index].format
            if key.uri == keys[index].uri { key.uri = keys[index].uri }
            keyChanges += keys.count
            guard keyChanges <= PlaylistLimit.keyChanges else { throw line.error("the keys change too often") }
            keys[index] = key
        } else {
            guard keys.count < PlaylistLimit.keys else { throw line.error("more than 32 keys at once") }
            keyChanges += keys.count + 1
            guard keyChanges <= PlaylistLimit.keyChanges else { throw line.error("the keys change too often") }
            keys.append(key)
        }
    }

    private mutating func takeMap(
        _ line: PlaylistLine, _ value: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        guard playlist.maps.count < PlaylistLimit.maps else { throw line.error("more than 10,000 maps") }
        let attributes = try AttributeList(line, value)
        guard let uri = try attributes.string("URI", &variables) else { throw line.error("the map has no URI") }
        var range: Range<Int64>?
        if let text = attributes.value("BYTERANGE") {
            guard let given = line.byteRange(text) else {
                throw line.error("the byte range isn't a length and offset", at: text.lowerBound)
            }
            let offset = given.offset ?? 0
            guard offset <= PlaylistLimit.size, given.length <= PlaylistLimit.size - offset else {
                throw line.error("the byte range ends past 2^53", at: text.lowerBound)
            }
            range = offset..<offset + given.length
        }
        playlist.maps.append(
            MediaMap(uri: uri, byteRange: range, keys: keys, sequence: nextSequence, line: line.number))
    }

    /// An omitted offset is the end of the segment before, which has to be a part of the same resource (RFC 8216
    /// §4.3.2.2).
    private func byteRange(of uri: String) throws(PlaylistError) -> Range<Int64>? {
        guard let range else { return nil }
        let offset: Int64
        if let given = range.offset {
            offset = given
        } else {
            guard let last = playlist.segments.last, last.uri == uri, let before = last.byteRange else {
                throw range.error
            }
            offset = before.upperBound
        }
        let (end, overflow) = offset.addingReportingOverflow(range.length)
        guard !overflow, end <= PlaylistLimit.size else { throw range.error }
        return offset..<end
    }
}
