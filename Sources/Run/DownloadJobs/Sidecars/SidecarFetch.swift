import DownloadStore
package import FilePlacement
import FileSystem
import Foundation
import Hooks
package import MediaLibrary
import MediaTransfer
package import RunSchedule
package import SyncFacts
import SystemPackage

/// Downloads one sidecar into a partial. It never resumes: sidecars are small.
package struct SidecarFetch: Sendable {
    private static let sizeLimit: Int64 = 256 << 20

    let sidecar: WantedSidecar
    /// The answer that names its URL; nil if the catalog does, or a listing.
    let answer: ResolvedMedia?
    /// Among the run's sidecars.
    let number: Int
    let partialName: PartialName
    let services: RunServices

    package init(
        sidecar: WantedSidecar, answer: ResolvedMedia?, number: Int, partialName: PartialName, services: RunServices
    ) {
        self.sidecar = sidecar
        self.answer = answer
        self.number = number
        self.partialName = partialName
        self.services = services
    }

    /// Its only attempt. `mayRenew`: its provider may be asked for another address.
    package func run(mayRenew: Bool) async -> SidecarOutcome {
        if mayRenew, let answer, !answer.isInTime(at: services.clock.now) {
            return .ended(.refused(.addressExpired.located(at: sidecar.address), isFinal: false))
        }
        do {
            try services.library.partials.remove(partialName)
            let descriptor = try services.library.partials.open(partialName).release()
            let partial = try PartialFile(descriptor: descriptor, length: 0, hashes: true)
            let outcome: SidecarOutcome =
                switch sidecar.source {
                case .file(let cover): await copy(cover, to: partial)
                case .url(let url): await fetch(await request(url), into: partial)
                case .text(let text): await write(text, to: partial)
                }
            if case .ended = outcome {
                partial.close()
                try? services.library.partials.remove(partialName)
            }
            return outcome
        } catch {
            let facts = DownloadError.sidecarUnopened(error)
            let isFull = (error as? LibraryError).map { $0.isFull || $0.isReadOnly } ?? false
            return .ended(isFull ? .suspended(.disk, facts) : .waits(facts.located(at: sidecar.address)))
        }
    }

    private func request(_ url: String) async -> TransferRequest {
        if let answer { return answer.sidecarRequest(url) }
        var request = TransferRequest(url: url)
        if let listed = sidecar.listed { request.confinement = await services.providers.confinement(listedBy: listed) }
        return request
    }

    private func fetch(_ template: TransferRequest, into partial: PartialFile) async -> SidecarOutcome {
        var request = template
        if let refused = await ask(&request) { return .ended(refused) }
        request.allowsMarkup = sidecar.allowsMarkup
        request.allowsHTML = sidecar.isPage
        request.allowsTimedText = sidecar.isSubtitle
        let limit = SizeLimit(option: services.options.maxSize, catalog: sidecar.maxSize)
        request.maxSize = sidecar.purpose == .attachment ? limit.known : Self.sizeLimit
        request.maxUnsized = limit.unknown
        let began = services.clock.now
        let report = await services.engine.fetch(request, into: partial)
        switch report.failure {
        case nil, .lengthUnknown(framed: true):
            if !sidecar.isPage, let beginning = try? partial.prefix(WebPageSignature.length),
                WebPageSignature.isHTML(beginning)
            {
                let page = TransferFailure.refused(status: report.head?.status ?? 200, .page("text/html"))
                return .ended(end(of: page, isSilent: false, began), received: report.received)
            }
            return await arrived(partial, contentType: report.head?.contentType, received: report.received)
        case let failure?:
            return .ended(end(of: failure, isSilent: report.head == nil, began), received: report.received)
        }
    }

    /// The user's hook commands may change the request, or refuse it.
    private func ask(_ request: inout TransferRequest) async -> Schedule.SidecarEnd? {
        guard let hooks = services.hooks, hooks.has(.beforeRequest) else { return nil }
        let subject: HookSubject
        let purpose: String
        switch sidecar.owner {
        case .video(_, let kind, _):
            (subject, purpose) = (sidecar.video.map { HookSubject($0) } ?? HookSubject(course: ""), kind.rawValue)
        case .course(let course, _): (subject, purpose) = (HookSubject(course: course), "cover")
        case .chapter(let course, let chapter, _):
            (subject, purpose) = (HookSubject(course: course, chapter: chapter), "cover")
        }
        switch await hooks.beforeRequest(
            RequestFacts(subject, purpose: purpose, url: request.url, sending: request.fields))
        {
        case .go(let change):
            if change.url != request.url { request.confinement = nil }
            // What the user's own command names may be anywhere.
            if change.url != request.url { request.confinement = nil }
            request.become(change)
            return nil
        case .refused(let reason): return .failed(.refusedByHook(reason), isFinal: false)
        case .trouble(.cancelled): return .stopped
        case .trouble(let trouble): return .failed(.brokenHook(.beforeRequest, trouble), isFinal: false)
        }
    }

    private func end(of failure: TransferFailure, isSilent: Bool, _ began: Date) -> Schedule.SidecarEnd {
        let error = DownloadError(failure, at: sidecar.source.url, insteadOf: "the file").located(at: sidecar.address)
        return switch failure.verdict {
        case .stopped: .stopped
        // No answer at all is a failure of the host, not of this file.
        case .retry, .retryOnce:
            .again(error, atLeast: nil, hostFailed: isSilent && error.kind == .network, began: began)
        // A problem with sidecars alone must not delay videos that the host could serve.
        case .retryHost(let after):
            .again(
                error, atLeast: after, hostFailed: after != nil || [429, 503].contains(error.status), began: began)
        case .resolveAgain: .refused(error, isFinal: [404, 410].contains(error.status))
        // The next sync may find the disk as it should be.
        case .disk: DownloadError.isFull(failure) ? .suspended(.disk, error) : .waits(error)
        case .startOver, .final: .failed(error, isFinal: error.isFinal)
        }
    }

    private func copy(_ cover: LocalCover, to partial: PartialFile) async -> SidecarOutcome {
        let problem = await Blocking.run { _ in cover.copy(to: partial, upTo: Self.sizeLimit) }
        if let problem { return .ended(.failed(problem, isFinal: false)) }
        return await arrived(partial, contentType: nil, at: cover.path)
    }

    private func write(_ text: String, to partial: PartialFile) async -> SidecarOutcome {
        var failure: FileError?
        Array(text.utf8).withUnsafeBytes { bytes in
            do throws(FileError) { try partial.append(bytes) } catch { failure = error }
        }
        if let error = failure { return .ended(.failed(DownloadError(.file(errno: error.errno)), isFinal: false)) }
        return await arrived(partial, contentType: Self.subtitleType(of: text))
    }

    /// The media type of subtitles, by how they begin: XML is TTML, and SubRip begins with a number.
    private static func subtitleType(of text: String) -> String {
        let beginning = text.unicodeScalars.prefix(256).drop { $0.properties.isWhitespace || $0.value == 0xFEFF }
        switch beginning.first {
        case "<": return "application/ttml+xml"
        case let first? where ("0"..."9").contains(first): return "application/x-subrip"
        default: return "text/vtt"
        }
    }

    private func arrived(
        _ partial: PartialFile, contentType: String?, at path: String? = nil, received: Int64 = 0
    ) async -> SidecarOutcome {
        do {
            let sha256 = try await partial.checksum()
            let file = file(
                size: partial.length, sha256: sha256, contentType: contentType, url: path ?? sidecar.source.url,
                partial: partial)
            return .arrived(file, received: received)
        } catch {
            return .ended(.waits(.sidecarUnreadable(error).located(at: sidecar.address)), received: received)
        }
    }

    private func file(
        size: Int64, sha256: Checksum?, contentType: String?, url: String?, partial: PartialFile?
    ) -> ArrivedFile {
        let name =
            sidecar.purpose.map {
                LibraryName.file(
                    sidecar.name,
                    FileExtension.choose(
                        $0, stated: nil, mediaType: sidecar.mediaType, contentType: contentType, url: url))
            } ?? LibraryName.subtitle(sidecar.name, contentType: contentType, url: url)
        let role: ArrivedFile.Role =
            switch sidecar.owner {
            case .video(let id, let kind, let name): .sidecar(id, kind, name: name)
            case .course(let course, let digest): .courseCover(course: course, digest: digest)
            case .chapter(let course, let chapter, let digest):
                .chapterCover(course: course, chapter: chapter, digest: digest)
            }
        return ArrivedFile(
            role: role, sidecar: number, partialName: partialName, partial: partial, size: size, sha256: sha256,
            path: sidecar.folder.isEmpty ? name : "\(sidecar.folder)/\(name)", id: sidecar.video?.video ?? "cover",
            old: sidecar.old
        )
    }
}

/// The end of a download, with the bytes received from the network.
package enum SidecarOutcome: Sendable {
    /// It is complete in a partial.
    case arrived(ArrivedFile, received: Int64)
    case ended(Schedule.SidecarEnd, received: Int64 = 0)
}
