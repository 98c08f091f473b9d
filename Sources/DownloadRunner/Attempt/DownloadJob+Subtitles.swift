import CourseCatalog
import DownloadStore
import Foundation
import HLSMedia
import MediaTransfer
import Synchronization

/// Subtitles that a stream's playlist names: they are part of the download, and at their places before it is finished.
extension DownloadJob {
    /// Fetches what isn't there yet. Nil when it is, or is given up with a warning: a film without subtitles is still a film.
    /// The failure is one that a new URL may help against.
    func fetchSubtitles(
        _ source: StreamSource, _ work: StreamWork, _ access: StreamAccess, isFresh: Bool
    ) async -> StreamFailure? {
        guard source.subtitles.indices.contains(where: { subtitles[$0] == nil }) else { return nil }
        // The file begins with whatever begins first.
        let origin = await work.begins().compactMap(\.self)
            .reduce(nil) { first, next in
                first.map { MediaClock.offset(from: $0, to: next) < 0 ? next : $0 } ?? next
            }?.ticks
        for (number, subtitle) in source.subtitles.enumerated() where subtitles[number] == nil {
            switch await SubtitleStream.load(subtitle.url, origin: origin, access: access) {
            case .success(let stream):
                received.add(stream.received, ordering: .relaxed)
                subtitles[number] = .some(stream)
                tellGaps(stream.gaps, in: "the subtitle “\(subtitle.name)”")
            case .failure(let problem):
                if Task.isCancelled { return .transfer(.cancelled, .playlist) }
                if case .failure(let failure) = problem, failure.verdict == .resolveAgain, !isFresh { return failure }
                subtitles[number] = .some(nil)
                warn("its subtitle “\(subtitle.name)” was not fetched: \(DownloadError(problem).message)")
            }
        }
        return nil
    }

    /// The files of those that have come, beside the video.
    func subtitleParts(_ source: StreamSource) throws -> [ArrivedFile] {
        guard let media, !subtitles.isEmpty else { return [] }
        let recorded = try services.store.sidecars(of: [id]).filter { $0.kind == .subtitle }
        var parts: [ArrivedFile] = []
        for (number, wish) in SidecarPlan.wishes(of: wanted, source.subtitles, media).enumerated() {
            guard case .some(.some(let subtitle)) = subtitles[number], case .video(_, _, let name) = wish.owner else {
                continue
            }
            let partialName = PartialName.subtitle(number, of: id)
            let partial = try writePartial(partialName, subtitle.text, hashes: true)
            parts.append(
                ArrivedFile(
                    role: .sidecar(id, .subtitle, name: name), partialName: partialName, partial: partial,
                    size: partial.length, sha256: nil,
                    path: wish.folder.isEmpty ? wish.name : "\(wish.folder)/\(wish.name)", id: wanted.reference.video,
                    old: recorded.first { $0.name == name }.map { StoredFile($0) }))
        }
        return parts
    }
}
