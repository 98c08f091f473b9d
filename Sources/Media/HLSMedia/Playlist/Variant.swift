import MediaTransfer

/// One stream of a master playlist (EXT-X-STREAM-INF, RFC 8216 §4.3.4.2).
package struct Variant: Sendable, Equatable, RedactedInPrint {
    /// As written, with variables replaced.
    package var uri: String
    /// At its peak, in bits per second; 0 if missing or not a number.
    package var bandwidth: Int64
    /// In bits a second.
    package var averageBandwidth: Int64?
    /// Nil if not given.
    package var resolution: FrameSize?
    /// Pictures a second.
    package var frameRate: Double?
    /// As written, e.g. `avc1.640028`; empty if not given.
    package var codecs: [String] = []
    /// Group of ``Rendition``s; nil if sound is in the stream itself.
    package var audioGroup: String?
    /// Group of ``Rendition``s.
    package var subtitlesGroup: String?
    /// Group of ``Rendition``s.
    package var videoGroup: String?
    /// The line of the URI, from 1 on.
    package var line: Int

    package init(uri: String, bandwidth: Int64 = 0, resolution: FrameSize? = nil, line: Int = 1) {
        self.uri = uri
        self.bandwidth = bandwidth
        self.resolution = resolution
        self.line = line
    }
}
