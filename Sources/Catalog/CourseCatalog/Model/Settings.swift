package import YAMLSource

/// The settings of a video: the nearest value of each, from `defaults`, course, chapter and video.
///
/// Immutable and shared: all videos without their own values have the same object, so that results for it can be cached
/// by its `ObjectIdentifier`. (A video's own `priority` and `cover` don't affect that; they are in ``Video``.)
package final class Settings: Sendable {
    /// The provider; nil only above a level that names one.
    package var provider: ProviderReference? { scope.provider }
    /// Higher goes first.
    package var priority: Int { scope.priority }
    /// In order of preference, never empty.
    package var quality: [Quality] { scope.quality }
    /// Languages in order of preference, if a video has several, `*` for all; empty for no preference.
    package var audio: [String] { scope.audio }
    package var subtitles: SubtitleSelection { scope.subtitles }
    /// Which views of the video.
    package var streams: StreamSelection { scope.streams }
    /// What is done with a stream that hasn't ended.
    package var live: LiveStreams { scope.live }
    /// The nearest cover.
    package var cover: CoverSource? { scope.cover }
    /// The largest file to download, in bytes; nil for the run's.
    package var maxSize: Int64? { scope.maxSize }
    /// Whether names of files and folders leave the number at the beginning of a title out.
    package var stripsNumbers: Bool { scope.stripsNumbers }

    /// The settings with which another provider lists the video, if its list hands it over to this one.
    package var lister: Settings? { scope.lister }

    // A video with only parameters of its own costs this object and its own entries, not a copy of the rest.
    private let scope: SettingsScope
    private let base: Settings?
    private let ownParameters: [YAMLMapping.Entry]

    init() { (scope, base, ownParameters) = (SettingsScope(), nil, []) }

    /// The settings of `own` above `base`.
    init(_ own: OwnSettings, above base: Settings) {
        scope = own.isParametersOnly ? base.scope : SettingsScope(own, above: base.scope)
        ownParameters = own.parameters
        // A level without its own parameters is left out of the chain.
        self.base = base.ownParameters.isEmpty ? base.base : base
    }

    /// The values of `other`, with the parameters of `base` beneath its own ones.
    init(_ other: Settings, aboveInserted base: Settings) {
        scope = other.scope
        ownParameters = other.ownParameters
        self.base = base
    }

    /// The values of `base`, whose provider hands a video over to another one, without any of its parameters.
    init(_ base: Settings, handedTo provider: ProviderReference) {
        scope = SettingsScope(base.scope, handedTo: provider, by: base)
        (self.base, ownParameters) = (nil, [])
    }

    /// The values of `other`, with the provider, the lister and the parameters of `handed` beneath its own ones.
    init(_ other: Settings, aboveHanded handed: Settings) {
        if let provider = handed.provider, let lister = handed.lister {
            scope = SettingsScope(other.scope, handedTo: provider, by: lister)
        } else {
            scope = other.scope
        }
        ownParameters = other.ownParameters
        base = handed
    }

    /// Free keys and values for the provider, merged key by key; the nearest value of each, with its position. Computed
    /// at each call.
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
    package var parametersJSON: String { String(decoding: parametersUTF8, as: UTF8.self) }

    /// ``parametersJSON`` in UTF-8.
    package var parametersUTF8: [UInt8] {
        var bytes: [UInt8] = []
        YAMLNode.appendJSON(sortedParameters, to: &bytes, sortingKeys: true)
        return bytes
    }

    /// The merged parameters, keys sorted by their bytes.
    private var sortedParameters: [YAMLMapping.Entry] {
        var merged = ownParameters.filter { !$0.value.isNull }
        if base != nil {
            merged = parameters.map { YAMLMapping.Entry(key: $0, keyLocation: $1.location, value: $1) }
        }
        return merged.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

/// A provider's name and its position in a catalog.
package struct ProviderReference: Sendable, Hashable {
    /// As written: letters, digits, `.`, `_`, `-`.
    package let name: String
    package let location: SourceLocation

    package init(name: String, location: SourceLocation) {
        self.name = name
        self.location = location
    }
}
