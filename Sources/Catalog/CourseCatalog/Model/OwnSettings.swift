import YAMLSource

/// The own settings of one level of a catalog.
struct OwnSettings {
    var provider: ProviderReference?
    /// Higher goes first.
    var priority: Int?
    /// In order of preference.
    var quality: [Quality]?
    /// Languages in order of preference.
    var audio: [String]?
    var subtitles: SubtitleSelection?
    var streams: StreamSelection?
    var live: LiveStreams?
    var cover: CoverSource?
    /// The largest file, in bytes.
    var maxSize: Int64?
    /// Whether names leave the numbers of titles out.
    var stripsNumbers: Bool?
    /// Keys and values for the provider; null removes a key.
    var parameters: [YAMLMapping.Entry] = []

    /// Whether it says nothing but parameters.
    var isParametersOnly: Bool {
        provider == nil && priority == nil && quality == nil && audio == nil && subtitles == nil && streams == nil
            && live == nil && cover == nil && maxSize == nil && stripsNumbers == nil
    }

    /// Whether it says nothing.
    var isEmpty: Bool { isParametersOnly && parameters.isEmpty }

    /// Whether it has the same values, regardless of their positions.
    func saysTheSame(as other: OwnSettings) -> Bool {
        provider?.name == other.provider?.name && priority == other.priority && quality == other.quality
            && audio == other.audio && subtitles == other.subtitles && cover == other.cover
            && streams == other.streams && live == other.live && maxSize == other.maxSize
            && stripsNumbers == other.stripsNumbers
            && parameters.elementsEqual(other.parameters) { $0.key == $1.key && $0.value == $1.value }
    }
}

/// A video's own settings beyond `priority` and `cover`, stored compactly: mostly parameters, if any.
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

    /// Whether it names a provider.
    var hasProvider: Bool { others?.settings.provider != nil }

    /// The video's settings, in the form of every level.
    var settings: OwnSettings { others?.settings ?? OwnSettings(parameters: parameters) }
}

/// The inherited values of a level, without parameters.
final class SettingsScope: Sendable {
    let provider: ProviderReference?
    /// Higher goes first.
    let priority: Int
    /// In order of preference.
    let quality: [Quality]
    /// Languages in order of preference.
    let audio: [String]
    let subtitles: SubtitleSelection
    /// Which views of the video.
    let streams: StreamSelection
    /// What is done with a stream that hasn't ended.
    let live: LiveStreams
    /// The nearest cover.
    let cover: CoverSource?
    /// The largest file, in bytes.
    let maxSize: Int64?
    /// Whether names leave the numbers of titles out.
    let stripsNumbers: Bool
    /// The settings with which another provider lists the video; nil if its own does, or none.
    let lister: Settings?

    init() {
        (provider, priority, quality, audio, subtitles, cover, maxSize) = (nil, 0, [.best], [], .none, nil, nil)
        (streams, live, stripsNumbers) = (.main, .wait, false)
        lister = nil
    }

    /// The values of `own` above those of `base`.
    init(_ own: OwnSettings, above base: SettingsScope) {
        provider = own.provider ?? base.provider
        priority = own.priority ?? base.priority
        quality = own.quality ?? base.quality
        audio = own.audio ?? base.audio
        subtitles = own.subtitles ?? base.subtitles
        streams = own.streams ?? base.streams
        live = own.live ?? base.live
        cover = own.cover ?? base.cover
        maxSize = own.maxSize ?? base.maxSize
        stripsNumbers = own.stripsNumbers ?? base.stripsNumbers
        lister = own.provider == nil ? base.lister : nil
    }

    /// The values of `base`, for a video that the provider of `lister` hands over to another one.
    init(_ base: SettingsScope, handedTo provider: ProviderReference, by lister: Settings) {
        self.provider = provider
        (priority, quality, audio, subtitles) = (base.priority, base.quality, base.audio, base.subtitles)
        (streams, live, cover, maxSize) = (base.streams, base.live, base.cover, base.maxSize)
        stripsNumbers = base.stripsNumbers
        self.lister = lister
    }
}
