import MediaTransfer

/// The representations that follow each other in the periods of a presentation, as one media playlist.
///
/// Each period after the first begins with a discontinuity, as advertisements in a playlist do.
package struct PresentationTrack: Sendable, RedactedInPrint {
    /// One segment of a representation.
    private struct Piece {
        var uri: String
        var range: Range<Int64>?
        /// Seconds on the media's clock.
        var start: Double
        var duration: Double
    }

    /// Shorter overlaps with a period are due to rounding, in seconds.
    private static let overlap = 0.001

    package private(set) var playlist = MediaPlaylist()
    /// The limit on all addresses together, in bytes.
    private let addressLimit: Int
    /// Whether segments outside of a period belong to another one: periods may be parts of one file.
    private let hasOthers: Bool
    private var addressBytes = 0

    /// - Parameter periods: how many there are.
    package init(periods: Int, addressLimit: Int) {
        hasOthers = periods > 1
        self.addressLimit = addressLimit
        playlist.kind = .vod
        playlist.hasEnd = true
        playlist.endsWithMark = true
    }

    /// Adds a period's representation.
    ///
    /// - Parameters:
    ///   - index: of ``Representation/index``, if it has one.
    ///   - isLast: whether it is the last period, whose end is the end of the media.
    package mutating func add(
        _ representation: Representation, of period: PresentationPeriod, index: SegmentIndex? = nil, isLast: Bool = true
    ) throws(PresentationError) {
        let information = representation.segments
        let offset = information?.timeOffset.flatMap { information?.seconds($0) } ?? 0
        if playlist.segments.isEmpty { playlist.timeOffset = offset }
        let begin = playlist.segments.count
        let pieces = try pieces(of: representation, period, index)
        guard begin + pieces.count <= PlaylistLimit.segments, playlist.maps.count < PlaylistLimit.maps else {
            throw PresentationError(.tooMany(.segments), line: representation.line)
        }
        let map = try map(of: representation, index)
        // A playlist can't go back to segments without one.
        if let last = playlist.segments.last, (last.map == nil) != (map == nil) {
            throw PresentationError(.unlikePeriods, line: representation.line)
        }
        for piece in pieces {
            let place = piece.start - offset
            if hasOthers {
                if place + piece.duration <= Self.overlap { continue }
                if let end = period.duration, !isLast, place >= end - Self.overlap { continue }
            }
            var segment = MediaSegment(
                uri: piece.uri, duration: piece.duration, sequence: Int64(playlist.segments.count),
                line: representation.line)
            segment.byteRange = piece.range
            segment.keys = representation.keys
            segment.map = map
            segment.isDiscontinuity = begin > 0 && playlist.segments.count == begin
            playlist.segments.append(segment)
        }
    }

    /// The number of its initialization section in the playlist; nil without one.
    private mutating func map(of representation: Representation, _ index: SegmentIndex?) throws(PresentationError)
        -> Int?
    {
        guard let section = try section(of: representation, isIndexed: index != nil) else { return nil }
        playlist.maps.append(
            MediaMap(
                uri: section.uri, byteRange: section.range, keys: representation.keys,
                sequence: Int64(playlist.segments.count), line: representation.line))
        return playlist.maps.count - 1
    }

    private func section(
        of representation: Representation, isIndexed: Bool
    ) throws(PresentationError) -> Representation.Section? {
        if isIndexed { return representation.index?.initialization }
        // A file without an index is one segment, which begins with it.
        guard let information = representation.segments, information.form != .base else { return nil }
        if let text = information.initialization {
            let reference = try template(text, of: representation, information).address()
            return .init(uri: PresentationReference.joined(reference, to: representation.base), range: nil)
        }
        return information.initializationSource.map { source in
            .init(
                uri: source.uri.map { PresentationReference.joined($0, to: representation.base) }
                    ?? representation.base,
                range: source.range)
        }
    }

    // MARK: segments

    private mutating func pieces(
        of representation: Representation, _ period: PresentationPeriod, _ index: SegmentIndex?
    ) throws(PresentationError) -> [Piece] {
        if let index {
            try spend(representation.base, times: index.entries.count, representation)
            return index.entries.map {
                Piece(uri: representation.base, range: $0.range, start: $0.start, duration: $0.duration)
            }
        }
        guard let information = representation.segments, information.form != .base else {
            // Whole files can't follow each other in one.
            if hasOthers { throw PresentationError(.index(.missing), line: representation.line) }
            try spend(representation.base, times: 1, representation)
            let offset = representation.segments?.timeOffset ?? 0
            return [
                Piece(
                    uri: representation.base, range: nil,
                    start: representation.segments?.seconds(offset) ?? 0, duration: period.duration ?? 0)
            ]
        }
        return try information.form == .list
            ? listed(representation, information, period) : numbered(representation, information, period)
    }

    private mutating func listed(
        _ representation: Representation, _ information: SegmentInformation, _ period: PresentationPeriod
    ) throws(PresentationError) -> [Piece] {
        guard let sources = information.list else {
            throw PresentationError(.noAddress, line: information.line)
        }
        let times = try SegmentTimes(information, period: period.duration, count: sources.count).entries
        guard times.count >= sources.count else { throw PresentationError(.noDuration, line: information.line) }
        var pieces: [Piece] = []
        pieces.reserveCapacity(sources.count)
        for (source, time) in zip(sources, times) {
            let uri =
                source.uri.map { PresentationReference.joined($0, to: representation.base) } ?? representation.base
            try spend(uri, times: 1, representation)
            pieces.append(
                Piece(
                    uri: uri, range: source.range, start: information.seconds(time.start),
                    duration: information.seconds(time.duration)))
        }
        return pieces
    }

    private mutating func numbered(
        _ representation: Representation, _ information: SegmentInformation, _ period: PresentationPeriod
    ) throws(PresentationError) -> [Piece] {
        guard let media = information.media else { throw PresentationError(.noAddress, line: information.line) }
        let template = try template(media, of: representation, information)
        let times = try SegmentTimes(information, period: period.duration).entries
        var pieces: [Piece] = []
        pieces.reserveCapacity(times.count)
        for time in times {
            let uri = PresentationReference.joined(
                template.address(number: time.number, time: time.start), to: representation.base)
            try spend(uri, times: 1, representation)
            pieces.append(
                Piece(
                    uri: uri, range: nil, start: information.seconds(time.start),
                    duration: information.seconds(time.duration)))
        }
        return pieces
    }

    private func template(
        _ text: String, of representation: Representation, _ information: SegmentInformation
    ) throws(PresentationError) -> AddressTemplate {
        guard
            let template = AddressTemplate(text, id: representation.id, bandwidth: representation.bandwidth)
        else { throw PresentationError(.template, line: information.line) }
        return template
    }

    /// Bounds the memory for addresses before they are resolved.
    private mutating func spend(
        _ uri: String, times: Int, _ representation: Representation
    ) throws(PresentationError) {
        let (bytes, isTooMuch) = uri.utf8.count.multipliedReportingOverflow(by: times)
        addressBytes += isTooMuch ? addressLimit : bytes
        guard !isTooMuch, addressBytes <= addressLimit else {
            throw PresentationError(.tooLong, line: representation.line)
        }
    }
}
