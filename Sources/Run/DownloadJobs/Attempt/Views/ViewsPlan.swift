import DownloadStore
import FilePlacement
import MediaLibrary
import ProviderKit
import RunSchedule
import SyncFacts

/// Several pictures of one video: a file or a stream each, which are placed together.
enum ViewsPlan: PartsPlan {
    static let kind = DownloadKind.views

    static func labels(of resolution: Resolution) -> [String] {
        // Another form of the same view has other partials.
        [resolution.withoutStreams].map { "\($0.role ?? "") \(DownloadKind.type(for: $0).kind.rawValue)" }
            + resolution.streams.map { "\($0.role) \(DownloadKind.type(for: resolution.alone($0)).kind.rawValue)" }
    }

    static func name(of number: Int, in resolution: Resolution) -> String? {
        number == 0 ? nil : resolution.streams[number - 1].role
    }

    static func mayBeText(_ number: Int, in resolution: Resolution) -> Bool { false }

    static func answer(for number: Int, in answer: ResolvedMedia) -> ResolvedMedia {
        number == 0 ? answer.withoutStreams : answer.streams[number - 1]
    }

    static func put(_ answer: ResolvedMedia, for number: Int, into whole: inout ResolvedMedia) {
        if number == 0 { whole.takeMain(answer) } else { whole.streams[number - 1] = answer }
    }

    static func download(
        _ number: Int, of resolution: Resolution, _ context: DownloadContext, resume: ResumeRecord?,
        record: @escaping @Sendable (ProgressFacts) -> DownloadChange
    ) -> any MediaDownload {
        let stream = number == 0 ? nil : resolution.streams[number - 1]
        let own = stream.map { resolution.alone($0) } ?? resolution.withoutStreams
        let view = DownloadContext(context, view: number, role: stream?.role ?? "", record: record)
        return DownloadKind.type(for: own).init(view, resume: resume)
    }

    /// The first one is the video's file, the others are beside it.
    static func finish(
        _ parts: [ArrivedPart], _ answer: ResolvedMedia, _ context: DownloadContext
    ) async -> AttemptEnd {
        guard var media = parts.first?.media else { return .over(.stopped) }
        do {
            let others = Array(parts.dropFirst())
            media.parts += try files(others, answer.resolution.streams, context)
            media.joins += joins(others, answer.resolution.streams)
        } catch { return .over(.cannotWrite(error)) }
        return .complete(media)
    }

    /// What ffmpeg has to make of other views later.
    fileprivate static func joins(_ parts: [ArrivedPart], _ streams: [Resolution.Stream]) -> [LateJoin] {
        zip(parts, streams).flatMap { part, stream in
            part.media.joins.map { join in
                var join = join
                join.view = stream.role
                return join
            }
        }
    }

    /// The files of other views, each with what is beside it.
    fileprivate static func files(
        _ parts: [ArrivedPart], _ streams: [Resolution.Stream], _ context: DownloadContext
    ) throws -> [ArrivedFile] {
        let recorded = Dictionary(
            try context.services.store.sidecars.files(of: [context.id]).filter { $0.kind == .stream }.map {
                ($0.name, $0)
            },
            uniquingKeysWith: { first, _ in first })
        return zip(parts, streams).enumerated().flatMap { number, found in
            let (part, stream) = found
            let view = DownloadContext(context, view: number + 1, role: stream.role, record: context.record)
            let name = view.part(SidecarRecord.view)
            var file = ArrivedFile(
                role: .sidecar(context.id, .stream, name: name),
                partialName: part.media.partialName ?? view.name(.track(0, of: context.id)),
                partial: part.media.partial, size: part.media.size, sha256: nil,
                path: part.media.path ?? LibraryName.file(view.wanted.stem, part.media.fileExtension),
                id: context.wanted.reference.video, old: recorded[name].map { StoredFile($0) })
            file.keepsName = part.media.path != nil
            return [file] + part.media.parts
        }
    }
}

/// Views that come beside those that a video has: its file stays, and theirs.
enum AddedViewsPlan: PartsPlan {
    static let kind = DownloadKind.views

    static func labels(of resolution: Resolution) -> [String] {
        resolution.streams.map { "\($0.role) \(DownloadKind.type(for: resolution.alone($0)).kind.rawValue)" }
    }

    static func name(of number: Int, in resolution: Resolution) -> String? { resolution.streams[number].role }

    static func mayBeText(_ number: Int, in resolution: Resolution) -> Bool { false }

    static func answer(for number: Int, in answer: ResolvedMedia) -> ResolvedMedia { answer.streams[number] }

    static func put(_ answer: ResolvedMedia, for number: Int, into whole: inout ResolvedMedia) {
        whole.streams[number] = answer
    }

    static func download(
        _ number: Int, of resolution: Resolution, _ context: DownloadContext, resume: ResumeRecord?,
        record: @escaping @Sendable (ProgressFacts) -> DownloadChange
    ) -> any MediaDownload {
        ViewsPlan.download(number + 1, of: resolution, context, resume: resume, record: record)
    }

    static func finish(
        _ parts: [ArrivedPart], _ answer: ResolvedMedia, _ context: DownloadContext
    ) async -> AttemptEnd {
        do {
            guard let kept = try KeptViews(of: context.wanted, context.services) else { return .over(.stopped) }
            var media = kept.media
            media.parts += try ViewsPlan.files(parts, answer.resolution.streams, context)
            media.joins += ViewsPlan.joins(parts, answer.resolution.streams)
            return .complete(media)
        } catch { return .over(.cannotWrite(error)) }
    }
}

typealias AddedViewsDownload = PartedDownload<AddedViewsPlan>

typealias ViewsDownload = PartedDownload<ViewsPlan>
