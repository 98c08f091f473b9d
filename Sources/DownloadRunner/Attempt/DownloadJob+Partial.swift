import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import ProviderKit
import Synchronization

extension DownloadJob {
    var expectedSHA256: [UInt8]? {
        wanted.video.sha256 ?? media?.resolution.sha256.flatMap { [UInt8](hex: $0) }
    }

    /// Why there is no partial to write to, and what follows.
    struct PartialProblem: Error {
        var outcome: JobOutcome

        init(_ message: String, endsRun: Bool) {
            let error = DownloadError(kind: .disk, message: "its partial can't be opened: \(message)")
            outcome = endsRun ? .suspended(.disk, error) : .failed(error)
        }

        init(_ outcome: JobOutcome) { self.outcome = outcome }

        /// The whole library is out of reach.
        init(lost library: LibraryError) {
            outcome = .suspended(.disk, DownloadError(kind: .disk, message: Refusal(library).message))
        }
    }

    func openPartial() async -> Result<PartialFile, PartialProblem> {
        let name = PartialName(download: wanted.id.rawValue)
        do {
            if let partial = live.withLock({ $0.partial }) {
                if !partial.isOpen {
                    try partial.reopen(descriptor: services.library.openPartial(name).release())
                }
                return .success(partial)
            }
            let open = try services.library.openPartial(name)
            let length = min(open.size, wanted.resume?.durableBytes ?? 0)
            isHashed = services.options.checksums || expectedSHA256 != nil
            let partial = try PartialFile(descriptor: open.release(), length: length, hashes: isHashed)
            live.withLock { $0.partial = partial }
            // Somebody took bytes away that the row still claims: it says so before others take their place.
            if let resume = wanted.resume, length < resume.durableBytes {
                let facts = ProgressFacts(
                    bytes: length, total: resume.total, validators: resume.validators, mediaType: resume.mediaType)
                _ = await services.bookkeeper.commit(.progress(id, facts))
            }
            return .success(partial)
        } catch let error as LibraryError {
            if DescriptorLimit.isExhausted(error.errno) { return .failure(PartialProblem(DescriptorLimit.outcome)) }
            if let loss = services.library.loss() { return .failure(PartialProblem(lost: loss)) }
            // All partials lie in one folder of ours: no other download would fare better.
            return .failure(PartialProblem(error.sentence, endsRun: error.isFull || error.isReadOnly))
        } catch {
            return .failure(PartialProblem("\(error)", endsRun: false))
        }
    }

    /// Whether the host would serve the whole file, by the head of its answer: no byte of it is taken. A URL that is good
    /// once can't be asked that.
    func servesWhole() async -> Bool {
        guard var media else { return false }
        guard !media.resolution.singleUse else { return true }
        media.use()
        self.media = media
        var request = media.request(start: .beginning, expectedSize: wanted.video.size, limitRate: nil)
        request.maxSize = 0
        for _ in 1...2 {
            let failure = await services.engine.fetch(request, into: BodyBuffer()).failure
            // In all else it was good.
            if failure == .tooLong(.maximum) { return true }
            // A connection that broke says nothing.
            guard failure?.verdict == .retry else { return false }
        }
        return false
    }

    /// First the row says that there is nothing, then there is nothing: never the other way round.
    func startOver(_ partial: PartialFile) async -> JobOutcome? {
        if live.withLock({ $0.stream != nil }) { return await startStreamOver() }
        let change = DownloadChange.startOver(
            id, validatorFailures: policy.validatorFailures, startOvers: policy.startOvers,
            givesUpRanges: policy.hasGivenUpRanges)
        let failure = Mutex<FileError?>(nil)
        let isWritten = await services.bookkeeper.commit(change) {
            self.live.withLock { live in
                live.validators = Validators()
                live.total = nil
                live.mediaType = nil
            }
            do throws(FileError) { try partial.startOver() } catch { failure.withLock { $0 = error } }
        }
        guard isWritten else { return .stopped }
        policy.startedOver()
        return failure.withLock { $0 }.map {
            .failed(DownloadError(kind: .disk, message: "its partial can't be emptied: \($0)"))
        }
    }

    /// The partial was lost to a failed flush: the next attempt fetches it again. Returns how often that happened.
    func dropPartial() async -> Int {
        losses += 1
        let change = DownloadChange.startOver(
            id, validatorFailures: policy.validatorFailures, startOvers: policy.startOvers)
        _ = await services.bookkeeper.commit(change) {
            self.dropTracks()
            self.live.withLock { $0 = Live() }
        }
        streamRecord = nil
        policy.startedOver()
        return losses
    }

    /// Gives up the descriptor while it waits; the digest goes on where it is.
    nonisolated func closePartial() {
        live.withLock { live in
            guard !live.isRunning else { return }
            live.partial?.close()
            live.stream?.close()
        }
    }
}
