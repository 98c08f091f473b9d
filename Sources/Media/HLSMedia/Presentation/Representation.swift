import MediaTransfer

/// One encoding of a period's picture, sound or text. Related: ISO/IEC 23009-1 §5.3.5.
package struct Representation: Sendable, Equatable, RedactedInPrint {
    package enum Kind: String, Sendable, Equatable {
        /// May have sound, too.
        case video
        case audio
        case text
    }

    package var kind: Kind
    package var id: String
    /// The position of its AdaptationSet in the period.
    var set: Int
    /// In bits per second; 0 if missing or not a number.
    package var bandwidth: Int64 = 0
    /// In lower case, without parameters.
    package var mediaType = ""
    /// As written, e.g. `avc1.640028`; empty if not given.
    package var codecs: [String] = []
    /// Nil if not given.
    package var resolution: FrameSize?
    /// Pictures a second.
    package var frameRate: Double?
    /// As written.
    package var language: String?
    /// A readable name; empty if not given.
    package var label = ""
    /// `main`, `commentary`, `description` and others, in order.
    package var roles: [String] = []
    /// What it is protected with.
    package var keys: [PlaylistKey] = []
    /// The reference of its BaseURL, relative to the presentation or absolute.
    var base = ""
    /// Nil if it is one file.
    var segments: SegmentInformation?
    /// Of its element, from 1 on.
    package var line: Int

    init(kind: Kind, id: String, set: Int, line: Int) {
        self.kind = kind
        self.id = id
        self.set = set
        self.line = line
    }

    /// The first part of the codec's name; a typical one for the kind of file if it isn't given.
    var family: String {
        guard let codec = codecs.first else { return mediaType.hasSuffix("/webm") ? "opus" : "mp4a" }
        return codec.prefix { $0 != "." }.lowercased()
    }

    /// Whether the segments have to be looked up in an index within the file.
    package var index: Index? {
        guard let segments, segments.form == .base, let range = segments.indexRange else { return nil }
        let source = segments.initializationSource
        // Before an index at the begin there is nothing for a decoder: the file is one piece.
        guard source != nil || range.lowerBound > 0 else { return nil }
        let uri = source?.uri.map { PresentationReference.joined($0, to: base) } ?? base
        let section =
            source.map { Section(uri: uri, range: $0.range) } ?? Section(uri: base, range: 0..<range.lowerBound)
        return Index(
            uri: base, range: range, initialization: section, line: segments.line,
            isWebM: mediaType.hasSuffix("/webm"))
    }

    /// Data that a decoder needs before the segments.
    package struct Section: Sendable, Equatable, RedactedInPrint {
        package var uri: String
        package var range: Range<Int64>?
    }

    /// The place of an index.
    package struct Index: Sendable, Equatable, RedactedInPrint {
        package var uri: String
        package var range: Range<Int64>
        package var initialization: Section
        /// Of the element that names it, from 1 on.
        package var line: Int
        /// Whether it is that of a WebM file, which counts from what the initialization section says.
        package var isWebM: Bool
    }
}
