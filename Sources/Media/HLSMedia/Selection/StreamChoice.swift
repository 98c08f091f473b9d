import MediaTransfer

/// The selected parts of a master playlist.
package struct StreamChoice: Sendable, Equatable, RedactedInPrint {
    /// Nil if only sound is wanted and ``audio`` is it.
    package var variant: Variant?
    /// The sound, which always has a URI; nil if it is in the variant's own stream.
    package var audio: Rendition?
    /// Each has its own URI.
    package var subtitles: [Rendition]
    /// Whether no preference was possible, and another stream was taken.
    package var isFallback: Bool

    package init(variant: Variant?, audio: Rendition? = nil, subtitles: [Rendition] = [], isFallback: Bool = false) {
        self.variant = variant
        self.audio = audio
        self.subtitles = subtitles
        self.isFallback = isFallback
    }

    /// Distinguishes the streams of a master playlist when playlists are downloaded again with other URIs, for
    /// ``StreamPlan/make(_:url:identity:)``: segments of 720p and of 1080p often have the same names.
    package var variantIdentity: String {
        guard let variant else { return "none" }
        let size = variant.resolution.map { "\($0.width)x\($0.height)" } ?? ""
        return "variant \(variant.bandwidth) \(size) \(variant.codecs.joined(separator: ","))"
    }

    /// Like ``variantIdentity``, for a rendition.
    package static func identity(of rendition: Rendition) -> String {
        let names = [rendition.groupID, rendition.language ?? "", rendition.name].map { "\($0.utf8.count):\($0)" }
        return "\(rendition.kind.rawValue) \(names.joined(separator: " "))"
    }
}
