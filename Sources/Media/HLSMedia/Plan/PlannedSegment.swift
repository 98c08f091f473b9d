import MediaTransfer

/// A segment to download.
package struct PlannedSegment: Sendable, Equatable, RedactedInPrint {
    /// Absolute, http or https.
    package var url: String
    /// The part of the resource; nil for all of it.
    package var range: Range<Int64>?
    /// Seconds.
    package var duration: Double
    /// The media sequence number.
    package var sequence: Int64
    /// Nil if it isn't encrypted.
    package var key: PlannedKey?
    /// In ``StreamPlan/maps``; nil if it needs none.
    package var map: Int?
    /// Whether the host marks it as missing.
    package var isGap: Bool
    /// Whether formats or timestamps may differ from the segment before.
    package var startsDiscontinuity: Bool

    package init(
        url: String, range: Range<Int64>? = nil, duration: Double, sequence: Int64, key: PlannedKey? = nil,
        map: Int? = nil, isGap: Bool = false, startsDiscontinuity: Bool = false
    ) {
        self.url = url
        self.range = range
        self.duration = duration
        self.sequence = sequence
        self.key = key
        self.map = map
        self.isGap = isGap
        self.startsDiscontinuity = startsDiscontinuity
    }
}

/// A key for AES-128 in CBC mode.
package struct PlannedKey: Sendable, Equatable, RedactedInPrint {
    /// Absolute, http or https; the body is 16 bytes.
    package var url: String
    /// 16 bytes.
    package var iv: [UInt8]

    package init(url: String, iv: [UInt8]) {
        self.url = url
        self.iv = iv
    }
}

/// The data that a decoder needs before the segments that refer to it.
package struct PlannedMap: Sendable, Equatable, RedactedInPrint {
    /// Absolute, http or https.
    package var url: String
    /// The part of the resource; nil for all of it.
    package var range: Range<Int64>?
    /// Nil if it isn't encrypted.
    package var key: PlannedKey?

    package init(url: String, range: Range<Int64>? = nil, key: PlannedKey? = nil) {
        self.url = url
        self.range = range
        self.key = key
    }
}
