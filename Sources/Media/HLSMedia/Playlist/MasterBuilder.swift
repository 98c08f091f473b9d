import MediaTransfer

/// Puts a ``MasterPlaylist`` together.
struct MasterBuilder: RedactedInPrint {
    private var playlist = MasterPlaylist()
    /// The stream whose URI comes next, and the position of its tag.
    private var pending: (variant: Variant, error: PlaylistError)?

    mutating func takeTag(
        _ name: String, in line: PlaylistLine, value: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        switch name {
        case "EXT-X-STREAM-INF": try takeVariant(line, value, &variables)
        case "EXT-X-MEDIA": try takeRendition(line, value, &variables)
        case "EXT-X-SESSION-KEY":
            guard playlist.sessionKeys.count < PlaylistLimit.variables else {
                throw line.error("more than 1,000 session keys")
            }
            if let key = try PlaylistKey(line, value, &variables) { playlist.sessionKeys.append(key) }
        default: break
        }
    }

    /// Takes the URI of the stream whose tag came before; one without a tag is skipped.
    mutating func takeURI(_ line: PlaylistLine, _ variables: inout PlaylistVariables) throws(PlaylistError) {
        guard var variant = pending?.variant else { return }
        variant.uri = try variables.replaced(line, line.content)
        variant.line = line.number
        playlist.variants.append(variant)
        pending = nil
    }

    func finish() throws(PlaylistError) -> MasterPlaylist {
        if let pending { throw pending.error }
        guard !playlist.variants.isEmpty else { throw PlaylistError(line: 1, message: "the playlist has no streams") }
        return playlist
    }

    private mutating func takeVariant(
        _ line: PlaylistLine, _ value: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        if let pending { throw pending.error }
        guard playlist.variants.count < PlaylistLimit.variants else { throw line.error("more than 5,000 streams") }
        let attributes = try AttributeList(line, value)
        var variant = Variant(uri: "")
        variant.bandwidth = Self.whole(attributes.number("BANDWIDTH")) ?? 0
        variant.averageBandwidth = Self.whole(attributes.number("AVERAGE-BANDWIDTH"))
        variant.resolution = attributes.value("RESOLUTION").flatMap(line.resolution)
        variant.frameRate = attributes.number("FRAME-RATE")
        variant.codecs = Self.list(try attributes.string("CODECS", &variables), by: ",")
        variant.audioGroup = try attributes.string("AUDIO", &variables)
        variant.subtitlesGroup = try attributes.string("SUBTITLES", &variables)
        variant.videoGroup = try attributes.string("VIDEO", &variables)
        pending = (variant, line.error("the stream has no URI"))
    }

    private mutating func takeRendition(
        _ line: PlaylistLine, _ value: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        let attributes = try AttributeList(line, value)
        guard let word = attributes.word("TYPE") else { throw line.error("the rendition has no TYPE") }
        guard let kind = Rendition.Kind(rawValue: word) else { return }
        guard let group = try attributes.string("GROUP-ID", &variables) else {
            throw line.error("the rendition has no GROUP-ID")
        }
        guard playlist.renditions.count < PlaylistLimit.renditions else {
            throw line.error("more than 20,000 renditions")
        }
        var rendition = Rendition(
            kind: kind, uri: try attributes.string("URI", &variables), groupID: group,
            name: try attributes.string("NAME", &variables) ?? "",
            language: try attributes.string("LANGUAGE", &variables), line: line.number)
        rendition.isDefault = attributes.isYes("DEFAULT")
        rendition.isAutoselect = attributes.isYes("AUTOSELECT")
        rendition.isForced = attributes.isYes("FORCED")
        rendition.characteristics = Self.list(try attributes.string("CHARACTERISTICS", &variables), by: ",")
        rendition.channels = try attributes.string("CHANNELS", &variables)
        playlist.renditions.append(rendition)
    }

    private static func whole(_ number: Double?) -> Int64? {
        number.flatMap { $0 < 1e15 ? Int64($0) : nil }
    }

    private static func list(_ text: String?, by separator: Character) -> [String] {
        guard let text else { return [] }
        return text.split(separator: separator, maxSplits: PlaylistLimit.items).prefix(PlaylistLimit.items).map {
            item in
            String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }
}
