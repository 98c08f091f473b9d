import MediaTransfer

/// Where to find what a decoder needs ahead of the segments (EXT-X-MAP, RFC 8216 §4.3.2.5).
package struct MediaMap: Sendable, Equatable, RedactedInPrint {
    /// As written, with variables replaced.
    package var uri: String
    /// The part of the resource; nil for all of it. An offset that was left out is 0.
    package var byteRange: Range<Int64>?
    /// In force where the tag stood.
    package var keys: [PlaylistKey]
    /// The number of the segment that follows, which stands for an IV that wasn't given.
    package var sequence: Int64
    /// Where the tag is, from 1 on.
    package var line: Int

    package init(uri: String, byteRange: Range<Int64>?, keys: [PlaylistKey], sequence: Int64, line: Int) {
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
        self.sequence = sequence
        self.line = line
    }
}
