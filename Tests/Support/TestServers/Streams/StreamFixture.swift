/// A small real stream of 24 segments of one second each, made by ffmpeg, in a folder that a server can give out.
package struct StreamFixture: Sendable {
    /// What kinds there are.
    package enum Kind: String, Sendable, CaseIterable {
        /// MPEG-TS, a file for each segment.
        case transportStream = "ts"
        /// fMP4 with an initialization section.
        case fragmentedMP4 = "fmp4"
        /// MPEG-TS in one file; only the first range says where it begins.
        case rangedTransportStream = "ranged-ts"
        /// fMP4 in one file, its initialization section too.
        case rangedFragmentedMP4 = "ranged-fmp4"
        /// MPEG-TS, AES-128 with a new key and IV every five segments; the last two are in the clear.
        case rotatingKeys = "rotating-keys"
        /// MPEG-TS, AES-128 with two keys; the IV is the number of the segment, from 7 on.
        case impliedIV = "implied-iv"
        /// fMP4, AES-128, its initialization section too.
        case encryptedMP4 = "encrypted-fmp4"
        /// ADTS with an ID3 tag in front of each segment, no picture.
        case packedAudio = "packed-audio"
        /// fMP4 of two parts: the second has another size, another initialization section, and times from 0 on again.
        case twoParts = "two-parts"
        /// A master playlist: three pictures, sound in two languages (`en` in fMP4, `de` in ADTS), subtitles in both.
        case master
    }

    package let kind: Kind
    /// The folder with everything that a server has to give out, an absolute path.
    package let folder: String
    /// The playlist to begin with, in the folder.
    package let playlist: String
    /// A file whose picture the stream has; nil if it has none.
    package let picture: String?
    /// A file whose sound the stream has.
    package let sound: String
    /// The picture with its sound, or the sound alone; of a master playlist the highest picture, then the English sound.
    package let tracks: [Track]

    /// What one playlist of media names, and what its segments make.
    package struct Track: Sendable {
        /// The names of the segments, in order. A name comes several times where they are ranges of one file.
        package var segments: [String]
        /// The file of the initialization section, an absolute path.
        package var initialization: String?
        /// Files with what each segment makes: decrypted, absolute paths. Empty where that can't be told apart.
        package var parts: [String]
    }

    /// The names of the segments of the first track.
    package var segments: [String] { tracks[0].segments }

    /// Which file of a language a `master` has the sound of.
    package func sound(in language: String) -> String {
        language == "en" ? sound : sound.replacing("en.m4a", with: "de.m4a")
    }

    /// How many segments each stream has, and how many seconds.
    package static let count = 24
}
