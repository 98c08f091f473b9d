import Foundation

/// Subtitles of a stream in segments of six seconds, each line in all segments that it touches.
package struct StreamSubtitles: Sendable {
    package let language: String

    package init(language: String) { self.language = language }

    /// Where the picture begins in what ffmpeg makes, in ticks of 90 kHz.
    static let start = 133_200
    /// What the text's time 0 is on the stream's clock: for one language where the picture begins, for others 0.
    private var map: Int { language == "de" ? Self.start : 0 }

    /// The lines, with their beginnings and ends in seconds of playing time.
    package var lines: [(begin: Double, end: Double, text: String)] {
        [
            (0.5, 2, "\(language) one"), (4, 8, "\(language) over the border"),
            (9.25, 11.75, "\(language) <i>three</i>"),
            (17, 19.5, "\(language) over another border"), (22, 23.5, "\(language) the last"),
        ]
    }

    /// The playlist and its segments.
    var files: [String: String] {
        var files: [String: String] = [:]
        var list = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:6", "#EXT-X-PLAYLIST-TYPE:VOD"]
        for index in 0..<4 {
            let (begin, end) = (6 * Double(index), 6 * Double(index + 1))
            var text = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:\(map)\n"
            let shift = Double(Self.start - map) / 90_000
            for line in lines where line.begin < end && line.end > begin {
                text += "\n\(Self.time(line.begin + shift)) --> \(Self.time(line.end + shift))\n\(line.text)\n"
            }
            files["text-\(language)-\(index).vtt"] = text
            list += ["#EXTINF:6.0,", "text-\(language)-\(index).vtt"]
        }
        files["text-\(language).m3u8"] = (list + ["#EXT-X-ENDLIST"]).joined(separator: "\n") + "\n"
        return files
    }

    private static func time(_ seconds: Double) -> String {
        let milliseconds = Int(seconds * 1000)
        return String(format: "00:%02d:%02d.%03d", milliseconds / 60_000, milliseconds / 1000 % 60, milliseconds % 1000)
    }
}
