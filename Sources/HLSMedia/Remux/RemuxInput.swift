package import SystemPackage

/// A joined file that is read by a remux.
package struct RemuxInput: Sendable, Equatable {
    /// An absolute path.
    package let path: FilePath
    /// The name by which ffmpeg knows the format. It is always told: what hosts deliver isn't taken for whatever it may look
    /// like, a playlist or a list of other files.
    package let format: String
    /// Of its sound, in three letters of ISO 639-2, as MP4 has it; nil if it isn't known.
    package let language: String?

    /// Nil for a path that isn't absolute, and for subtitles and pages.
    ///
    /// - Parameter language: a tag of BCP 47 as playlists have it, such as `de` or `en-GB`. One that MP4 can't express is
    ///   left out.
    package init?(path: FilePath, kind: MediaKind, language: String? = nil) {
        guard path.isAbsolute, let format = Self.format(of: kind) else { return nil }
        self.path = path
        self.format = format
        self.language = language.flatMap(LanguageCode.threeLetters)
    }

    private static func format(of kind: MediaKind) -> String? {
        switch kind {
        case .transportStream: "mpegts"
        case .fragmentedMP4: "mp4"
        case .adts: "aac"
        case .mp3: "mp3"
        case .ac3: "ac3"
        case .eac3: "eac3"
        case .webVTT, .page: nil
        }
    }
}
