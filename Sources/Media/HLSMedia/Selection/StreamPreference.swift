package struct StreamPreference: Sendable, Equatable {
    /// One preference about the picture.
    package enum Quality: Sendable, Equatable {
        /// The largest picture.
        case best
        /// The smallest picture.
        case worst
        /// No picture.
        case audio
        /// This number of lines, or the nearest below; see ``FrameSize/shortSide``.
        case height(Int)
        /// This peak in kilobits per second, or the nearest below.
        case bitrate(kilobits: Int)
    }

    package enum Subtitles: Sendable, Equatable {
        case none
        /// All, including forced ones.
        case all
        /// Those in these languages, in order, without forced ones.
        case languages([String])
    }

    /// In order of preference; empty means ``Quality/best``.
    package var quality: [Quality]
    /// Languages in order of preference; empty means the host's default.
    package var audio: [String]
    package var subtitles: Subtitles
    /// Whether a playlist may still grow.
    package var allowsLive: Bool

    package init(
        quality: [Quality] = [.best], audio: [String] = [], subtitles: Subtitles = .none, allowsLive: Bool = false
    ) {
        self.quality = quality
        self.audio = audio
        self.subtitles = subtitles
        self.allowsLive = allowsLive
    }
}
