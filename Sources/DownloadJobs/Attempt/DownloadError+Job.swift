package import DownloadStore
package import MediaTransfer

/// What goes wrong with a job's turn. The sentences are stored with the row: see ``DownloadError/message``.
extension DownloadError {
    static let badURL = DownloadError(
        kind: .providerFailed, message: "the provider's URL is not an http or https URL")

    static let wrongChecksum = DownloadError(
        kind: .checksumMismatch, message: "the file that arrived doesn't have the expected SHA-256")

    static func wrongSize(_ size: Int64, instead wanted: Int64) -> DownloadError {
        DownloadError(kind: .sizeMismatch, message: "the file has \(size) bytes instead of \(wanted)")
    }

    /// Once more than is followed.
    static func otherVersion(status: Int?) -> DownloadError {
        DownloadError(
            kind: .identityChanged,
            message: "the server keeps serving another version of the file than the one begun with", status: status)
    }

    static func otherKind(_ kind: DownloadKind, before: DownloadKind) -> DownloadError {
        DownloadError(
            kind: .identityChanged,
            message: "the provider has a \(kind.rawValue) now in the place of a \(before.rawValue)")
    }

    // MARK: the disk

    static func partialUnopened(_ reason: String) -> DownloadError {
        DownloadError(kind: .disk, message: "its partial can't be opened: \(reason)")
    }

    static func partialKept(_ error: FileError) -> DownloadError {
        DownloadError(kind: .disk, message: "its partial can't be emptied: \(error)")
    }

    static func unwritable(_ error: any Error) -> DownloadError {
        DownloadError(kind: .disk, message: "what belongs to it can't be written: \(error)")
    }

    /// What has arrived of a video.
    package static func arrivedUnreadable(_ error: any Error) -> DownloadError {
        DownloadError(kind: .disk, message: "what arrived can't be read back: \(error)")
    }

    package static func notOnDisk(_ error: FileError) -> DownloadError {
        DownloadError(kind: .disk, message: "its data didn't reach the disk: \(error)")
    }

    static func noDescriptors(_ limit: Int) -> DownloadError {
        let message = """
            no more files can be opened: this process may have \(limit) open at a time; raise that with ulimit -n, or \
            run with fewer --jobs
            """
        return DownloadError(kind: .disk, message: message)
    }
}
