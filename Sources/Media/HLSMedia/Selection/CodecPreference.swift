/// The choice among codecs for pictures of one size: the ones that play on the most devices.
///
/// Pictures: H.264, then a stream without codecs, HEVC, Dolby Vision, VP9, AV1, any other. Sound: AAC and MP3, then
/// AC-3 and E-AC-3, then any other. The names are those of RFC 6381.
enum CodecPreference {
    /// Smaller is better; pictures have precedence over sound.
    static func rank(_ codecs: [String]) -> Int {
        let pictures = codecs.filter { !isAudio($0) && !isText($0) }.map(picture).max() ?? 1
        return pictures * 10 + (codecs.filter(isAudio).map(sound).max() ?? 0)
    }

    /// Whether the codecs are known and all are for sound.
    static func areAudioOnly(_ codecs: [String]) -> Bool { !codecs.isEmpty && codecs.allSatisfy(isAudio) }

    private static let audioNames: Set<String> = [
        "mp4a", "mp3", "ac-3", "ec-3", "ac-4", "opus", "flac", "alac", "vorbis", "dtsc", "dtse", "dtsh", "dtsl", "dtsx",
        "mha1", "mhm1", "samr", "sawb", "iamf", "apac", "usac",
    ]

    private static let pictureRanks = [
        "avc1": 0, "avc3": 0, "hvc1": 2, "hev1": 2, "dvh1": 3, "dvhe": 3, "dva1": 3, "dvav": 3, "vp09": 4, "vp9": 4,
        "vp08": 4, "vp8": 4, "av01": 5,
    ]

    private static func family(_ codec: String) -> String { codec.prefix { $0 != "." }.lowercased() }

    private static func isAudio(_ codec: String) -> Bool { audioNames.contains(family(codec)) }

    private static func isText(_ codec: String) -> Bool { ["wvtt", "stpp"].contains(family(codec)) }

    private static func picture(_ codec: String) -> Int { pictureRanks[family(codec)] ?? 6 }

    private static func sound(_ codec: String) -> Int {
        switch family(codec) {
        case "mp4a", "mp3": 0
        case "ac-3", "ec-3": 1
        default: 2
        }
    }
}
