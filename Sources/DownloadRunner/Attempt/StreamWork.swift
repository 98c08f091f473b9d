import Crypto
import DownloadStore
import HLSMedia
import MediaTransfer

/// A stream on its way into its partials; read by the bookkeeper and by the events while it runs.
final class StreamWork: Sendable {
    /// One playlist and its partial.
    struct Track: Sendable {
        var name: PartialName
        var partial: PartialFile
        var assembler: StreamAssembler
        /// Where each segment lies in it; nil where nobody needs to know.
        var index: PartialFile?
        /// When each segment begins, and the end of the last one, in seconds of playing time.
        var times: [Double]
    }

    /// Tells the stream apart from others.
    let digest: [UInt8]
    /// Picture, then separate sound.
    let tracks: [Track]
    /// How long it plays.
    let seconds: Double

    init(digest: [UInt8], tracks: [Track], seconds: Double) {
        self.digest = digest
        self.tracks = tracks
        self.seconds = seconds
    }

    /// Joined so far.
    var bytes: Int64 { tracks.reduce(0) { $0 + $1.assembler.position.bytes } }

    /// Received over the network by this work.
    var received: Int64 { tracks.reduce(0) { $0 + $1.assembler.received } }

    /// What all of it will have, by the playing time that is there; nil as long as that says little. What hasn't begun
    /// counts nothing: that is sound, and small.
    var estimatedSize: Int64? {
        var size = 0.0
        for track in tracks {
            let position = track.assembler.position
            guard let total = track.times.last, position.next < track.times.count else { return nil }
            let done = track.times[position.next]
            if done > 0, total > 0 { size += Double(position.bytes) * (total / done) }
        }
        return size > 0 && size < 1e18 ? Int64(size) : nil
    }

    /// Reads it from the beginnings of the partials.
    func begins() async -> TrackBegins {
        var begins: [MediaTime?] = []
        for track in tracks {
            let kind = await track.assembler.container
            let bytes = try? track.partial.prefix(256 << 10)
            begins.append(kind.flatMap { kind in bytes.flatMap { MediaClock.begin(of: $0, kind: kind) } })
        }
        return TrackBegins(begins)
    }

    /// Seconds of playing time that are joined, the mean of its tracks.
    var playedSeconds: Double {
        let played = tracks.map { $0.times[min($0.assembler.position.next, $0.times.count - 1)] }
        return played.reduce(0, +) / Double(max(1, played.count))
    }

    /// What is durable after a flush that this call makes. Blocks.
    func flush() throws(FileError) -> ProgressFacts {
        // Before the flush: what is joined during it isn't durable by it.
        let positions = tracks.map(\.assembler.position)
        for partial in partials where partial.isOpen { _ = try partial.flush() }
        return ProgressFacts(
            bytes: positions.reduce(0) { $0 + $1.bytes }, total: estimatedSize, validators: Validators(),
            stream: StreamRecord(
                plan: digest, tracks: positions.map { .init(next: $0.next, bytes: $0.bytes) }, seconds: seconds))
    }

    /// Gives the descriptors up.
    func close() { for partial in partials { partial.close() } }

    private var partials: [PartialFile] { tracks.flatMap { [$0.partial, $0.index].compactMap(\.self) } }
}

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

/// How a joined file is laid out: one that was begun in one way isn't gone on with in another.
enum StreamLayout: String {
    /// Segment behind segment.
    case plain
    /// With an index beside it, and possibly of several parts.
    case indexed
    /// The same, every segment as it came, so that a playlist can lead through it.
    case package

    /// Tells streams apart, and layouts.
    func digest(of source: StreamSource) -> [UInt8] {
        self == .plain ? source.digest : Array(SHA256.hash(data: source.digest + Array(rawValue.utf8)))
    }
}

extension PartialName {
    /// The partial of a stream's track: the first is the video's own.
    static func track(_ number: Int, of download: DownloadID) -> PartialName {
        number == 0
            ? PartialName(download: download.rawValue) : PartialName(download: download.rawValue, sidecar: trackMark)
    }

    /// Where the segments of a track lie.
    static func index(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: indexMarks[min(number, 1)])
    }

    /// What tells ffmpeg of a track's parts.
    static func list(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "list\(number)")
    }

    /// A playlist of a package.
    static func playlist(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "playlist\(number)")
    }

    /// All that a download may leave behind, its sidecars' aside.
    static func all(of download: DownloadID) -> [PartialName] {
        (0..<2).flatMap { [track($0, of: download), index($0, of: download), list($0, of: download)] }
            + (0..<3).map { playlist($0, of: download) } + [remuxed(download)]
    }

    /// Subtitles of a stream, by their order in its playlist.
    static func subtitle(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "subtitle\(number)")
    }

    /// What ffmpeg makes of the joined file.
    static func remuxed(_ download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "remux")
    }

    /// Whether a later run goes on with it: a video's own, or what else a stream is joined to.
    var isResumed: Bool { sidecar.map { $0 == Self.trackMark || Self.indexMarks.contains($0) } ?? true }

    private static var trackMark: String { "audio" }
    private static var indexMarks: [String] { ["index", "audio-index"] }
}
