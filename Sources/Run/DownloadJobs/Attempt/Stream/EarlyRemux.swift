import FilePlacement
import FileSystem
import HLSMedia
import Logging
import MediaLibrary
import MediaTransfer
import Synchronization

/// ffmpeg while a stream arrives: it gets each segment once that is joined, so that little is left to do after the last
/// one. It is only worth trying: whatever goes wrong, the joined file is remuxed as a whole.
final class EarlyRemux: Sendable {
    private struct State {
        var work: Task<Bool, Never>?
        var isOver = false
    }

    private let context: DownloadContext
    private let ffmpeg: FFmpeg
    private let track: StreamWork.Track
    private let language: String?
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    /// Whether ffmpeg has got every byte.
    private let isFed = Atomic(false)

    /// Nil for a stream that ffmpeg needs as a whole: with separate sound, or of several parts.
    init?(_ source: StreamSource, _ work: StreamWork, _ context: DownloadContext) {
        guard let ffmpeg = context.services.ffmpeg, work.tracks.count == 1, work.tracks[0].index == nil else {
            return nil
        }
        self.context = context
        self.ffmpeg = ffmpeg
        track = work.tracks[0]
        language = source.audioLanguage
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A segment was joined. Begins with the first one of a known kind.
    func joined(_ kind: MediaKind?) {
        state.withLock { state in
            if state.work == nil, !state.isOver, let kind, let job = job(kind) {
                state.work = Task { await self.run(job) }
            }
        }
        arrived.yield()
    }

    /// The last segment was joined. Returns whether ffmpeg's output has all of them.
    func finish() async -> Bool {
        arrived.finish()
        guard let work = end() else { return false }
        let limit = RemuxJob.limit(bytes: track.partial.length)
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            work.cancel()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    /// Ends ffmpeg, and removes its output. Does nothing after ``finish()``.
    func cancel() async {
        arrived.finish()
        guard let work = end() else { return }
        work.cancel()
        if await work.value { try? context.services.library.partials.remove(.remuxed(context.id)) }
    }

    private func end() -> Task<Bool, Never>? {
        state.withLock { state in
            state.isOver = true
            return state.work.take()
        }
    }

    private func job(_ kind: MediaKind) -> RemuxJob? {
        let partials = context.services.library.partials
        guard var input = RemuxInput(path: partials.path(of: track.name), kind: kind, language: language) else {
            return nil
        }
        input.isFed = true
        return RemuxJob(video: input, output: partials.path(of: .remuxed(context.id)))
    }

    private func run(_ job: RemuxJob) async -> Bool {
        let services = context.services
        do {
            try services.library.partials.remove(.remuxed(context.id))
            // A file of ours, with our permissions, for ffmpeg's output.
            _ = try services.library.partials.open(.remuxed(context.id))
            // It lasts as long as the download.
            try await job.run(with: ffmpeg, limit: .seconds(1 << 30), watch: services.providers.groupWatch) { write in
                self.isFed.store(await self.feed(write), ordering: .releasing)
            }
        } catch {
            services.logger.debug("ffmpeg, while the stream arrived: \(error)")
            try? services.library.partials.remove(.remuxed(context.id))
            return false
        }
        return isFed.load(ordering: .acquiring)
    }

    /// The bytes that ffmpeg gets at a time.
    private static let piece = 1 << 20

    /// Gives ffmpeg what is joined, until the last segment is. Returns whether that was everything.
    private func feed(_ write: @Sendable ([UInt8]) async -> Bool) async -> Bool {
        var position: Int64 = 0
        func catchUp() async -> Bool {
            let end = track.assembler.position.bytes
            while position < end {
                let (start, count) = (position, Int(min(Int64(Self.piece), end - position)))
                let bytes = await Blocking.run { [partial = track.partial] _ in
                    try? partial.bytes(at: start, count: count)
                }
                guard let bytes, bytes.count == count, await write(bytes) else { return false }
                position += Int64(count)
            }
            return true
        }
        for await _ in arrivals {
            guard await catchUp() else { return false }
        }
        return await catchUp() && !Task.isCancelled
    }
}
