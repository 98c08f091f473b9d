extension MasterPlaylist {
    /// The selected streams.
    ///
    /// The preferences for quality are checked in order, and the first possible one decides. `best` and `worst` always
    /// are possible; `audio` if there is sound without pictures; a height or a bitrate if some variant is at or below
    /// it. If none is possible, the nearest to the first preference is taken: for a height or a bitrate the lowest one
    /// (the best, if the playlist has no sizes at all), for `audio` the variant of the lowest bandwidth.
    ///
    /// Several variants for a preference are ordered by: more pixels across the short side, codecs that play on more
    /// devices (``CodecPreference``), more pictures per second, more bandwidth, first in the playlist. Variants with
    /// sound only count for `audio` only, unless there are no others; the same applies to variants without RESOLUTION
    /// if the preference is a height.
    package func choose(_ preference: StreamPreference) -> StreamChoice {
        let qualities = preference.quality.isEmpty ? [.best] : preference.quality
        for quality in qualities {
            if quality == .audio {
                if let choice = soundAlone(preference) { return choice }
            } else if let variant = ladder.variant(for: quality) {
                return choice(variant, preference)
            }
        }
        let variant = qualities.first.flatMap(ladder.fallback)
        var choice = variant.map { self.choice($0, preference) } ?? StreamChoice(variant: nil)
        choice.isFallback = true
        return choice
    }

    private var ladder: VariantLadder { VariantLadder(variants) }

    private func choice(_ variant: Variant, _ preference: StreamPreference) -> StreamChoice {
        let audio = RenditionChoice.audio(audioGroup(of: variant), languages: preference.audio)
        // Without pictures the variant is also a rendition, and one of them is enough.
        let isSound = CodecPreference.areAudioOnly(variant.codecs) && audio?.uri != nil
        return StreamChoice(
            variant: isSound ? nil : variant, audio: audio?.uri == nil ? nil : audio,
            subtitles: subtitles(of: variant, preference))
    }

    /// The rendition that belongs to the best variant, if it is separate; else a variant with sound only.
    private func soundAlone(_ preference: StreamPreference) -> StreamChoice? {
        if let best = ladder.variant(for: .best), !CodecPreference.areAudioOnly(best.codecs),
            let audio = RenditionChoice.audio(audioGroup(of: best), languages: preference.audio), audio.uri != nil
        {
            return StreamChoice(variant: nil, audio: audio, subtitles: subtitles(of: best, preference))
        }
        return ladder.sound.map { choice($0, preference) }
    }

    private func audioGroup(of variant: Variant) -> [Rendition] {
        guard let group = variant.audioGroup else { return [] }
        return renditions.filter { $0.kind == .audio && $0.groupID == group }
    }

    private func subtitles(of variant: Variant, _ preference: StreamPreference) -> [Rendition] {
        guard preference.subtitles != .none, let group = variant.subtitlesGroup else { return [] }
        return RenditionChoice.subtitles(
            renditions.filter { $0.kind == .subtitles && $0.groupID == group && $0.uri != nil }, preference.subtitles)
    }
}
