/// What the user wants of a stream.
package struct StreamPreference: Sendable, Equatable {
    /// One preference about the picture.
    package enum Quality: Sendable, Equatable {
        /// The largest picture.
        case best
        /// The smallest picture.
        case worst
        /// No picture.
        case audio
        /// So many lines, or the nearest below; see ``FrameSize/lines``.
        case height(Int)
        /// So many kilobits a second at the peak, or the nearest below.
        case bitrate(kilobits: Int)
    }

    /// Which subtitles.
    package enum Subtitles: Sendable, Equatable {
        /// None.
        case none
        /// Every one, those of forced passages too.
        case all
        /// Of these languages, in order, without those of forced passages.
        case languages([String])
    }

    /// In order of preference; empty means ``Quality/best``.
    package var quality: [Quality]
    /// Languages in order of preference; empty means what the host prefers.
    package var audio: [String]
    /// Which subtitles.
    package var subtitles: Subtitles

    package init(quality: [Quality] = [.best], audio: [String] = [], subtitles: Subtitles = .none) {
        self.quality = quality
        self.audio = audio
        self.subtitles = subtitles
    }
}
