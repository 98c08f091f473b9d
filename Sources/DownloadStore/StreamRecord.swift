package import Foundation

/// How far a stream has come: which segments its partials hold.
package struct StreamRecord: Sendable, Equatable, Codable {
    /// One playlist and its partial.
    package struct Track: Sendable, Equatable, Codable {
        /// The first segment that is missing, counted from 0.
        package var next: Int
        /// The length of the partial that all before it make.
        package var bytes: Int64

        package init(next: Int, bytes: Int64) {
            self.next = next
            self.bytes = bytes
        }
    }

    /// Digest of the segments; a playlist of another one is another stream.
    package var plan: Data
    /// The picture, with or without sound, then separate sound.
    package var tracks: [Track]
    /// How long all of it plays, in seconds.
    package var seconds: Double

    package init(plan: [UInt8], tracks: [Track], seconds: Double) {
        self.plan = Data(plan)
        self.tracks = tracks
        self.seconds = seconds
    }

    /// As the state keeps it.
    var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    /// Nil for what can't be read: the stream is begun anew then.
    init?(text: String) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
            (0...1e8).contains(record.seconds),
            record.tracks.allSatisfy({ 0...(1 << 30) ~= $0.next && ByteCount.believed($0.bytes) != nil })
        else { return nil }
        self = record
    }
}
