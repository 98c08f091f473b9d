import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import RunSchedule
import SystemPackage

/// Brings one sidecar into a partial. It never resumes: sidecars are small.
struct SidecarFetch: Sendable {
    private static let sizeLimit: Int64 = 256 << 20

    let wish: SidecarWish
    /// Among the run's sidecars.
    let number: Int
    let partialName: PartialName
    let services: RunServices

    /// Three attempts; then what went wrong.
    func run() async -> Result<ArrivedFile, DownloadError> {
        do {
            try services.library.removePartial(partialName)
            let descriptor = try services.library.openPartial(partialName).release()
            let partial = try PartialFile(descriptor: descriptor, length: 0, hashes: true)
            let result: Result<ArrivedFile, DownloadError> =
                switch wish.source {
                case .file(let cover): await copy(cover, to: partial)
                case .url(let url): await fetch(TransferRequest(url: url), into: partial)
                case .resolved(let url, let media): await fetch(media.sidecarRequest(url), into: partial)
                }
            if case .failure = result {
                partial.close()
                try? services.library.removePartial(partialName)
            }
            return result
        } catch {
            return .failure(DownloadError(kind: .disk, message: "its partial can't be opened: \(error)"))
        }
    }

    private func fetch(
        _ template: TransferRequest, into partial: PartialFile
    ) async -> Result<ArrivedFile, DownloadError> {
        var request = template
        request.allowsMarkup = wish.purpose == .attachment
        request.allowsTimedText = wish.isSubtitle
        request.maxSize = wish.purpose == .attachment ? nil : Self.sizeLimit
        for attempt in 1... {
            let report = await services.engine.fetch(request, into: partial)
            guard let failure = report.failure else {
                return await arrived(partial, contentType: report.head?.contentType)
            }
            if case .lengthUnknown(framed: true) = failure {
                return await arrived(partial, contentType: report.head?.contentType)
            }
            switch failure.verdict {
            case .retry, .retryHost:
                guard attempt < 3, !Task.isCancelled else { return .failure(DownloadError(failure)) }
                try? await Task.sleep(for: Backoff.delay(attempt: attempt, jitter: .random(in: 0...1)))
                do { try partial.startOver() } catch { return .failure(DownloadError(failure)) }
            default: return .failure(DownloadError(failure))
            }
        }
        return .failure(DownloadError(kind: .bug, message: "unreachable"))
    }

    private func copy(_ cover: LocalCover, to partial: PartialFile) async -> Result<ArrivedFile, DownloadError> {
        let problem = await Blocking.run { _ in cover.copy(to: partial, upTo: Self.sizeLimit) }
        if let problem { return .failure(problem) }
        return await arrived(partial, contentType: nil, at: cover.path)
    }

    private func arrived(
        _ partial: PartialFile, contentType: String?, at path: String? = nil
    ) async -> Result<ArrivedFile, DownloadError> {
        do {
            let sha256 = try await partial.sha256()
            let file = file(
                size: partial.length, sha256: sha256, contentType: contentType, url: path ?? wish.source.url,
                partial: partial)
            return .success(file)
        } catch {
            return .failure(DownloadError(kind: .disk, message: "it can't be read back: \(error)"))
        }
    }

    private func file(
        size: Int64, sha256: [UInt8]?, contentType: String?, url: String?, partial: PartialFile?
    ) -> ArrivedFile {
        let name =
            wish.purpose.map {
                LibraryName.file(
                    wish.name,
                    FileExtension.choose(
                        $0, stated: nil, mediaType: wish.mediaType, contentType: contentType, url: url))
            } ?? LibraryName.subtitle(wish.name, contentType: contentType)
        let role: ArrivedFile.Role =
            switch wish.owner {
            case .video(let id, let kind, let name): .sidecar(id, kind, name: name)
            case .course(let course, let digest): .courseCover(course: course, digest: digest)
            case .chapter(let course, let chapter, let digest):
                .chapterCover(course: course, chapter: chapter, digest: digest)
            }
        return ArrivedFile(
            role: role, sidecar: number, partialName: partialName, partial: partial, size: size, sha256: sha256,
            path: wish.folder.isEmpty ? name : "\(wish.folder)/\(name)", id: wish.video?.video ?? "cover", old: wish.old
        )
    }
}
