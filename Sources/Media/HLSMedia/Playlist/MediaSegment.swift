import MediaTransfer

/// One segment of a media playlist (RFC 8216 §4.3.2).
package struct MediaSegment: Sendable, Equatable, RedactedInPrint {
    /// As written, with variables replaced.
    package var uri: String
    /// Seconds; 0 only if given so, or in a playlist of single pictures.
    package var duration: Double
    /// The part of the resource that is the segment; nil for all of it. Omitted offsets are computed.
    package var byteRange: Range<Int64>?
    /// The media sequence number.
    package var sequence: Int64
    /// An index in ``MediaPlaylist/maps``; nil before the first.
    package var map: Int?
    /// All active ones, at most one of each format; empty for an unencrypted segment.
    package var keys: [PlaylistKey] = []
    /// Whether EXT-X-DISCONTINUITY precedes it.
    package var isDiscontinuity = false
    /// Whether the host marks the segment as missing.
    package var isGap = false
    /// As written; nil if it is missing or longer than 64 bytes.
    package var programDateTime: String?
    /// The line of the URI, from 1 on.
    package var line: Int

    package init(uri: String, duration: Double, sequence: Int64, line: Int) {
        self.uri = uri
        self.duration = duration
        self.sequence = sequence
        self.line = line
    }
}
