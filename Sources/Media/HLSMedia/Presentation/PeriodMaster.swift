import MediaTransfer

/// Turns the representations of a period into the streams of a master playlist, so that both are chosen by one rule.
///
/// The `uri` of a variant or rendition is the number of its representation. Sound that is offered in several qualities
/// or codecs makes a group of each, and each picture is a variant with every group, as packagers of HLS write it.
struct PeriodMaster: RedactedInPrint {
    /// One quality of the sound, in all languages.
    private struct Group {
        var id: String
        var codec: String
        var bandwidth: Int64
        var members: [Int]
    }

    /// What listeners choose by.
    private struct Voice: Hashable {
        var language: String
        var roles: [String]
    }

    private static let subtitles = "subtitles"
    /// The role of sound that describes the pictures.
    private static let description = "description"

    private let period: PresentationPeriod

    init(_ period: PresentationPeriod) { self.period = period }

    /// - Throws: ``PresentationError/Fact/tooMany(_:)`` for more than ``PlaylistLimit`` allows in a playlist.
    func playlist() throws(PresentationError) -> MasterPlaylist {
        var playlist = MasterPlaylist()
        let groups = try groups()
        for group in groups {
            playlist.renditions += group.members.map { rendition($0, .audio, in: group.id) }
        }
        var sets: Set<Int> = []
        let texts = indices(.text).filter { sets.insert(period.representations[$0].set).inserted }
        playlist.renditions += texts.map { rendition($0, .subtitles, in: Self.subtitles) }
        let pictures = indices(.video)
        guard pictures.count * max(1, groups.count) <= PlaylistLimit.variants else { throw tooMany }
        for picture in pictures {
            if groups.isEmpty { playlist.variants.append(variant(picture, nil)) }
            for group in groups { playlist.variants.append(variant(picture, group)) }
        }
        if pictures.isEmpty { playlist.variants = groups.map { variant(nil, $0) } }
        if !texts.isEmpty {
            for index in playlist.variants.indices { playlist.variants[index].subtitlesGroup = Self.subtitles }
        }
        return playlist
    }

    private var tooMany: PresentationError { PresentationError(.tooMany(.representations), line: period.line) }

    private func indices(_ kind: Representation.Kind) -> [Int] {
        period.representations.indices.filter { period.representations[$0].kind == kind }
    }

    private func groups() throws(PresentationError) -> [Group] {
        var voices: [Voice] = []
        var families: [String] = []
        var sounds: [Voice: [String: [Int]]] = [:]
        for index in indices(.audio) {
            let sound = period.representations[index]
            let voice = Voice(language: sound.language ?? "", roles: sound.roles)
            if sounds[voice] == nil { voices.append(voice) }
            if !families.contains(sound.family) {
                guard families.count < PlaylistLimit.items else { throw tooMany }
                families.append(sound.family)
            }
            sounds[voice, default: [:]][sound.family, default: []].append(index)
        }
        // The quality grows with the position.
        for (voice, byFamily) in sounds { sounds[voice] = byFamily.mapValues(sorted) }
        var groups: [Group] = []
        var count = 0
        for family in families {
            let levels = sounds.values.map { $0[family]?.count ?? 0 }.max() ?? 0
            count += levels * voices.count
            guard count <= PlaylistLimit.renditions, groups.count + levels <= PlaylistLimit.variants else {
                throw tooMany
            }
            // The best one first: it is taken where sums of bandwidths are equal.
            for level in (0..<levels).reversed() {
                let members = voices.compactMap { voice -> Int? in
                    let byFamily = sounds[voice] ?? [:]
                    // A language that only has another codec isn't missing.
                    let known = byFamily[family] ?? families.lazy.compactMap { byFamily[$0] }.first ?? []
                    return known.isEmpty ? nil : known[min(level, known.count - 1)]
                }
                groups.append(group(members, family: family, level: level))
            }
        }
        return groups
    }

    private func group(_ members: [Int], family: String, level: Int) -> Group {
        let sounds = members.map { period.representations[$0] }
        let plain = sounds.filter { !$0.roles.contains(Self.description) }
        return Group(
            id: "\(family) \(level)", codec: sounds.first { $0.family == family }?.codecs.first ?? family,
            bandwidth: (plain.isEmpty ? sounds : plain).map(\.bandwidth).max() ?? 0, members: members)
    }

    private func sorted(_ sounds: [Int]) -> [Int] {
        sounds.sorted { one, other in
            let (left, right) = (period.representations[one].bandwidth, period.representations[other].bandwidth)
            return left == right ? one < other : left < right
        }
    }

    /// A picture with a group of sound, or the sound alone.
    private func variant(_ picture: Int?, _ group: Group?) -> Variant {
        let own = picture.map { period.representations[$0] }
        var variant = Variant(
            uri: picture.map(String.init) ?? "", bandwidth: (own?.bandwidth ?? 0) + (group?.bandwidth ?? 0),
            resolution: own?.resolution, line: own?.line ?? period.line)
        variant.frameRate = own?.frameRate
        // A list with the sound's codec alone would say that there is no picture.
        if let own { variant.codecs = own.codecs.isEmpty ? [] : own.codecs + [group?.codec].compactMap(\.self) }
        if own == nil { variant.codecs = [group?.codec].compactMap(\.self) }
        variant.audioGroup = group?.id
        return variant
    }

    private func rendition(_ index: Int, _ kind: Rendition.Kind, in group: String) -> Rendition {
        let own = period.representations[index]
        var rendition = Rendition(
            kind: kind, uri: String(index), groupID: group, name: own.label.isEmpty ? own.id : own.label,
            language: own.language, line: own.line)
        rendition.isDefault = own.roles.contains("main")
        rendition.isAutoselect = own.roles.isEmpty
        rendition.isForced = own.roles.contains("forced-subtitle") || own.roles.contains("forced_subtitle")
        if own.roles.contains(Self.description) { rendition.characteristics.append(Self.descriptionOfPictures) }
        if own.roles.contains("caption") { rendition.characteristics.append(Self.descriptionOfSounds) }
        return rendition
    }

    /// As playlists write them (RFC 8216bis §4.4.6.1.6).
    private static let descriptionOfPictures = "public.accessibility.describes-video"
    private static let descriptionOfSounds = "public.accessibility.describes-music-and-sound"
}
