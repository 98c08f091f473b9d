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

    /// What all of it will have, by the playing time that is there; nil as long as that says little.
    var estimatedSize: Int64? {
        var size = 0.0
        for track in tracks {
            let position = track.assembler.position
            guard let total = track.times.last, position.next < track.times.count else { return nil }
            let done = track.times[position.next]
            guard done > 0, total > 0 else { return nil }
            size += Double(position.bytes) * (total / done)
        }
        return size < 1e18 ? Int64(size) : nil
    }

    /// What is durable after a flush that this call makes. Blocks.
    func flush() throws(FileError) -> ProgressFacts {
        // Before the flush: what is joined during it isn't durable by it.
        let positions = tracks.map(\.assembler.position)
        for track in tracks where track.partial.isOpen { _ = try track.partial.flush() }
        return ProgressFacts(
            bytes: positions.reduce(0) { $0 + $1.bytes }, total: nil, validators: Validators(),
            stream: StreamRecord(
                plan: digest, tracks: positions.map { .init(next: $0.next, bytes: $0.bytes) }, seconds: seconds))
    }

    /// Gives the descriptors up.
    func close() { for track in tracks { track.partial.close() } }
}

extension PartialName {
    /// The partial of a stream's track: the first is the video's own.
    static func track(_ number: Int, of download: DownloadID) -> PartialName {
        number == 0
            ? PartialName(download: download.rawValue) : PartialName(download: download.rawValue, sidecar: trackMark)
    }

    /// What ffmpeg makes of the joined file.
    static func remuxed(_ download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "remux")
    }

    /// Whether a later run goes on with it: a video's own, or the separate sound of a stream.
    var isResumed: Bool { sidecar == nil || sidecar == Self.trackMark }

    private static var trackMark: String { "audio" }
}
