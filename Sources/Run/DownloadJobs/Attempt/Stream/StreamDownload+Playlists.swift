import CourseCatalog
import HLSMedia
import MediaTransfer
import ProviderKit
import SyncFacts
import Synchronization

/// The playlists of a provider's answer.
extension StreamDownload {
    /// The playlists, read in this turn or in an earlier one with the same answer.
    func load(
        _ attempt: inout Attempt, _ access: StreamAccess
    ) async -> Result<StreamSource, StreamSource.Problem> {
        defer { loaded = nil }
        if attempt.answer.isRead, let loaded {
            attempt.answer.isRead = false
            return .success(loaded)
        }
        let resolution = attempt.answer.resolution
        var preference = context.preference
        preference.allowsLive = mayRecord
        return switch resolution.kind {
        case .dash:
            await StreamSource.loadPresentation(resolution.url, preference: preference, access: access)
        case .hls, .file: await StreamSource.load(resolution.url, preference: preference, access: access)
        }
    }

    /// Keeps the playlists for another turn.
    func keep(_ source: StreamSource, _ attempt: inout Attempt) {
        loaded = source
        attempt.answer.isRead = true
    }

    func access(_ attempt: Attempt, failed: FailedURL) -> StreamAccess {
        let (context, services, media) = (context, context.services, attempt.answer)
        let connections = attempt.connections
        return StreamAccess(engine: services.engine) { url in
            media.streamRequest(url, limitRate: services.adjustable.limitRate)
        } enter: { url in
            // The rate limit of one download applies to one connection.
            guard services.adjustable.limitRate == nil, let host = Origin(url: url)?.text else { return false }
            return await connections.enter(host)
        } leave: { url in
            if let host = Origin(url: url)?.text { await connections.leave(host) }
        } isUsable: {
            media.mayGoOn(at: services.clock.now)
        } failed: { url in
            failed.note(url)
        } answered: { head in
            context.note(head)
        }
    }

    /// Reports warnings about the stream, once.
    func tell(_ source: StreamSource) {
        guard !hasTold else { return }
        hasTold = true
        if !source.isLive { context.tellGaps(source.tracks.reduce(0) { $0 + $1.gaps }, subtitle: nil) }
        if source.isFallback {
            context.warn(.otherQuality)
        }
        if context.services.streamFFmpeg != nil, context.view == 0,
            context.wanted.video.sha256 != nil || context.wanted.video.size != nil
        {
            context.warn(.sumsOfJoined)
        }
    }
}

extension DownloadContext {
    /// Segments that the host itself marks as missing.
    func tellGaps(_ count: Int, subtitle: String?) { if count > 0 { warn(.gaps(count, subtitle: subtitle)) } }
}

/// The URL of a turn's first failed request.
final class FailedURL: Sendable {
    private let first = Mutex<String?>(nil)

    func note(_ url: String) { first.withLock { $0 = $0 ?? url } }

    /// Nil if none did.
    var url: String? { first.withLock { $0 } }
    var host: String? { first.withLock { $0 }.flatMap { Origin(url: $0)?.text } }
}
