import CourseCatalog
import DownloadStore
import Foundation
import MediaTransfer
import ProviderKit
import Synchronization

extension DownloadJob {
    func resolveIfNeeded() async -> JobOutcome? {
        let now = services.clock.now
        if let media {
            // Of a stream whose playlists have been read nothing is asked of the URL itself any more.
            if media.isUsable(at: now) || (loaded != nil && media.isInTime(at: now)) { return nil }
            loaded = nil
            // Its time ran out, or it was for one request.
            if previous == nil {
                previous = .init(reason: .expired, status: nil, bytes: progress.bytes)
            }
            self.media = nil
        }
        let previous = previous
        let request = ResolveRequest(
            user: services.userName, now: services.serverClocks.corrected(now, for: lastOrigin), credentials: nil,
            settings: services.providers.settings,
            video: .init(
                id: wanted.video.writtenID, title: wanted.reference.title,
                parameters: services.providers.parameters(of: wanted.video.settings)),
            course: .init(id: wanted.writtenCourse, title: wanted.courseTitle),
            chapter: wanted.writtenChapter.map { .init(id: $0, title: wanted.chapterTitle) },
            quality: wanted.video.settings.quality.map(\.description), previous: previous)
        do {
            let resolution = try await services.providers.resolve(request, provider: wanted.provider)
            guard let resolved = ResolvedMedia(resolution, at: services.clock.now) else {
                return .failed(
                    DownloadError(kind: .providerFailed, message: "the provider's URL is not an http or https URL"))
            }
            media = resolved
            lastOrigin = resolved.origin
            resolves += 1
            let reason: ResolveReason = previous.map { $0.reason == .expired ? .expired : .rejected } ?? .first
            self.previous = nil
            services.events.post(
                .resolved(wanted.reference, attempt: resolves, reason: reason, expiresAt: resolved.expiresAt))
            return nil
        } catch {
            return outcome(of: error)
        }
    }

    func outcome(of error: ProviderError) -> JobOutcome {
        let facts = DownloadError(error)
        switch error.kind {
        case .authRequired: return .loginNeeded(facts)
        case .rateLimited: return .providerWaits(facts, delay: error.retryAfter ?? .seconds(30))
        case .notReady: return .notReady(facts, retryAfter: error.retryAfter)
        case .unavailable:
            switch policy.unavailable(facts, atLeast: error.retryAfter, jitter: .random(in: 0...1)) {
            case .wait(let error, let delay, _): return .waits(error, delay: delay, hostFailed: nil)
            case .giveUp(let error, let rest, _): return .gaveUp(error, rest: rest, host: nil)
            default: return .failed(facts)
            }
        case .machineExhausted: return .suspended(.descriptors, facts)
        case .cancelled: return .stopped
        default: return .failed(facts)
        }
    }
}
