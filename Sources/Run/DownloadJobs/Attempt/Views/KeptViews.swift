import DownloadStore
import FilePlacement
import MediaLibrary
import SyncFacts

/// What a video has already that gets further views, or one of them again.
struct KeptViews: Sendable {
    /// Its own file, as its row has it now.
    let file: StoredFile
    /// The other views that are in the library, each with all of its files.
    private(set) var roles: Set<String> = []
    /// The files of these, and those beside its own one.
    private(set) var parts: [SidecarRecord] = []
    private let wanted: WantedDownload

    /// Nil if the row has no file. Throws ``StoreError`` or ``LibraryError``.
    init?(of wanted: WantedDownload, _ services: RunServices) throws {
        guard let file = try services.store.downloads.record(wanted.id)?.file else { return nil }
        self.wanted = wanted
        self.file = file
        let recorded = try services.store.sidecars.files(of: [wanted.id]).filter { $0.kind == .stream }
        var lost: Set<String> = []
        for part in recorded {
            guard let view = part.viewOfPart else { continue }
            if part.viewRole != nil { roles.insert(view) }
            if try part.isToBeReplaced || services.library.files.facts(of: part.path) == nil { lost.insert(view) }
        }
        roles.subtract(lost)
        parts = recorded.filter { part in part.viewOfPart.map { roles.contains($0) } ?? true }
    }

    /// The video as it is.
    var media: ArrivedMedia {
        let stated = file.path.split(separator: ".").last.map(String.init)
        var media = ArrivedMedia(
            size: file.size, sha256: file.sha256, checksums: file.checksums,
            fileExtension: .choose(.video, stated: stated, mediaType: nil, contentType: nil, url: nil),
            path: file.path, proof: file.proof)
        media.settles = file.modified ?? 0
        media.view = file.role
        media.joins = LateJoin.all(in: file.joining).filter { $0.view.map { roles.contains($0) } ?? true }
        media.parts = parts.enumerated().map { .init(keeping: $1, number: $0, of: wanted.reference.video) }
        return media
    }
}
