import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import ProviderKit
import RunSchedule
import SyncFacts

/// Makes a download's file from one in the library: a hard link, else a clone, else a copy.
struct DonorCopy: Sendable {
    let context: DownloadContext
    let donor: Donor

    /// Nil if the donor can't be used, so that the bytes have to be transferred, or if it is cancelled.
    ///
    /// - Parameter expectedSHA256: from catalog or provider. It decides: a file of an earlier run is read before it is
    ///   shared, even if its time is unchanged.
    func run(expectedSHA256: Checksum?) async -> ArrivedMedia? {
        let file = donor.file
        let isReadFirst = expectedSHA256 != nil && donor.request == nil
        let record = FileRecord(
            size: file.size, modified: isReadFirst ? nil : file.modified, sha256: file.sha256)
        let name = PartialName(download: context.id.rawValue)
        let library = context.services.library
        let isDone = await Blocking.run { shouldStop in
            do {
                switch try library.duplicates.make(of: file.path, record: record, as: name, shouldStop: shouldStop) {
                case .donorUnusable: return false
                case .hardLink: return true
                case .clone, .copy:
                    try library.partials.open(name).flush()
                    return true
                }
            } catch {
                return false
            }
        }
        guard isDone, !Task.isCancelled else { return nil }
        let stated = file.path.split(separator: ".").last.map(String.init)
        return ArrivedMedia(
            size: file.size, sha256: file.sha256, expectedSHA256: context.wanted.video.checksum,
            checksums: file.checksums,
            fileExtension: .choose(.video, stated: stated, mediaType: nil, contentType: nil, url: nil),
            proof: file.proof, request: donor.request)
    }
}

extension Donor {
    /// A file without a row that is in the download's place already, if it has the SHA-256 that the provider gives: the
    /// host isn't asked then. Nil if there is none, or another one.
    static func inPlace(for resolved: ResolvedMedia, _ context: DownloadContext) -> Donor? {
        let (wanted, services, resolution) = (context.wanted, context.services, resolved.resolution)
        guard wanted.oldFile == nil, let sha256 = resolution.sha256.flatMap(Checksum.init(hex:)) else { return nil }
        let fileExtension = FileExtension.choose(
            .video, stated: resolution.fileExtension, mediaType: resolution.mediaType, contentType: nil,
            url: resolution.url)
        let path = LibraryName.file(wanted.stem, fileExtension)
        guard let facts = (try? services.library.files.facts(of: path)) ?? nil,
            facts.size == resolution.size ?? facts.size
        else { return nil }
        let stored = StoredFile(path: path, size: facts.size, modified: nil, sha256: sha256, source: wanted.source)
        let donor = Donor(file: stored, video: wanted.reference.video, isInPlace: true)
        guard donor.isPossible(for: wanted.bytes()),
            (try? services.store.downloads.hasOwner(of: path, besides: context.id)) == false
        else { return nil }
        return donor
    }
}
