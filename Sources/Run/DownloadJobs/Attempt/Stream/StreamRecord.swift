import DownloadStore
import FileSystem
import Foundation
import TextFormats

/// The progress of a stream: the segments in its partials.
struct StreamRecord: Sendable, Equatable, Codable {
    /// One playlist and its partial.
    struct Track: Sendable, Equatable, Codable {
        /// The index of the first missing segment, from 0.
        var next: Int
        /// The length of the partial with all segments before it.
        var bytes: Int64

        init(next: Int, bytes: Int64) {
            self.next = next
            self.bytes = bytes
        }
    }

    /// What a recording has beyond its segments.
    struct Recording: Sendable, Equatable, Codable {
        /// When its last segment came, in seconds since 1970.
        var grownAt: Double
        /// Of the catalog: provider, quality, sound and parameters; in base64.
        var source: String
        /// Of the master playlist.
        var renditions: [String]?
        /// Of separate sound.
        var language: String?
        var codecs: [String]?
    }

    /// Digest of the segments; a playlist with another one is another stream. In base64 in the state.
    var plan: Data
    /// The picture, with or without sound, then separate sound.
    var tracks: [Track]
    /// The total playing time in seconds.
    var seconds: Double
    /// Of a stream that was still live; nil for one that is downloaded.
    var recording: Recording?

    init(plan: StreamLayoutDigest, tracks: [Track], seconds: Double, recording: Recording? = nil) {
        self.plan = plan.withUnsafeBytes { Data($0) }
        self.tracks = tracks
        self.seconds = seconds
        self.recording = recording
    }

    /// The form in the state.
    var text: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// Nil if it can't be read: the stream starts over then.
    init?(text: String) {
        guard let record = try? JSONReader.decode(Self.self, from: text.utf8),
            (0...1e8).contains(record.seconds), (0...1e11).contains(record.recording?.grownAt ?? 0),
            record.tracks.allSatisfy({ 0...(1 << 30) ~= $0.next && ByteCount.believed($0.bytes) != nil })
        else { return nil }
        self = record
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let plan = Data(base64Encoded: try fields.decode(String.self, forKey: .plan)) else {
            throw DecodingError.dataCorruptedError(forKey: .plan, in: fields, debugDescription: "isn't base64")
        }
        self.plan = plan
        tracks = try fields.decode([Track].self, forKey: .tracks)
        seconds = try fields.decode(Double.self, forKey: .seconds)
        recording = try fields.decodeIfPresent(Recording.self, forKey: .recording)
    }
}
