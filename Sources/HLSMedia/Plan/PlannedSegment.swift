/// A segment to be fetched.
package struct PlannedSegment: Sendable, Equatable {
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
    /// Whether the host says that it is missing.
    package var isGap: Bool
    /// Whether formats or timestamps may differ from the segment before.
    package var startsDiscontinuity: Bool
}

/// A key for AES-128 in CBC mode.
package struct PlannedKey: Sendable, Equatable {
    /// Absolute, http or https; the body is 16 bytes.
    package var url: String
    /// 16 bytes.
    package var iv: [UInt8]
}

/// What a decoder needs ahead of the segments that name it.
package struct PlannedMap: Sendable, Equatable {
    /// Absolute, http or https.
    package var url: String
    /// The part of the resource; nil for all of it.
    package var range: Range<Int64>?
    /// Nil if it isn't encrypted.
    package var key: PlannedKey?
}
