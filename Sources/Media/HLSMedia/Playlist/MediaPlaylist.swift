import MediaTransfer

/// The segments of one stream (RFC 8216 §4.3.3). Partial segments and hints for live streams are omitted.
package struct MediaPlaylist: Sendable, Equatable, RedactedInPrint {
    /// The value of EXT-X-PLAYLIST-TYPE.
    package enum Kind: Sendable, Equatable {
        /// It doesn't change any more.
        case vod
        /// It only grows.
        case event
    }

    /// Seconds, rounded up; nil if not given.
    package var targetDuration: Int64?
    /// The number of the first segment.
    package var mediaSequence: Int64 = 0
    /// The number of the first segment's discontinuity.
    package var discontinuitySequence: Int64 = 0
    /// The version of the protocol; nil if not given.
    package var version: Int64?
    /// Nil if not given.
    package var kind: Kind?
    /// Whether it has EXT-X-ENDLIST.
    package var hasEnd = false
    /// Whether that follows all segments: RFC 8216 §4.3.3.4 allows it anywhere.
    package var endsWithMark = false
    /// Whether the segments are single pictures.
    package var isIFramesOnly = false
    /// Whether segments were omitted because an earlier version of the playlist had them (EXT-X-SKIP).
    package var hasSkippedSegments = false
    /// The time of the media, in seconds, at which the playlist begins; only presentations say so.
    package var timeOffset = 0.0
    /// In order.
    package var segments: [MediaSegment] = []
    /// The elements that ``MediaSegment/map`` refers to, one for each EXT-X-MAP.
    package var maps: [MediaMap] = []

    /// Whether it may still grow.
    var isLive: Bool { !hasEnd && kind != .vod }

    package init() {}
}
