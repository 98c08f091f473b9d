/// The reason why a presentation can't be downloaded, with its place. Quotes nothing that may be a secret.
package struct PresentationError: Error, Sendable, Equatable {
    package enum Item: Sendable, Equatable {
        case periods
        case representations
        case segments
    }

    package enum Fact: Sendable, Equatable {
        /// It isn't XML, in the words of the reader.
        case malformed(String)
        /// An element of it is elsewhere (`xlink:href`).
        case isElsewhere
        /// An attribute, or the element of this name, has no possible value.
        case value(String)
        /// More of them than ``PlaylistLimit`` allows.
        case tooMany(Item)
        /// The addresses of the segments together take more than ``StreamPlan/addressLimit``.
        case tooLong
        /// The address of the segments has an unknown identifier.
        case template
        /// Nothing says what the addresses of the segments are.
        case noAddress
        /// Nothing says how many segments there are.
        case noDuration
        /// Some of its periods have separate sound, a picture or an initialization section, and others don't.
        case unlikePeriods
        /// The segments can't be found by the index within their file.
        case index(SegmentIndexError)
    }

    /// From 1 on.
    package var line: Int
    package var fact: Fact

    package init(_ fact: Fact, line: Int) {
        self.fact = fact
        self.line = line
    }
}

/// The reason why an index within a file isn't used.
package enum SegmentIndexError: Error, Sendable, Equatable {
    /// There is none in the bytes.
    case missing
    /// It is truncated, or has impossible numbers.
    case invalid
    /// It names further indexes instead of segments.
    case hierarchical
    /// It has more bytes than a playlist may have.
    case tooLarge
}
