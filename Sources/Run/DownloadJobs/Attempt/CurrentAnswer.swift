import CourseCatalog
import Foundation
import MediaTransfer
import NetworkAddresses
import ProviderKit
import SyncFacts

/// The current answer of the provider: requested before it is needed, and dropped when it expires or its URL is
/// refused. The next request has the reason.
struct CurrentAnswer: Sendable {
    /// Nil until the provider has been asked, and once it has to be asked again.
    var media: ResolvedMedia?
    /// What the video has already beside which the answer names what is missing; nil if its file doesn't stay.
    var kept: KeptViews?
    /// The event for it, until it is used.
    var announcement: SyncEvent?
    /// Answers so far.
    private(set) var count = 0
    private var lastOrigin: Origin?
    /// The reason for dropping the last answer, for the next request.
    private(set) var previous: ResolveRequest.Previous?

    /// Whether it can be used for a request at `now`. If not it is dropped; `bytes` are there already.
    mutating func isGood(at now: Date, bytes: Int64) -> Bool {
        guard let media else { return false }
        if media.isGood(at: now) { return true }
        // It expired, or it was for one request only.
        if previous == nil { previous = .init(reason: .expired, status: nil, bytes: bytes) }
        self.media = nil
        return false
    }

    mutating func refuse(_ reason: ResolveReason, status: Int?, bytes: Int64, server: String? = nil) {
        previous = .init(
            reason: reason == .expired ? .expired : .rejected, status: status, bytes: bytes, server: server)
        media = nil
    }

    /// The request, with `now` corrected to the clock of the answer's host.
    func question(_ context: DownloadContext, at now: Date) -> ResolveRequest {
        let (wanted, services) = (context.wanted, context.services)
        return ResolveRequest(
            user: services.userName, now: services.serverClocks.corrected(now, for: lastOrigin), credentials: nil,
            settings: services.providers.settings,
            video: .init(
                id: wanted.video.writtenID, title: wanted.reference.title,
                parameters: services.providers.parameters(of: wanted.video.settings)),
            course: .init(id: wanted.writtenCourse, title: wanted.courseTitle),
            chapter: wanted.writtenChapter.map { .init(id: $0, title: wanted.chapterTitle) },
            quality: wanted.video.settings.quality.map(\.description), previous: previous)
    }

    /// Takes an answer. Returns why the provider was asked; nil if the answer's URL can't be fetched.
    ///
    /// - Parameters:
    ///   - confinement: the network that its URLs may be in; nil for anywhere.
    ///   - free: URLs that may be anywhere.
    mutating func take(
        _ resolution: Resolution, confinement: NetworkScope? = nil, free: Set<String> = [], at now: Date
    ) -> ResolveReason? {
        guard var resolved = ResolvedMedia(resolution, at: now) else { return nil }
        if let confinement { resolved.confine(to: confinement, besides: free) }
        media = resolved
        lastOrigin = resolved.origin
        count += 1
        defer { previous = nil }
        return previous.map { $0.reason == .expired ? .expired : .rejected } ?? .first
    }
}
