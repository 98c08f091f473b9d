/// Which of the tracks that a provider names beside a file come into it.
package enum TrackChoice {
    /// A track to choose.
    package struct Offer: Sendable, Equatable {
        /// Sound, otherwise subtitles.
        package var isSound: Bool
        /// A BCP 47 tag; nil if unknown.
        package var language: String?
        package var isDefault: Bool

        package init(isSound: Bool, language: String?, isDefault: Bool) {
            self.isSound = isSound
            self.language = language
            self.isDefault = isDefault
        }
    }

    /// Indexes of the chosen tracks: sound, then subtitles, each in the order of the preference.
    ///
    /// Of sound one for each wanted language, and for `*` one for each language there is; if there is none in a wanted
    /// language, or no language is wanted, the default one, else the first.
    package static func indexes(of offers: [Offer], _ preference: StreamPreference) -> [Int] {
        sound(of: offers, preference.audio) + subtitles(of: offers, preference.subtitles)
    }

    private static func sound(of offers: [Offer], _ languages: [String]) -> [Int] {
        let all = offers.indices.filter { offers[$0].isSound }
        let tags = all.map { offers[$0].language }
        var chosen: [Int] = []
        for language in languages {
            let found = LanguageMatch.indexes(of: language, in: tags).map { all[$0] }
            let matches = language == "*" ? byTag(found, offers) : [first(of: found, offers)].compactMap(\.self)
            chosen += matches.filter { !chosen.contains($0) }
        }
        return chosen.isEmpty ? [first(of: all, offers)].compactMap(\.self) : chosen
    }

    private static func subtitles(of offers: [Offer], _ wanted: StreamPreference.Subtitles) -> [Int] {
        let all = offers.indices.filter { !offers[$0].isSound }
        switch wanted {
        case .none: return []
        case .all: return all
        case .languages(let languages):
            let tags = all.map { offers[$0].language }
            var chosen: [Int] = []
            for language in languages {
                let found = LanguageMatch.indexes(of: language, in: tags).map { all[$0] }
                chosen += byTag(found, offers).filter { !chosen.contains($0) }
            }
            return chosen
        }
    }

    /// One for each language.
    private static func byTag(_ indexes: [Int], _ offers: [Offer]) -> [Int] {
        let groups = Dictionary(grouping: indexes) { LanguageMatch.normal(offers[$0].language ?? "") }
        return groups.values.compactMap { first(of: $0, offers) }.sorted()
    }

    private static func first(of indexes: [Int], _ offers: [Offer]) -> Int? {
        indexes.first { offers[$0].isDefault } ?? indexes.first
    }
}
