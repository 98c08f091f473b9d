import CourseCatalog
package import DownloadStore
import FilePlacement
import FileSystem
package import Foundation
import Hooks
import MediaTransfer
import ProviderKit
package import RunSchedule
import SyncFacts

/// A job's requests before its transfer: to its provider, and to the library.
extension DownloadJob {
    /// Asks the provider for the sidecars of a finished video, and no more.
    ///
    /// - Parameter refused: the failure of an address from its last answer.
    package func ask(_ connections: JobConnections, refused: DownloadError?) async -> JobOutcome {
        if Task.isCancelled { return .stopped }
        answer.media = nil
        if let refused {
            answer.refuse(refused.status == nil ? .expired : .rejected, status: refused.status, bytes: 0)
        }
        if let outcome = await resolveIfNeeded(connections) { return outcome }
        announceAnswer()
        return .answered
    }

    /// Reports the answer that is used now; it may have come long before.
    func announceAnswer() {
        guard let event = answer.announcement else { return }
        services.events.post(event)
        answer.announcement = nil
    }

    /// Until when its answer can be used for another turn; nil if it has none that can.
    package var usableUntil: Date? {
        guard let media = answer.media, media.isUsable(at: services.clock.now) else { return nil }
        return media.usableUntil ?? .distantFuture
    }

    /// Whether its provider has answered.
    package var hasBeenAnswered: Bool { answer.count > 0 }

    func resolveIfNeeded(_ connections: JobConnections) async -> JobOutcome? {
        let now = services.clock.now
        if answer.isGood(at: now, bytes: progress.bytes) { return nil }
        if let begins = wanted.video.availableAt.map({ Date(timeIntervalSince1970: $0) }), begins > now {
            return .notReady(.notAvailable(before: begins), retryAfter: .seconds(begins.timeIntervalSince(now)))
        }
        guard await services.providers.mayReachServer(of: wanted.listingSource) else {
            return .failed(.nearServer(of: wanted.provider))
        }
        do {
            var resolution = try await services.providers.resolve(
                answer.question(context, at: now), provider: wanted.provider)
            answer.kept = wanted.keepsFile ? try KeptViews(of: wanted, services) : nil
            resolution.nameMain()
            let choice = wanted.video.settings.streams
            if let kept = answer.kept {
                resolution.chooseStreams(by: choice, besides: kept.file.role, kept.roles)
            } else {
                resolution.chooseStreams(by: choice, instead: wanted.oldFile?.role)
            }
            resolution.chooseTracks(by: wanted.video.settings)
            let confinement = await services.providers.confinement(of: wanted.listingSource)
            var free: Set<String> = []
            if let outcome = await askHooks(&resolution, &free) { return outcome }
            guard
                let reason = answer.take(
                    resolution, confinement: confinement, free: free, at: services.clock.now),
                let media = answer.media
            else {
                return .failed(.badURL)
            }
            if let title = resolution.title, wanted.video.title == wanted.video.id {
                services.bookkeeper.note(.titled(id, title))
            }
            answer.announcement = .resolved(
                wanted.reference, attempt: answer.count, reason: reason, expiresAt: media.expiresAt)
            await connections.resolved(media)
            return nil
        } catch let error as ProviderError {
            return outcome(of: error)
        } catch {
            return .cannotWrite(error)
        }
    }

    /// Lets the user's hook commands change the requests for media, tracks and other views. What they name may be
    /// anywhere. Nil to go on.
    private func askHooks(_ resolution: inout Resolution, _ free: inout Set<String>) async -> JobOutcome? {
        guard let hooks = services.hooks, hooks.has(.beforeRequest) else { return nil }
        if let outcome = await ask(hooks, "video", about: &resolution, free: &free) { return outcome }
        for number in resolution.tracks.indices {
            let own = resolution.alone(resolution.tracks[number])
            var asked = own
            if let outcome = await ask(hooks, "track", about: &asked, free: &free) { return outcome }
            if asked != own { resolution.tracks[number].become(asked) }
        }
        for number in resolution.streams.indices {
            let own = resolution.alone(resolution.streams[number])
            var asked = own
            if let outcome = await ask(hooks, "video", about: &asked, free: &free) { return outcome }
            for track in asked.tracks.indices {
                let ownPart = asked.alone(asked.tracks[track])
                var part = ownPart
                if let outcome = await ask(hooks, "track", about: &part, free: &free) { return outcome }
                if part != ownPart { asked.tracks[track].become(part) }
            }
            if asked != own { resolution.streams[number].become(asked) }
        }
        return nil
    }

    private func ask(
        _ hooks: HookRunner, _ purpose: String, about asked: inout Resolution, free: inout Set<String>
    ) async -> JobOutcome? {
        let facts = RequestFacts(
            HookSubject(wanted.reference), purpose: purpose, url: asked.url, sending: asked.fields)
        switch await hooks.beforeRequest(facts) {
        case .go(let change):
            if change.url != asked.url { free.insert(change.url) }
            asked.become(change)
            return nil
        case .refused(let reason): return .failed(.refusedByHook(reason))
        case .trouble(.cancelled): return .stopped
        case .trouble(let trouble): return .failed(.brokenHook(.beforeRequest, trouble))
        }
    }

    private func outcome(of error: ProviderError) -> JobOutcome {
        let facts = DownloadError(error)
        switch error.kind {
        case .authRequired: return .loginNeeded(facts, server: error.serverName)
        case .rateLimited:
            return .providerWaits(facts, delay: error.retryAfter ?? .seconds(30), server: error.serverName)
        case .notReady: return .notReady(facts, retryAfter: error.retryAfter)
        case .unavailable:
            return .unavailable(facts, retryAfter: error.retryAfter, server: error.serverName)
        case .machineExhausted: return .suspended(.descriptors, facts)
        case .cancelled: return .stopped
        default: return .failed(facts)
        }
    }

    /// Compares the donor with the provider's answer: bytes in the library are shared with another download only on
    /// proof. Nil to go on at once.
    func tryDonor(_ media: any MediaDownload, _ attempt: inout Attempt) async -> JobOutcome? {
        guard let donor = sharing.donor else { return nil }
        attempt.seen.request = attempt.answer.identity
        var isSame = donor.isPossible(for: wanted.bytes())
        if isSame {
            // What is known of one part says nothing of the others.
            let isWhole = !type(of: media).kind.hasParts
            if isWhole, let expected = context.expectedSHA256(attempt.answer) {
                attempt.seen.sha256 = expected
                isSame = donor.file.sha256 == expected
            } else if isWhole, let checksums = context.expectedChecksums(attempt.answer),
                !checksums.isContained(in: donor.file.checksums)
            {
                attempt.seen.checksums = checksums
                isSame = false
            } else {
                isSame = await media.hasBytes(of: donor, &attempt)
                take(attempt)
            }
        }
        if Task.isCancelled { return .stopped }
        _ = sharing.take()
        return isSame ? await share(donor) : .differs(donor, attempt.seen)
    }

    /// Makes the file from one in the library. Nil if that can't be used, so that it has to be transferred.
    package func share(_ donor: Donor) async -> JobOutcome? {
        let copy = DonorCopy(context: context, donor: donor)
        guard let media = await copy.run(expectedSHA256: context.expectedSHA256(answer.media)) else {
            return Task.isCancelled ? .stopped : nil
        }
        // Whatever its own kind is: the copy is one whole file.
        services.bookkeeper.note(.kind(id, .file))
        var whole = media
        if answer.media == nil, donor.file.source == wanted.source { whole.view = donor.file.role }
        return complete(whole)
    }
}
