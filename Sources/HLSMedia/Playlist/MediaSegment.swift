import MediaTransfer

/// One segment of a media playlist (RFC 8216 §4.3.2).
package struct MediaSegment: Sendable, Equatable, RedactedInPrint {
    /// As written, with variables replaced.
    package var uri: String
    /// Seconds; 0 only if written so, or in a playlist of single pictures.
    package var duration: Double
    /// The part of the resource that is the segment; nil for all of it. Offsets that were left out are worked out.
    package var byteRange: Range<Int64>?
    /// The media sequence number.
    package var sequence: Int64
    /// In ``MediaPlaylist/maps``; nil before the first.
    package var map: Int?
    /// All in force, at most one of each format; empty for a segment in the clear.
    package var keys: [PlaylistKey] = []
    /// Whether EXT-X-DISCONTINUITY stood before it.
    package var isDiscontinuity = false
    /// Whether the host says that the segment is missing.
    package var isGap = false
    /// As written; nil where it wasn't there or was longer than 64 bytes.
    package var programDateTime: String?
    /// Where the URI is, from 1 on.
    package var line: Int

    package init(uri: String, duration: Double, sequence: Int64, line: Int) {
        self.uri = uri
        self.duration = duration
        self.sequence = sequence
        self.line = line
    }
}
