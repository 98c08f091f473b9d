package import SystemPackage

/// A joined file as input of a remux.
package struct RemuxInput: Sendable, Equatable {
    /// An absolute path.
    package let path: FilePath
    /// Its start in seconds after the beginning of the output; at least 0. By default all begin at once.
    package var delay = 0.0
    /// Whether ffmpeg gets it by its standard input, as it arrives.
    package var isFed = false
    /// For a file of several parts with their own initialization sections: the list of the parts for ffmpeg, see
    /// ``listText(of:parts:)``. An absolute path.
    package let list: FilePath?
    /// ffmpeg's name for the format. It is always given, so that a host's data can't be taken for another format, such
    /// as a playlist or a list of other files. Only for the parts in a ``list`` ffmpeg detects it by itself; each
    /// begins with an initialization section.
    package let format: String
    /// The language of its sound, in three letters of ISO 639-2, as in MP4; nil if unknown.
    package let language: String?
    /// The name of its sound or subtitles in a player's menu.
    package var title: String?

    /// Nil for a path that isn't absolute, and for pages.
    ///
    /// - Parameters:
    ///   - list: of several parts.
    ///   - language: a BCP 47 tag from the playlist, such as `de` or `en-GB`. One that MP4 can't express is dropped.
    package init?(path: FilePath, kind: MediaKind, list: FilePath? = nil, language: String? = nil) {
        guard path.isAbsolute, list?.isAbsolute ?? true, let format = Self.format(of: kind) else { return nil }
        self.path = path
        self.list = list
        self.format = format
        self.language = language.flatMap(LanguageCode.threeLetters)
    }

    /// Subtitles in SubRip. Nil for a path that isn't absolute.
    package init?(subRip path: FilePath, language: String?) {
        guard path.isAbsolute else { return nil }
        self.path = path
        list = nil
        format = "srt"
        self.language = language.flatMap(LanguageCode.threeLetters)
    }

    /// ffmpeg's arguments for it.
    var arguments: [String] {
        let start = delay > 0 ? ["-itsoffset", "\(Int64((delay * 1_000_000).rounded()))us"] : []
        guard let list else {
            let name = isFed ? "pipe:0" : "file:" + path.string
            // Beside another input ffmpeg 5 and 6 sleep whenever the queue of 8 packets is empty.
            let queue = isFed ? ["-thread_queue_size", "512"] : []
            return start + queue + ["-protocol_whitelist", "file,pipe", "-f", format, "-i", name]
        }
        // subfile is a byte range of a local file.
        return start + [
            "-protocol_whitelist", "file,pipe,subfile", "-f", "concat", "-safe", "0", "-i", "file:" + list.string,
        ]
    }

    /// ffmpeg's arguments about the stream that it becomes, such as `a:0`.
    func metadata(_ stream: String) -> [String] {
        let option = "-metadata:s:\(stream)"
        return (language.map { [option, "language=\($0)"] } ?? [])
            + (title.map { [option, "handler_name=\($0)"] } ?? [])
    }

    /// The list of a file's parts for ffmpeg's concat demuxer: each part follows the one before in time. Nil for a path
    /// that can't be in a list.
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
        case .webM: "matroska"
        case .webVTT: "webvtt"
        case .page: nil
        }
    }
}
