import CourseCatalog
import DownloadStore
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import Synchronization

/// Subtitles that a stream's playlist names: they are part of the download, and at their places before it is finished.
extension DownloadJob {
    /// How many, and how much text, a stream may have.
    private static let mostSubtitles = 64
    private static let mostText = 24 << 20
    /// How often one is tried.
    private static let attempts = 3

    /// One that hasn't come.
    struct MissedSubtitle {
        var key: String
        /// For people.
        var name: String
        var failure: StreamFailure
    }

    /// Fetches what isn't there yet, until one fails in a way that passes. What fails for good is given up with a warning: a
    /// film without subtitles is still a film.
    func fetchSubtitles(_ source: StreamSource, _ work: StreamWork, _ access: StreamAccess) async -> MissedSubtitle? {
        let missing = keyed(source.subtitles).filter { subtitles[$0.key] == nil }
        guard !missing.isEmpty else { return nil }
        let origin = await work.begins().origin
        for (key, subtitle) in missing {
            guard subtitles.count < Self.mostSubtitles, textLength < Self.mostText else {
                give(up: key, subtitle.name, "the stream has too many of them")
                continue
            }
            guard access.isUsable() else { return MissedSubtitle(key: key, name: subtitle.name, failure: .expired) }
            switch await SubtitleStream.load(
                subtitle.url, origin: origin, access: access.confined(to: subtitle.scope))
            {
            case .success(let stream):
                received.add(stream.received, ordering: .relaxed)
                subtitles[key] = .some(stream)
                tellGaps(stream.gaps, in: "the subtitle “\(subtitle.name)”")
            case .failure(let problem):
                if Task.isCancelled {
                    return MissedSubtitle(key: key, name: subtitle.name, failure: .transfer(.cancelled, .playlist))
                }
                if case .failure(let failure) = problem, failure.verdict != .final, failure.verdict != .disk {
                    subtitleAttempts[key, default: 0] += 1
                    if subtitleAttempts[key, default: 0] < Self.attempts {
                        return MissedSubtitle(key: key, name: subtitle.name, failure: failure)
                    }
                }
                give(up: key, subtitle.name, DownloadError(problem).message)
            }
        }
        return nil
    }

    func give(up key: String, _ name: String, _ reason: String) {
        subtitles[key] = .some(nil)
        warn("its subtitle “\(name)” was not fetched: \(reason)")
    }

    private var textLength: Int { subtitles.values.reduce(0) { $0 + ($1?.text.count ?? 0) } }

    /// Their order may be another one when the playlist is read again.
    private func keyed(_ subtitles: [StreamSource.Subtitles]) -> [(key: String, subtitle: StreamSource.Subtitles)] {
        var counts: [String: Int] = [:]
        return subtitles.map { subtitle in
            let names = "\(subtitle.language ?? "")\n\(subtitle.name)"
            counts[names, default: 0] += 1
            return ("\(names)\n\(counts[names, default: 0])", subtitle)
        }
    }

    /// The files of those that have come, beside the video.
    func subtitleParts(_ source: StreamSource) throws -> [ArrivedFile] {
        guard let media, !source.subtitles.isEmpty else { return [] }
        let recorded = try services.store.sidecars(of: [id]).filter { $0.kind == .subtitle }
        let wishes = SidecarPlan.wishes(of: wanted, source.subtitles, media)
        var parts: [ArrivedFile] = []
        for (number, (wish, (key, _))) in zip(wishes, keyed(source.subtitles)).enumerated() {
            guard let found = subtitles[key], let subtitle = found, case .video(_, _, let name) = wish.owner else {
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
