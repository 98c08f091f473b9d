package import SystemPackage

/// A joined file that is read by a remux.
package struct RemuxInput: Sendable, Equatable {
    /// An absolute path.
    package let path: FilePath
    /// Seconds after the beginning of the output at which it begins; at least 0. By themselves all begin at once.
    package var delay = 0.0
    /// Of a file that holds several with initialization sections of their own: the list that tells ffmpeg where each one
    /// lies, see ``listText(of:parts:)``. An absolute path.
    package let list: FilePath?
    /// The name by which ffmpeg knows the format. It is told: what hosts deliver isn't taken for whatever it may look like, a
    /// playlist or a list of other files. Only of the parts in a ``list`` ffmpeg finds it out by itself; each begins with an
    /// initialization section.
    package let format: String
    /// Of its sound, in three letters of ISO 639-2, as MP4 has it; nil if it isn't known.
    package let language: String?

    /// Nil for a path that isn't absolute, and for subtitles and pages.
    ///
    /// - Parameters:
    ///   - list: of several parts.
    ///   - language: a tag of BCP 47 as playlists have it, such as `de` or `en-GB`. One that MP4 can't express is left
    ///     out.
    package init?(path: FilePath, kind: MediaKind, list: FilePath? = nil, language: String? = nil) {
        guard path.isAbsolute, list?.isAbsolute ?? true, let format = Self.format(of: kind) else { return nil }
        self.path = path
        self.list = list
        self.format = format
        self.language = language.flatMap(LanguageCode.threeLetters)
    }

    /// What ffmpeg is told of it.
    var arguments: [String] {
        let start = delay > 0 ? ["-itsoffset", "\(Int64((delay * 1_000_000).rounded()))us"] : []
        guard let list else {
            return start + ["-protocol_whitelist", "file,pipe", "-f", format, "-i", "file:" + path.string]
        }
        // subfile is a range of a local file.
        return start + [
            "-protocol_whitelist", "file,pipe,subfile", "-f", "concat", "-safe", "0", "-i", "file:" + list.string,
        ]
    }

    /// The list of the parts of a file, as ffmpeg's concat demuxer reads it: each part follows the one before in time. Nil
    /// for a path that can't stand in a list.
    package static func listText(of path: FilePath, parts: [Range<Int64>]) -> String? {
        guard path.isAbsolute, !path.string.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
        let name = path.string.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        return parts.reduce("ffconcat version 1.0\n") { text, part in
            text + "file 'subfile,,start,\(part.lowerBound),end,\(part.upperBound),,:\(name)'\n"
        }
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
