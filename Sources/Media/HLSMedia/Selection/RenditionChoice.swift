/// The choice among the renditions of one group.
enum RenditionChoice {
    /// The sound: in the first available wanted language; else any. Of several, one without audio description, then
    /// DEFAULT, then AUTOSELECT, then the first. Channels don't count.
    ///
    /// The result has no URI if it is in the variant's own stream; nil if there is nothing to choose.
    static func audio(_ group: [Rendition], languages: [String]) -> Rendition? {
        let tags = group.map(\.language)
        for language in languages {
            let found = LanguageMatch.indexes(of: language, in: tags).map { group[$0] }
            if let rendition = preferred(found, avoiding: description) { return rendition }
        }
        return preferred(group, avoiding: nil)
    }

    /// The subtitles: all, each URI once; or for each wanted language every match (`zh` matches `zh-Hans` and
    /// `zh-Hant`), one for each language in the playlist, preferably without descriptions of sounds.
    static func subtitles(_ group: [Rendition], _ preference: StreamPreference.Subtitles) -> [Rendition] {
        var uris: Set<String?> = []
        switch preference {
        case .none: return []
        case .all: return group.filter { uris.insert($0.uri).inserted }
        case .languages(let languages):
            let candidates = group.filter { !$0.isForced }
            let tags = candidates.map(\.language)
            var result: [Rendition] = []
            var taken: Set<String> = []
            for language in languages {
                let found = LanguageMatch.indexes(of: language, in: tags).map { candidates[$0] }
                let byLanguage = Dictionary(grouping: found) { LanguageMatch.normal($0.language ?? "") }
                for rendition in found {
                    let tag = LanguageMatch.normal(rendition.language ?? "")
                    guard taken.insert(tag).inserted,
                        let chosen = preferred(byLanguage[tag] ?? [], avoiding: transcription),
                        uris.insert(chosen.uri).inserted
                    else { continue }
                    result.append(chosen)
                }
            }
            return result
        }
    }

    private static let description = "public.accessibility.describes-video"
    private static let transcription = "public.accessibility.describes-music-and-sound"

    private static func preferred(_ renditions: [Rendition], avoiding characteristic: String?) -> Rendition? {
        func rank(_ rendition: Rendition) -> Int {
            (characteristic.map(rendition.characteristics.contains) ?? false ? 4 : 0)
                + (rendition.isDefault ? 0 : rendition.isAutoselect ? 1 : 2)
        }
        return renditions.min { rank($0) < rank($1) }
    }
}
