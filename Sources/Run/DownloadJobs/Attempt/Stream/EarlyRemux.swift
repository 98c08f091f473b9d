import FilePlacement
import FileSystem
import HLSMedia
import Logging
import MediaLibrary
import MediaTransfer
import Synchronization

/// ffmpeg while a stream arrives: it gets each segment of the picture once that is joined, so that little is left to do
/// after the last one. Separate sound is complete by then. It is only worth trying: whatever goes wrong, the joined
/// files are remuxed as a whole.
final class EarlyRemux: Sendable {
    private struct State {
        var task: Task<Bool, Never>?
        var isOver = false
        /// Of which ffmpeg has been told.
        var begins: TrackStartTimes?
    }

    private let context: DownloadContext
    private let ffmpeg: FFmpeg
    private let work: StreamWork
    /// The one that it gets as it arrives.
    private var track: StreamWork.Track { work.tracks[0] }
    private let language: String?
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    /// Whether ffmpeg has got every byte.
    private let isFed = Atomic(false)

    /// Nil for a stream of several parts, which ffmpeg needs as a whole.
    init?(_ source: StreamSource, _ work: StreamWork, _ context: DownloadContext) {
        guard let ffmpeg = context.services.streamFFmpeg, !work.tracks.isEmpty,
            work.tracks.allSatisfy({ $0.index == nil })
        else { return nil }
        self.context = context
        self.ffmpeg = ffmpeg
        self.work = work
        language = source.audioLanguage
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A segment of the picture was joined. Begins with the first one of a known kind.
    func joined(_ kind: MediaKind?) {
        state.withLock { state in
            if state.task == nil, !state.isOver, kind != nil { state.task = Task { await self.run() } }
        }
        arrived.yield()
    }

    /// The last segment was joined. Returns what ffmpeg has made of all of them; nil if that isn't complete.
    func made(_ remux: StreamRemux) async -> ArrivedMedia? {
        await finish(remux.stream.begins) ? remux.checked() : nil
    }

    /// Returns whether ffmpeg's output has all segments, with tracks that begin so.
    private func finish(_ begins: TrackStartTimes) async -> Bool {
        arrived.finish()
        guard let task = end() else { return false }
        guard state.withLock({ $0.begins ?? begins }) == begins else {
            task.cancel()
            _ = await task.value
            return false
        }
        let limit = RemuxJob.limit(bytes: work.bytes)
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            task.cancel()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Ends ffmpeg, and removes its output. Does nothing after ``made(_:)``.
    func cancel() async {
        arrived.finish()
        guard let task = end() else { return }
        task.cancel()
        if await task.value { try? context.services.library.partials.remove(context.name(.remuxed(context.id))) }
    }

    private func end() -> Task<Bool, Never>? {
        state.withLock { state in
            state.isOver = true
            return state.task.take()
        }
    }

    /// Nil for formats that ffmpeg has no name for, and for tracks of which nobody knows yet how they belong together.
    private func job() async -> RemuxJob? {
        let partials = context.services.library.partials
        let begins = await work.begins()
        guard begins.areKnown || work.tracks.count == 1 else { return nil }
        state.withLock { $0.begins = begins }
        var inputs: [RemuxInput] = []
        for (number, track) in work.tracks.enumerated() {
            let isSound = number > 0 || work.tracks.count == 1
            guard let kind = await track.assembler.container,
                var input = RemuxInput(
                    path: partials.path(of: track.name), kind: kind, language: isSound ? language : nil)
            else { return nil }
            input.isFed = number == 0
            input.delay = begins.delay(of: number)
            inputs.append(input)
        }
        var job = RemuxJob(
            video: inputs[0], audio: Array(inputs.dropFirst()),
            output: partials.path(of: context.name(.remuxed(context.id))))
        job?.indexRoom = IndexRoom(seconds: work.seconds, fileSize: work.estimatedSizeOfBegun ?? 0)
        return job
    }

    private func run() async -> Bool {
        guard let job = await job() else { return false }
        let services = context.services
        do {
            try services.library.partials.remove(context.name(.remuxed(context.id)))
            // A file of ours, with our permissions, for ffmpeg's output.
            let output = try services.library.partials.open(context.name(.remuxed(context.id)))
            let final = job.indexRoom == nil ? nil : output
            // It lasts as long as the download.
            try await job.run(with: ffmpeg, limit: .seconds(1 << 30), watch: services.providers.groupWatch) { write in
                self.isFed.store(await self.feed(write, final), ordering: .releasing)
            }
        } catch {
            services.logger.debug("ffmpeg, while the stream arrived: \(error)")
            try? services.library.partials.remove(context.name(.remuxed(context.id)))
            return false
        }
        return isFed.load(ordering: .acquiring)
    }

    /// The bytes that ffmpeg gets at a time.
    private static let piece = 1 << 20
    /// The pieces after which its output goes on to disk.
    private static let writeback = 16

    /// Gives ffmpeg what is joined, until the last segment is. Returns whether that was everything.
    ///
    /// - Parameter output: what ffmpeg doesn't change any more; nil if it moves everything at its end.
    private func feed(_ write: @Sendable ([UInt8]) async -> Bool, _ output: OpenPartial?) async -> Bool {
        var position: Int64 = 0
        var pieces = 0
        func catchUp() async -> Bool {
            let end = track.assembler.position.bytes
            while position < end {
                let (start, count) = (position, Int(min(Int64(Self.piece), end - position)))
                let isTurn = pieces % Self.writeback == 0
                let bytes = await Blocking.run { [partial = track.partial] _ in
                    if isTurn { output?.startWriteback() }
                    return try? partial.bytes(at: start, count: count)
                }
                guard let bytes, bytes.count == count, await write(bytes) else { return false }
                position += Int64(count)
                pieces += 1
            }
            return true
        }
        for await _ in arrivals {
            guard await catchUp() else { return false }
        }
        return await catchUp() && !Task.isCancelled
    }
}
