import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import SyncFacts

/// The recording of a stream that is still live: what its playlists have named so far, and the partials of that.
struct StreamRecording: Sendable {
    /// The result of opening it.
    enum Opening {
        case opened(StreamRecording)
        /// The contents of the partials can't be continued, for this reason.
        case another(DownloadError)
        case outcome(JobOutcome)
    }

    private let context: DownloadContext
    private(set) var tracks: [RecordedTrack]
    /// With what has been named so far.
    private(set) var work: StreamWork
    private(set) var grownAt: Date
    /// One that its host hasn't given, also with a newer playlist.
    var refused: RefusedSegment?

    /// See ``patience(_:)``.
    private var patience = Duration.zero

    /// A segment that its host doesn't give.
    struct RefusedSegment: Sendable {
        var track: Int
        var index: Int
        var since: Date
        /// Whether the provider has been asked for another answer.
        var isAskedAgain = false
    }

    // MARK: opening

    /// Opens the partials; ``take(_:)`` comes next.
    ///
    /// - Parameters:
    ///   - record: of an earlier run; nil to begin.
    ///   - count: its tracks.
    ///   - like: of which the language and the codecs are kept.
    static func open(
        _ record: StreamRecord?, tracks count: Int, like source: StreamSource?, _ context: DownloadContext
    ) -> Opening {
        var layout: StreamLayout = context.services.options.container == .package ? .package : .indexed
        if let record {
            // Both layouts make a file or a package.
            let known = [StreamLayout.indexed, .package].first {
                $0.digest(ofRecordingWith: count) == StreamLayoutDigest(record.plan)
            }
            guard let known, record.recording != nil else { return .another(.otherPlaylist) }
            layout = known
        }
        let digest = layout.digest(ofRecordingWith: count)
        do {
            var tracks: [RecordedTrack] = []
            var files: [StreamWork.Track] = []
            for number in 0..<count {
                let known = record?.tracks[number]
                let position = StreamPosition(next: known?.next ?? 0, bytes: known?.bytes ?? 0)
                let list = try list(number, of: position.next, in: context)
                let recorded = try RecordedSegment.read(position.next, from: list)
                // Bytes of another rendition can't be compared.
                let isComparable = record?.recording?.renditions == source?.renditions
                let track = RecordedTrack(recorded, isComparable: isComparable)
                guard recorded.count == position.next,
                    var file = try StreamWork.openTrack(
                        number, of: track.plan, at: position, in: context, as: layout, isHashed: false)
                else { return .another(.joinedLost) }
                file.list = list
                tracks.append(track)
                files.append(file)
            }
            let facts = StreamRecord.Recording(
                grownAt: record?.recording?.grownAt ?? context.services.clock.now.timeIntervalSince1970,
                source: record?.recording?.source ?? text(of: context.wanted.source),
                renditions: source?.renditions ?? record?.recording?.renditions,
                language: source?.audioLanguage ?? record?.recording?.language,
                codecs: source?.codecs ?? record?.recording?.codecs)
            let work = StreamWork(
                digest: digest, tracks: files, seconds: tracks[0].plan.seconds, isHashed: false, recording: facts)
            return .opened(
                StreamRecording(
                    context: context, tracks: tracks, work: work, grownAt: Date(timeIntervalSince1970: facts.grownAt)))
        } catch { return .outcome(.cannotOpenPartial(error, in: context.services.library)) }
    }

    /// The form of a source in the state.
    static func text(of source: SourceDigest) -> String { source.withUnsafeBytes { Data($0) }.base64EncodedString() }

    private static func list(
        _ number: Int, of count: Int, in context: DownloadContext
    ) throws -> PartialFile {
        let name = context.name(.recorded(number, of: context.id))
        let open = try context.services.library.partials.open(name)
        let length = min(RecordedSegment.listLength(count), open.size)
        return try PartialFile(descriptor: open.release(), length: length, hashes: false)
    }

    // MARK: recording

    var bytes: Int64 { work.bytes }
    var received: Int64 { work.received }
    /// Seconds of playing time that are joined.
    var seconds: Double { work.playedSeconds }
    var isLive: Bool { tracks.contains { $0.plan.isLive } }
    /// Segments of the longest track that are joined, gaps included.
    var joinedCount: Int { work.tracks.map(\.assembler.position.next).max() ?? 0 }

    /// Seconds since the last segment came.
    var idle: Double { context.services.clock.now.timeIntervalSince(grownAt) }

    /// Whether every segment named so far is joined, or missing.
    var isJoined: Bool {
        zip(work.tracks, tracks).allSatisfy { $0.assembler.position.next == $1.plan.segments.count }
    }

    /// The time after which playlists are read again (RFC 8216 §6.3.4).
    func pause(hasGrown: Bool) -> Duration {
        let target = Double(tracks.map { $0.plan.targetDuration }.max() ?? 1)
        return .seconds(min(max(hasGrown ? target : target / 2, 0.5), 30))
    }

    /// Takes playlists that were read anew; nil for those that weren't. Blocks for a write of some bytes.
    ///
    /// - Parameter anew: the numbers of tracks whose segments begin anew, by ``tracksAnew(_:_:)``.
    mutating func take(_ lists: [StreamPlan?], anew: Set<Int>) async throws(FileError) -> RecordedTrack.News {
        var all = RecordedTrack.News()
        let idle = idle
        for (number, list) in lists.enumerated() {
            guard let list else { continue }
            let file = work.tracks[number]
            let next = file.assembler.position.next
            tracks[number].forgetAddresses(before: next)
            let news = tracks[number].take(
                list, next: next, held: await file.assembler.waiting, isAnew: anew.contains(number), idle: idle)
            try await write(number, from: next)
            await file.assembler.grow(to: tracks[number].plan.segments.count)
            all.added += news.added
            all.missed = max(all.missed, news.missed)
            all.isRenumbered = all.isRenumbered || news.isRenumbered
        }
        if all.added > 0 { grownAt = context.services.clock.now }
        renew()
        return all
    }

    /// The tracks whose playlists name other segments by the numbers and names of those that were joined.
    mutating func tracksAnew(_ lists: [StreamPlan?], _ access: StreamAccess) async -> Set<Int> {
        var anew: Set<Int> = []
        for (number, list) in lists.enumerated() {
            let assembler = work.tracks[number].assembler
            guard let list, let (index, segment) = tracks[number].doubt(list, next: assembler.position.next) else {
                continue
            }
            let differs = await assembler.differs(segment, from: index, access.confined(to: list.scope))
            if differs == true {
                anew.insert(number)
            } else if differs == false {
                tracks[number].prove(list, next: assembler.position.next)
            }
        }
        return anew
    }

    /// Whether a host gives the beginning of a playlist that replaces what was recorded.
    func isThere(_ list: StreamPlan, _ access: StreamAccess) async -> Bool {
        guard let first = list.segments.first(where: { !$0.isGap }) else { return false }
        return await work.tracks[0].assembler.isThere(first, access.confined(to: list.scope))
    }

    /// A playlist has ended without a further segment.
    mutating func end(_ number: Int) { tracks[number].end() }

    /// A segment that its host doesn't give becomes a gap.
    mutating func skip(_ index: Int, of number: Int) async throws(FileError) {
        tracks[number].skip(index)
        try await write(number, from: work.tracks[number].assembler.position.next)
        renew()
    }

    /// Downloads and appends what is missing. Returns the reason why it can't continue now, and the track's number.
    mutating func append(_ access: StreamAccess) async -> (failure: StreamFailure, track: Int)? {
        for number in tracks.indices.reversed() {
            let assembler = work.tracks[number].assembler
            let (plan, before) = (tracks[number].plan, assembler.position.next)
            patience = max(patience, Self.patience(plan))
            let limit = context.sizeLimit.unknown - (work.bytes - assembler.position.bytes)
            let run = Task { await assembler.run(plan: plan, access: access, limit: limit) }
            let timer = Task { [patience] in
                guard (try? await Task.sleep(for: patience)) != nil else { return }
                run.cancel()
            }
            let failure = await withTaskCancellationHandler {
                await run.value
            } onCancel: {
                run.cancel()
            }
            timer.cancel()
            if case .transfer(.cancelled, _) = failure, !Task.isCancelled {
                // It took too long, or is large enough.
                if assembler.position.next == before { patience = min(patience * 2, .seconds(600)) }
            } else if let failure {
                return (failure, number)
            }
        }
        return nil
    }

    /// For so long a segment may take before the playlist is read again: twice the time that one plays, longer
    /// on a line that is slower than that.
    private static func patience(_ plan: StreamPlan) -> Duration {
        .seconds(max(5, 2 * Int(min(plan.targetDuration, 60))))
    }

    /// What has been joined, as a stream that has ended.
    func ended(_ source: StreamSource?) -> StreamSource {
        var whole = StreamSource(
            recorded: zip(tracks, work.tracks).map { $0.ended(before: $1.assembler.position.next) }, like: source)
        (whole.audioLanguage, whole.codecs) = (work.recording?.language, work.recording?.codecs)
        return whole
    }

    private func write(_ number: Int, from next: Int) async throws(FileError) {
        guard let list = work.tracks[number].list else { return }
        let bytes = tracks[number].list(from: next)
        let written = await Blocking.run { _ in
            Result { () throws(FileError) in
                list.rewind(to: RecordedSegment.listLength(next))
                var failure: FileError?
                bytes.withUnsafeBytes { bytes in
                    do throws(FileError) { try list.append(bytes) } catch { failure = error }
                }
                if let failure { throw failure }
            }
        }
        try written.get()
    }

    /// The same partials, with the times of what was named since.
    private mutating func renew() {
        var files = work.tracks
        for number in files.indices { files[number].times = tracks[number].plan.times }
        var facts = work.recording
        facts?.grownAt = grownAt.timeIntervalSince1970
        work = StreamWork(
            digest: work.digest, tracks: files, seconds: tracks[0].plan.seconds, isHashed: false, recording: facts)
    }
}
