import CourseCatalog
import DownloadStore
import FilePlacement
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import SyncFacts

/// Subtitles in a stream's playlist: they are part of the download, and in place before it is finished.
struct StreamSubtitles: Sendable {
    /// The limits on the number and the text of a stream's subtitles.
    private static let countLimit = 64
    private static let textLimit = 24 << 20
    /// The limit on attempts for one.
    private static let attempts = 3

    struct Missed {
        var key: String
        /// For messages.
        var name: String
        var failure: StreamFailure
    }

    /// Downloaded ones, by language, name and ordinal; nil for those given up.
    private var found: [String: SubtitleStream?] = [:]
    private var failures: [String: Int] = [:]

    /// Downloads missing ones, until one fails temporarily. One that fails permanently is given up with a warning: the
    /// video works without it.
    mutating func fetch(
        of source: StreamSource, _ work: StreamWork, _ access: StreamAccess, in context: DownloadContext,
        received: inout Int64
    ) async -> Missed? {
        let missing = keyed(source.subtitles).filter { found[$0.key] == nil }
        guard !missing.isEmpty else { return nil }
        let origin = await work.begins().origin
        for (key, subtitle) in missing {
            let missed = { Missed(key: key, name: subtitle.name, failure: $0) }
            guard found.count < Self.countLimit, textLength < Self.textLimit else {
                give(up: key, subtitle.name, .tooMany, context)
                continue
            }
            guard access.isUsable() else { return missed(.expired) }
            switch await load(subtitle, origin: origin, access.confined(to: subtitle.scope)) {
            case .success(let stream):
                received += stream.received
                found[key] = .some(stream)
                context.tellGaps(stream.gaps, subtitle: subtitle.name)
            case .failure(let problem):
                if Task.isCancelled { return missed(.transfer(.cancelled, .playlist)) }
                if let failure = passing(problem, key) { return missed(failure) }
                give(up: key, subtitle.name, .failed(DownloadError(problem)), context)
            }
        }
        return nil
    }

    private func load(
        _ subtitle: StreamSource.Subtitles, origin: UInt64?, _ access: StreamAccess
    ) async -> Result<SubtitleStream, StreamSource.Problem> {
        switch subtitle.presented {
        case nil: await SubtitleStream.load(subtitle.url, origin: origin, access: access)
        case .success(let plan): await SubtitleStream.load(plan, origin: origin, access: access)
        case .failure(let problem): .failure(problem)
        }
    }

    /// The failure of one that may be retried.
    private mutating func passing(_ problem: StreamSource.Problem, _ key: String) -> StreamFailure? {
        guard case .failure(let failure) = problem, failure.verdict != .final, failure.verdict != .disk else {
            return nil
        }
        failures[key, default: 0] += 1
        return failures[key, default: 0] < Self.attempts ? failure : nil
    }

    /// Continues without one.
    mutating func give(
        up key: String, _ name: String, _ loss: SyncWarning.Stream.SubtitleLoss, _ context: DownloadContext
    ) {
        found[key] = .some(nil)
        context.warn(.noSubtitle(name, loss))
    }

    private var textLength: Int { found.values.reduce(0) { $0 + ($1?.text.count ?? 0) } }

    /// Their order may differ when the playlist is read again.
    private func keyed(_ subtitles: [StreamSource.Subtitles]) -> [(key: String, subtitle: StreamSource.Subtitles)] {
        var counts: [String: Int] = [:]
        return subtitles.map { subtitle in
            let names = "\(subtitle.language ?? "")\n\(subtitle.name)"
            counts[names, default: 0] += 1
            return ("\(names)\n\(counts[names, default: 0])", subtitle)
        }
    }

    /// The files of downloaded ones, beside the video.
    func parts(_ source: StreamSource, _ answer: ResolvedMedia, _ context: DownloadContext) throws -> [ArrivedFile] {
        guard !source.subtitles.isEmpty else { return [] }
        let recorded = try context.services.store.sidecars.files(of: [context.id]).filter { $0.kind == .subtitle }
        let wantedSidecars = SidecarPlan.wantedSidecars(
            of: context.wanted, named: source.subtitles.map { ($0.language, $0.url) }, beside: answer.resolution)
        var parts: [ArrivedFile] = []
        for (number, (sidecar, (key, _))) in zip(wantedSidecars, keyed(source.subtitles)).enumerated() {
            guard let known = found[key], let subtitle = known, case .video(_, _, let name) = sidecar.owner else {
                continue
            }
            let partialName = context.name(.subtitle(number, of: context.id))
            let partial = try context.writePartial(partialName, subtitle.text, hashes: true)
            parts.append(
                ArrivedFile(
                    role: .sidecar(context.id, .subtitle, name: name), partialName: partialName, partial: partial,
                    size: partial.length, sha256: nil,
                    path: sidecar.folder.isEmpty ? sidecar.name : "\(sidecar.folder)/\(sidecar.name)",
                    id: context.wanted.reference.video,
                    old: recorded.first { $0.name == name }.map { StoredFile($0) }))
        }
        return parts
    }
}
