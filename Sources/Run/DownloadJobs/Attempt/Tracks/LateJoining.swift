package import DownloadStore
import FilePlacement
import FileSystem
import HLSMedia
import MediaLibrary
import MediaTransfer
import RunSchedule
import SyncFacts
import SystemPackage

/// Joins files that stand beside each other since there was no ffmpeg when they came. Nothing is requested.
///
/// The files stay in their places, and the video finished, until what ffmpeg has made of them is complete. Then that
/// is placed as any other file that replaces one, and those that it has become are removed.
package struct LateJoining: Sendable {
    package enum Outcome: Sendable {
        /// The video's own file, as it is now.
        case joined(StoredFile)
        /// Nothing was done: the files have been changed, or can't be joined.
        case left
        /// A later run tries again.
        case noSpace
        case stopped
        /// One sentence without its full stop.
        case failed(String)
        case unwritable(StoreError)
    }

    /// So many syncs try: ffmpeg may have been broken, or killed.
    private static let mostFailures = 3

    /// What ffmpeg has made of one view.
    private struct Made {
        var join: LateJoin
        var media: ArrivedMedia
    }

    private let services: RunServices
    private let ffmpeg: FFmpeg
    private let record: DownloadRecord
    private let file: StoredFile
    private let parts: [SidecarRecord]

    /// Whether there is ffmpeg.
    package static func isPossible(_ services: RunServices) -> Bool { services.ffmpeg != nil }

    /// Nil without ffmpeg, or a file to join. Throws ``StoreError``.
    package init?(_ record: DownloadRecord, _ services: RunServices) throws(StoreError) {
        guard let ffmpeg = services.ffmpeg, let file = record.file, record.state == .finished else { return nil }
        self.services = services
        self.ffmpeg = ffmpeg
        self.record = record
        self.file = file
        parts = try services.store.sidecars.files(of: [record.id]).filter { $0.kind == .stream }
    }

    /// In a task that may be cancelled.
    package func run() async -> Outcome {
        var made: [Made] = []
        var left: [LateJoin] = []
        let joins = LateJoin.all(in: file.joining)
        do {
            for (number, join) in joins.enumerated() {
                guard let files = try files(of: join) else {
                    left.append(join)
                    continue
                }
                guard try await areAsRecorded(files) else {
                    warn(.changed)
                    continue
                }
                switch try await make(join, of: files, PartialName.remuxed(record.id).inView(number)) {
                case .made(let media): made.append(Made(join: join, media: media))
                case .missing(.ended(.noSpace)):
                    discard(made)
                    warn(.ended(.noSpace))
                    return .noSpace
                case .missing(let loss):
                    var join = join
                    join.failures = (join.failures ?? 0) + 1
                    let again = !loss.isFinal && (join.failures ?? 0) < Self.mostFailures
                    if again { left.append(join) }
                    warn(loss, again: again)
                case .outcome:
                    discard(made)
                    return .stopped
                }
            }
            guard !made.isEmpty else {
                if left != joins {
                    var known = file
                    known.joining = LateJoin.text(left)
                    try services.store.write([.recorded(record.id, known)])
                }
                return .left
            }
            return try await place(made, left)
        } catch {
            discard(made)
            return Self.outcome(error)
        }
    }

    private func warn(_ loss: RemuxLoss, again: Bool = false) {
        services.events.post(
            .warning(.stream(.notJoined(because: loss.sentence, again: again)), VideoReference(record)))
    }

    private static func outcome(_ error: any Error) -> Outcome {
        switch error {
        case let error as StoreError: .unwritable(error)
        case LibraryError.stopped: .stopped
        case let error as LibraryError: .failed(error.sentence)
        case let error as FileError: .failed(TransferFailure.file(errno: error.errno).sentence)
        default: .failed("\(error)")
        }
    }

    /// The files of a view as they are recorded; nil if one is missing or has been changed.
    private func files(of join: LateJoin) throws -> [StoredFile]? {
        var found: [StoredFile] = []
        for wanted in join.files {
            let part = wanted.part ?? join.view.map { SidecarRecord.name(SidecarRecord.view, ofView: $0) }
            let stored = part == nil ? file : parts.first { $0.name == part }.map { StoredFile($0) }
            guard let stored, case .ours = try services.library.files.proves(stored.path, is: FileRecord(stored)) else {
                return nil
            }
            found.append(stored)
        }
        return found
    }

    /// Whether the files have the SHA-256 that was recorded when they came: afterwards nothing would tell of a damage.
    private func areAsRecorded(_ files: [StoredFile]) async throws -> Bool {
        try await Blocking.run { [library = services.library] shouldStop in
            Result<Bool, LibraryError> { () throws(LibraryError) in
                for file in files {
                    guard let sha256 = file.sha256 else { continue }
                    guard try library.files.hash(file.path, shouldStop: shouldStop)?.sha256 == sha256 else {
                        return false
                    }
                }
                return true
            }
        }.get()
    }

    private func make(_ join: LateJoin, of files: [StoredFile], _ name: PartialName) async throws -> RemuxedFile.End {
        let library = services.library
        try library.partials.remove(name)
        let paths = files.map { library.root.appending($0.path) }
        guard let job = join.job(paths, writing: library.partials.path(of: name)) else {
            return .missing(because: .unknownKind)
        }
        let bytes = files.byteCount(\.size).value
        if let space = services.space, let free = space.free(), free - bytes < space.rule.floor {
            return .missing(because: .ended(.noSpace))
        }
        let output = RemuxedFile(services: services, name: name) { _ in join.lengths }
        return try await output.make(job, with: ffmpeg, bytes: bytes)
    }

    private func discard(_ made: [Made]) {
        for made in made {
            made.media.partial?.close()
            if let name = made.media.partialName { try? services.library.partials.remove(name) }
        }
    }

    // MARK: placing

    private func place(_ made: [Made], _ left: [LateJoin]) async throws -> Outcome {
        var video = ArrivedFile(
            role: .video(record.id, source: file.source), partialName: PartialName(download: record.id.rawValue),
            size: file.size, sha256: file.sha256, path: file.path, id: record.key.video, hasPast: true,
            proof: file.proof, settles: file.modified ?? 0, checksums: file.checksums)
        if let own = made.first(where: { $0.join.view == nil }) {
            video = try await arrived(own, video.role, instead: file)
            video.hasPast = true
        }
        video.view = file.role
        video.joining = LateJoin.text(left)
        var views: [ArrivedFile] = []
        for made in made {
            guard let role = made.join.view else { continue }
            let name = SidecarRecord.name(SidecarRecord.view, ofView: role)
            guard let part = parts.first(where: { $0.name == name }) else { continue }
            views.append(
                try await arrived(
                    made, .sidecar(record.id, .stream, name: name), instead: StoredFile(part)))
        }
        let joined = made.flatMap { made in
            made.join.files.map { $0.part ?? made.join.view.map { SidecarRecord.name(SidecarRecord.view, ofView: $0) } }
        }
        let kept = parts.filter { part in !joined.contains { $0 == part.name } }
        video.parts =
            views + kept.enumerated().map { .init(keeping: $1, number: $0, of: record.key.video) }
        let (arrived, store, library) = (video, services.store, services.library)
        let result = await Blocking.run { _ in Self.place(arrived, of: record, in: store, library) }
        switch result {
        case .success(let placed): return .joined(placed)
        case .failure(let error):
            discard(made)
            // As it was, unless the next start finds out.
            if let now = try services.store.downloads.record(record.id), now.state != .finished, !now.isPlacing {
                try services.store.write([.adopt(record.id, file)])
            }
            return Self.outcome(error)
        }
    }

    private func arrived(
        _ made: Made, _ role: ArrivedFile.Role, instead old: StoredFile
    ) async throws -> ArrivedFile {
        let name = LibraryPathParts.split(old.path).name
        let end = name.lastIndex(of: ".").map { name.distance(from: $0, to: name.endIndex) } ?? 0
        return ArrivedFile(
            role: role, partialName: made.media.partialName ?? PartialName(download: record.id.rawValue),
            partial: made.media.partial, size: made.media.size, sha256: try await made.media.partial?.checksum(),
            path: LibraryName.file(String(old.path.dropLast(end)), made.media.fileExtension), id: record.key.video,
            old: old)
    }

    /// The row is unfinished only while its files are exchanged: in one transaction with the first step.
    private static func place(
        _ video: ArrivedFile, of record: DownloadRecord, in store: DownloadStore, _ library: LibraryFolder
    ) -> Result<StoredFile, any Error> {
        var failure: any Error = LibraryError.stopped
        var begins: [DownloadChange] = [.refetch(record.id, keepsFile: true)]
        let placed = Placer(store: store, library: library).place(
            [video],
            write: { changes in
                do {
                    try store.write(begins + changes)
                    begins = []
                    return true
                } catch {
                    failure = error
                    return false
                }
            },
            failed: { _, reason in
                switch reason {
                case .flush(let error): failure = error
                case .library(let error): failure = error
                case .unwanted, .store: break
                }
            })
        return placed?.first.map { .success($0.stored) } ?? .failure(failure)
    }
}
