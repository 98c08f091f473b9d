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
            let recorded = Dictionary(
                try context.services.store.sidecars.files(of: [context.id]).filter { $0.kind == .stream }.map {
                    ($0.name, $0)
                },
                uniquingKeysWith: { first, _ in first })
            for (number, part) in parts.enumerated().dropFirst() {
                let role = answer.resolution.streams[number - 1].role
                let view = DownloadContext(context, view: number, role: role, record: context.record)
                let name = view.part(SidecarRecord.view)
                var file = ArrivedFile(
                    role: .sidecar(context.id, .stream, name: name),
                    partialName: part.media.partialName ?? view.name(.track(0, of: context.id)),
                    partial: part.media.partial, size: part.media.size, sha256: nil,
                    path: part.media.path ?? LibraryName.file(view.wanted.stem, part.media.fileExtension),
                    id: context.wanted.reference.video, old: recorded[name].map { StoredFile($0) })
                file.keepsName = part.media.path != nil
                media.parts += [file] + part.media.parts
            }
        } catch { return .over(.cannotWrite(error)) }
        return .complete(media)
    }
}

typealias ViewsDownload = PartedDownload<ViewsPlan>
