import HLSMedia

/// The start times of a stream's tracks on its clock: small differences are kept in the file.
struct TrackStartTimes: Sendable, Equatable {
    /// Beyond this difference in seconds their clocks are unrelated.
    private static let mostApart = 10.0

    /// Whether each track's beginning is known.
    let areKnown: Bool
    /// Each track's delay after the beginning of the file, in seconds.
    private let delays: [Double]
    /// The beginning of the file on the stream's clock, to which its subtitles refer, in ticks of 90 kHz; nil if
    /// unknown.
    let origin: UInt64?

    /// - Parameters:
    ///   - begins: in the order of the tracks; nil for unknown ones.
    ///   - starts: the time on each track's clock at which the stream begins, in seconds; by default all have one
    ///     clock.
    init(_ begins: [MediaTime?], from starts: [Double] = []) {
        let known = begins.compactMap(\.self)
        areKnown = known.count == begins.count
        let shifts = starts.count == known.count ? starts.map { $0 - starts[0] } : known.map { _ in 0 }
        let offsets = zip(known, shifts).map { MediaClock.offset(from: known[0], to: $0) - $1 }
        let first = offsets.min() ?? 0
        let areTogether = areKnown && (offsets.max() ?? 0) - first <= Self.mostApart
        delays = areTogether ? offsets.map { $0 - first } : begins.map { _ in 0 }
        let earliest = offsets.firstIndex(of: first).map { known[$0] }
        origin = (areTogether ? earliest : begins.first ?? nil)?.ticks
    }

    func delay(of track: Int) -> Double { delays.indices.contains(track) ? delays[track] : 0 }
}
