import DownloadStore
import FileSystem
import MediaLibrary
import ProviderKit

/// Files that the state doesn't know.
extension DownloadJob {
    /// The video out of what stands at its place already, where its provider gives the SHA-256 of just that: its host isn't
    /// asked then. Nil if nothing stands there, or something else.
    func adoptStanding(_ resolution: Resolution) async -> JobOutcome? {
        guard !hasLookedAtPlace else { return nil }
        hasLookedAtPlace = true
        guard wanted.oldFile == nil, let text = resolution.sha256, let sha256 = [UInt8](hex: text) else { return nil }
        let fileExtension = FileExtension.choose(
            .video, stated: resolution.fileExtension, mediaType: resolution.mediaType, contentType: nil,
            url: resolution.url)
        let path = "\(wanted.stem).\(fileExtension.text)"
        guard let facts = (try? services.library.facts(of: path)) ?? nil, facts.size == resolution.size ?? facts.size
        else { return nil }
        let stored = StoredFile(path: path, size: facts.size, modified: nil, sha256: sha256, source: wanted.source)
        let donor = Donor(file: stored, video: wanted.reference.video, isStanding: true)
        guard donor.isPossible(for: wanted), (try? services.store.hasOwner(of: path, besides: id)) == false else {
            return nil
        }
        return await duplicate(donor)
    }
}
