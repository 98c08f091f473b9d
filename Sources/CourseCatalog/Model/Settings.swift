package import YAMLSource

/// What a video inherits: the nearest value of each, in `defaults`, course, chapter and video.
///
/// Immutable and shared: all videos that say nothing of their own have the same object, so that what is computed from
/// one can be remembered by its `ObjectIdentifier`. (A video's own `priority` and `cover` don't part it from the
/// others; they are in ``Video``.)
package final class Settings: Sendable {
    /// Who is asked; nil only above a level that names one.
    package let provider: ProviderReference?
    /// The higher the sooner.
    package let priority: Int
    /// In order of preference, never empty.
    package let quality: [Quality]
    /// Languages in order of preference, where a stream has several; empty for no preference.
    package let audio: [String]
    /// Which subtitles are wanted.
    package let subtitles: SubtitleSelection
    /// The nearest picture.
    package let cover: CoverSource?

    private let base: Settings?
    private let ownParameters: [YAMLMapping.Entry]

    /// What holds where nothing is said.
    init() {
        (provider, priority, quality, audio, subtitles, cover) = (nil, 0, [.best], [], .none, nil)
        (base, ownParameters) = (nil, [])
    }

    /// What holds where `own` is said above `base`.
    init(_ own: OwnSettings, above base: Settings) {
        provider = own.provider ?? base.provider
        priority = own.priority ?? base.priority
        quality = own.quality ?? base.quality
        audio = own.audio ?? base.audio
        subtitles = own.subtitles ?? base.subtitles
        cover = own.cover ?? base.cover
        ownParameters = own.parameters
        // A level without parameters of its own is left out of the chain.
        self.base = base.ownParameters.isEmpty ? base.base : base
    }

    /// Free keys and values for the provider, merged key by key; the nearest value of each, with the place where it is
    /// written. Computed at each call.
    package var parameters: [String: YAMLNode] {
        var merged: [String: YAMLNode] = [:]
        merge(into: &merged)
        return merged
    }

    private func merge(into merged: inout [String: YAMLNode]) {
        base?.merge(into: &merged)
        for entry in ownParameters { merged[entry.key] = entry.value.isNull ? nil : entry.value }
    }

    /// The merged parameters as JSON, keys sorted by their bytes: equal parameters have equal texts.
    package var parametersJSON: String {
        var text = "{"
        for (key, value) in parameters.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if text.utf8.count > 1 { text += "," }
            YAMLNode.appendJSON(key, to: &text)
            text += ":"
            value.appendJSON(to: &text, sortingKeys: true)
        }
        return text + "}"
    }
}

/// A provider's name and where a catalog gives it.
package struct ProviderReference: Sendable, Hashable {
    /// As written: letters, digits, `.`, `_`, `-`.
    package let name: String
    /// Where it is written.
    package let location: SourceLocation
}

/// What one level of a catalog says itself.
struct OwnSettings: Equatable {
    var provider: ProviderReference?
    var priority: Int?
    var quality: [Quality]?
    var audio: [String]?
    var subtitles: SubtitleSelection?
    var cover: CoverSource?
    var parameters: [YAMLMapping.Entry] = []

    /// Whether it says nothing.
    var isEmpty: Bool { self == OwnSettings() }

    /// Whether it says the same, wherever it is written.
    static func == (a: OwnSettings, b: OwnSettings) -> Bool {
        a.provider?.name == b.provider?.name && a.priority == b.priority && a.quality == b.quality && a.audio == b.audio
            && a.subtitles == b.subtitles && a.cover == b.cover
            && a.parameters.elementsEqual(b.parameters) { $0.key == $1.key && $0.value == $1.value }
    }

}
