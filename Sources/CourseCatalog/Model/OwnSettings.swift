import YAMLSource

/// What one level of a catalog says itself.
struct OwnSettings {
    /// Who is asked.
    var provider: ProviderReference?
    /// The higher the sooner.
    var priority: Int?
    /// In order of preference.
    var quality: [Quality]?
    /// Languages in order of preference.
    var audio: [String]?
    /// Which subtitles are wanted.
    var subtitles: SubtitleSelection?
    /// A picture.
    var cover: CoverSource?
    /// Keys and values for the provider; null removes a key.
    var parameters: [YAMLMapping.Entry] = []

    /// Whether it says nothing but parameters.
    var isParametersOnly: Bool {
        provider == nil && priority == nil && quality == nil && audio == nil && subtitles == nil && cover == nil
    }

    /// Whether it says nothing.
    var isEmpty: Bool { isParametersOnly && parameters.isEmpty }

    /// Whether it says the same, wherever that is written.
    func saysTheSame(as other: OwnSettings) -> Bool {
        provider?.name == other.provider?.name && priority == other.priority && quality == other.quality
            && audio == other.audio && subtitles == other.subtitles && cover == other.cover
            && parameters.elementsEqual(other.parameters) { $0.key == $1.key && $0.value == $1.value }
    }
}

/// What a video itself says beyond `priority` and `cover`, in little room: mostly parameters, if anything.
struct OwnVideoSettings {
    private final class Box: Sendable {
        let settings: OwnSettings
        init(_ settings: OwnSettings) { self.settings = settings }
    }

    private let parameters: [YAMLMapping.Entry]
    private let others: Box?

    init(_ settings: OwnSettings) {
        parameters = settings.parameters
        others = settings.isParametersOnly ? nil : Box(settings)
    }

    /// What the video says, as every level says it.
    var settings: OwnSettings { others?.settings ?? OwnSettings(parameters: parameters) }
}

/// The inherited values of a level, parameters aside.
final class SettingsScope: Sendable {
    /// Who is asked.
    let provider: ProviderReference?
    /// The higher the sooner.
    let priority: Int
    /// In order of preference.
    let quality: [Quality]
    /// Languages in order of preference.
    let audio: [String]
    /// Which subtitles are wanted.
    let subtitles: SubtitleSelection
    /// The nearest picture.
    let cover: CoverSource?

    /// What holds where nothing is said.
    init() { (provider, priority, quality, audio, subtitles, cover) = (nil, 0, [.best], [], .none, nil) }

    /// What holds where `own` is said above `base`.
    init(_ own: OwnSettings, above base: SettingsScope) {
        provider = own.provider ?? base.provider
        priority = own.priority ?? base.priority
        quality = own.quality ?? base.quality
        audio = own.audio ?? base.audio
        subtitles = own.subtitles ?? base.subtitles
        cover = own.cover ?? base.cover
    }
}
