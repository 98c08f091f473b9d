import HLSMedia

/// When the tracks of a stream begin on its clock: tracks that aren't much apart stay so in the file.
struct TrackBegins: Sendable {
    /// Beyond so many seconds their clocks have nothing to do with each other.
    private static let mostApart = 10.0

    /// How long after the beginning of the file each track begins, in seconds.
    private let delays: [Double]
    /// When the file begins on the stream's clock, which its subtitles go by, in ticks of 90 kHz; nil if that can't be told.
    let origin: UInt64?

    /// In the order of the tracks; nil for those of which it can't be told.
    init(_ begins: [MediaTime?]) {
        let known = begins.compactMap(\.self)
        let offsets = known.map { MediaClock.offset(from: known[0], to: $0) }
        let first = offsets.min() ?? 0
        let areTogether = known.count == begins.count && (offsets.max() ?? 0) - first <= Self.mostApart
        delays = areTogether ? offsets.map { $0 - first } : begins.map { _ in 0 }
        let earliest = offsets.firstIndex(of: first).map { known[$0] }
        origin = (areTogether ? earliest : begins.first ?? nil)?.ticks
    }

    func delay(of track: Int) -> Double { delays.indices.contains(track) ? delays[track] : 0 }
}
