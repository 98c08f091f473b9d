import MediaTransfer

/// The playlists of an offline package: a folder that plays without a network and without keys.
///
/// It contains `index.m3u8`, which a player opens, and the joined file that it refers to. With separate sound there are
/// two joined files, each with its own playlist, and `index.m3u8` names both (RFC 8216 §4.3.4).
package struct StreamPackage: Sendable, RedactedInPrint {
    /// One joined file of the package.
    package struct Track: Sendable, RedactedInPrint {
        package var plan: StreamPlan
        package var pieces: [JoinedPiece]
        /// Its name in the folder.
        package var file: String

        package init(plan: StreamPlan, pieces: [JoinedPiece], file: String) {
            self.plan = plan
            self.pieces = pieces
            self.file = file
        }

        /// Bits per second of the largest segment (RFC 8216 §4.3.4.2), at least 1.
        var peak: Int64 {
            zip(plan.segments, pieces).reduce(1) { peak, segment in
                let (bits, seconds) = (Double(segment.1.bytes) * 8, segment.0.duration)
                guard seconds > 0, bits / seconds < 1e15 else { return peak }
                return max(peak, Int64((bits / seconds).rounded(.up)))
            }
        }
    }

    /// The playlist that a player opens.
    package static let index = "index.m3u8"

    /// Picture, with or without its sound.
    package var video: Track
    /// Separate sound.
    package var audio: Track?
    /// Its language, from the master playlist.
    package var language: String?
    /// The codecs in the master playlist; nil without any.
    package var codecs: [String]?

    package init(video: Track, audio: Track? = nil, language: String? = nil, codecs: [String]? = nil) {
        self.video = video
        self.audio = audio
        self.language = language
        self.codecs = codecs
    }

    /// The playlists, by their names in the folder.
    package var playlists: [(name: String, text: String)] {
        guard let audio else { return [(Self.index, video.plan.text(file: video.file, pieces: video.pieces))] }
        return [
            (Self.index, master(audio)),
            ("video.m3u8", video.plan.text(file: video.file, pieces: video.pieces)),
            ("audio.m3u8", audio.plan.text(file: audio.file, pieces: audio.pieces)),
        ]
    }

    private func master(_ audio: Track) -> String {
        let name = language.map(Self.quoted) ?? "audio"
        let tag = language.map { ",LANGUAGE=\"\(Self.quoted($0))\"" } ?? ""
        let codecs = codecs.map { ",CODECS=\"\(Self.quoted($0.joined(separator: ",")))\"" } ?? ""
        return """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="\(name)"\(tag),DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=\(video.peak + audio.peak)\(codecs),AUDIO="audio"
            video.m3u8

            """
    }

    /// A quoted string contains neither quotes nor line ends (RFC 8216 §4.2).
    private static func quoted(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0.value != 0x7F })
    }
}
