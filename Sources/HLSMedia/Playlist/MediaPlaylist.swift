import MediaTransfer

/// The segments of one stream (RFC 8216 §4.3.3). Partial segments and hints for live streams are left out.
package struct MediaPlaylist: Sendable, Equatable, RedactedInPrint {
    /// What EXT-X-PLAYLIST-TYPE says.
    package enum Kind: Sendable, Equatable {
        /// It doesn't change any more.
        case vod
        /// It only grows.
        case event
    }

    /// Seconds, rounded up; nil where the playlist doesn't say.
    package var targetDuration: Int64?
    /// The number of the first segment.
    package var mediaSequence: Int64 = 0
    /// The number of the first segment's discontinuity.
    package var discontinuitySequence: Int64 = 0
    /// The version of the protocol; nil where the playlist doesn't say.
    package var version: Int64?
    /// Nil where the playlist doesn't say.
    package var kind: Kind?
    /// Whether EXT-X-ENDLIST was there.
    package var hasEnd = false
    /// Whether it stood behind every segment: RFC 8216 §4.3.3.4 lets it stand anywhere.
    package var endsWithMark = false
    /// Whether the segments are single pictures.
    package var isIFramesOnly = false
    /// Whether segments were left out because an earlier version of the playlist had them (EXT-X-SKIP).
    package var hasSkippedSegments = false
    /// In order.
    package var segments: [MediaSegment] = []
    /// What ``MediaSegment/map`` counts in, one for each EXT-X-MAP.
    package var maps: [MediaMap] = []

    package init() {}
}
