import DownloadStore
import FilePlacement
import MediaLibrary
import MediaTransfer
import ProviderKit
import SyncFacts
import Synchronization

/// The kind of a job's partials, and how they are dropped.
extension DownloadJob {
    /// Makes it a download of this kind. If it was of another kind with bytes, these are dropped: nil if it starts from
    /// the first byte, which is allowed only a limited number of times.
    func become(_ type: any MediaDownload.Type) async -> JobOutcome? {
        let media = live.withLock { $0.media }
        let before = media.map { Swift.type(of: $0).kind } ?? resume?.kind.type.kind
        if media != nil, before == type.kind { return nil }
        if let before, before != type.kind {
            if media?.progress.bytes ?? resume?.durableBytes ?? 0 > 0 {
                if case .fail(let error) = policy.beganAnother() { return .failed(error) }
                retrying(.otherKind(type.kind, before: before))
            }
            guard await forgetPartials() else { return .stopped }
        }
        let made = type.init(context, resume: resume)
        resume = nil
        live.withLock { $0.media = made }
        services.bookkeeper.note(.kind(id, type.kind))
        return nil
    }

    /// Makes a file of what was recorded of a live stream, if there will be no more of it. Nil to go on.
    func finishRecorded(at obstacle: StreamDownload.Obstacle) async -> JobOutcome? {
        if resume?.isRecording == true, let outcome = await become(StreamDownload.self) { return outcome }
        guard let media = live.withLock({ $0.media }) as? StreamDownload,
            let end = await media.finishRecorded(at: obstacle)
        else { return nil }
        live.withLock { $0.startedAt = $0.startedAt ?? services.clock.now }
        return await outcome(of: end, at: answer.media?.resolution.url ?? "", host: "")
    }

    /// First the row is cleared, then the partial is emptied: never the other way round.
    func startOver() async -> JobOutcome? {
        let media = live.withLock { $0.media }
        let failure = Mutex<FileError?>(nil)
        let isWritten = await services.bookkeeper.commit(nothingLeft) {
            do throws(FileError) { try media?.startOver() } catch { failure.withLock { $0 = error } }
        }
        guard isWritten else { return .stopped }
        live.withLock { $0.isComplete = false }
        policy.startedOver()
        return failure.withLock { $0 }.map {
            .failed(.partialKept($0))
        }
    }

    /// The partial was lost to a failed flush: the next attempt downloads it again. Returns how often that happened.
    package func dropPartial() async -> Int {
        losses += 1
        _ = await forgetPartials()
        return losses
    }

    /// Drops all partials. False if the state can't be written.
    func forgetPartials() async -> Bool {
        let isWritten = await services.bookkeeper.commit(nothingLeft) {
            let media = self.live.withLock { live in
                defer {
                    live.media = nil
                    live.isComplete = false
                }
                return live.media
            }
            media?.close()
            self.context.removePartials(DownloadKind.partials(of: self.id))
        }
        resume = nil
        policy.startedOver()
        return isWritten
    }

    private var nothingLeft: DownloadChange {
        .startOver(
            id, validatorFailures: policy.validatorFailures, startOvers: policy.startOvers,
            givesUpRanges: policy.hasGivenUpRanges)
    }
}
