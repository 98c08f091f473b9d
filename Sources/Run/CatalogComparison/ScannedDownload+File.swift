import DownloadStore
import FileSystem
import MediaLibrary

extension ScannedDownload {
    /// The kind of download that gets it, or has got it.
    var kind: DownloadKind? { string(.kind).map(DownloadKind.init) }

    /// Whether the word for its state is unknown.
    var hasUnknownState: Bool { string(.state).flatMap(DownloadState.init) == nil }

    /// The row's file, of no source if it has to be replaced.
    func file(stays: Bool) -> StoredFile? {
        var file = storedFile
        if !stays { file?.source = [] }
        return file
    }

    /// The row's file in the library; nil without one.
    var storedFile: StoredFile? {
        string(.path).flatMap { path in
            // A damaged path has no file.
            guard (try? LibraryPath(path)) != nil else { return nil }
            return StoredFile(
                path: path, size: max(0, integer(.size)), modified: isNull(.modified) ? nil : integer(.modified),
                sha256: digest(.sha256), source: digest(.fileSource) ?? [],
                proof: string(.fileProof).flatMap(FileProof.init),
                checksums: string(.checksums).flatMap(PublishedChecksums.init(text:)), role: string(.role))
        }
    }
}
