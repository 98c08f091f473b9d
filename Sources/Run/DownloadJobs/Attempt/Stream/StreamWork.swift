import DownloadStore
import FileSystem
import HLSMedia
import MediaLibrary
import MediaTransfer

/// A stream being joined into its partials; bookkeeper and events read it meanwhile.
final class StreamWork: Sendable {
    /// One playlist and its partial.
    struct Track: Sendable {
        var name: PartialName
        var partial: PartialFile
        var assembler: StreamAssembler
        /// The position of each segment in it; nil if they aren't needed.
        var index: PartialFile?
        /// What is kept of each segment of a recording.
        var list: PartialFile?
        /// The start of each segment, and the end of the last one, in seconds of playing time.
        var times: [Double]
        /// The time of its media at which it begins, if a presentation says so.
        var timeOffset: Double
    }

    /// Identifies the stream.
    let digest: StreamLayoutDigest
    /// Picture, then separate sound.
    let tracks: [Track]
    /// The playing time.
    let seconds: Double
    /// Whether digests of its partials are computed.
    let isHashed: Bool
    /// Of a stream that is still live, whose end nobody knows.
    let recording: StreamRecord.Recording?

    init(
        digest: StreamLayoutDigest, tracks: [Track], seconds: Double, isHashed: Bool,
        recording: StreamRecord.Recording? = nil
    ) {
        self.digest = digest
        self.tracks = tracks
        self.seconds = seconds
        self.isHashed = isHashed
        self.recording = recording
    }

    /// Joined so far.
    var bytes: Int64 { tracks.reduce(0) { $0 + $1.assembler.position.bytes } }

    /// Received over the network by this work.
    var received: Int64 { tracks.reduce(0) { $0 + $1.assembler.received } }

    /// The estimated total, from the playing time so far; nil as long as that is unreliable, before the picture
    /// begins, and while it is recorded.
    var estimatedSize: Int64? {
        guard recording == nil, let picture = tracks.first?.assembler.position, picture.bytes > 0, playedSeconds > 0
        else { return nil }
        return estimatedSizeOfBegun
    }

    /// The same, without tracks that haven't begun.
    var estimatedSizeOfBegun: Int64? {
        var size = 0.0
        for track in tracks {
            let position = track.assembler.position
            guard let total = track.times.last, position.next < track.times.count else { return nil }
            let done = track.times[position.next]
            if done > 0, total > 0 { size += Double(position.bytes) * (total / done) }
        }
        return size > 0 && size < 0x1p53 ? Int64(size) : nil
    }

    /// Read from the beginnings of the partials.
    func begins() async -> TrackStartTimes {
        var begins: [MediaTime?] = []
        for track in tracks {
            let kind = await track.assembler.container
            let bytes = try? track.partial.prefix(256 << 10)
            begins.append(kind.flatMap { kind in bytes.flatMap { MediaClock.begin(of: $0, kind: kind) } })
        }
        return TrackStartTimes(begins, from: tracks.map(\.timeOffset))
    }

    /// Seconds of playing time that are joined; of separate sound, which comes first, the picture counts.
    var playedSeconds: Double {
        tracks.first.map { $0.times[min($0.assembler.position.next, $0.times.count - 1)] } ?? 0
    }

    /// The durable progress after a flush made by this call. Blocks.
    func flush() throws(FileError) -> ProgressFacts {
        // Before the flush, which doesn't cover segments joined during it.
        let positions = tracks.map(\.assembler.position)
        for partial in partials where partial.isOpen { _ = try partial.flush() }
        let record = StreamRecord(
            plan: digest, tracks: positions.map { .init(next: $0.next, bytes: $0.bytes) }, seconds: seconds,
            recording: recording)
        return ProgressFacts(
            bytes: positions.reduce(0) { $0 + $1.bytes }, total: estimatedSize, validators: Validators(),
            position: record.text, seconds: seconds)
    }

    /// Closes the descriptors.
    func close() { for partial in partials { partial.close() } }

    private var partials: [PartialFile] { tracks.flatMap { [$0.partial, $0.index, $0.list].compactMap(\.self) } }
}
