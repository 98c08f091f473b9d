import MediaTransfer

/// The location of the data that a decoder needs before the segments (EXT-X-MAP, RFC 8216 §4.3.2.5).
package struct MediaMap: Sendable, Equatable, RedactedInPrint {
    /// As written, with variables replaced.
    package var uri: String
    /// The part of the resource; nil for all of it. An omitted offset is 0.
    package var byteRange: Range<Int64>?
    /// The active keys at the tag.
    package var keys: [PlaylistKey]
    /// The number of the next segment, used in place of an omitted IV.
    package var sequence: Int64
    /// The line of the tag, from 1 on.
    package var line: Int

    package init(uri: String, byteRange: Range<Int64>?, keys: [PlaylistKey], sequence: Int64, line: Int) {
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
        self.sequence = sequence
        self.line = line
    }
}
