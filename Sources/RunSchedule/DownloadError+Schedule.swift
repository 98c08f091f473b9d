import DownloadStore

/// Errors that the schedule itself makes. The sentences are stored with the row: see ``DownloadError/message``.
extension DownloadError {
    static let silentHost = DownloadError(kind: .network, message: "the host doesn't respond")
    static let unflushed = DownloadError(kind: .disk, message: "its data can't be flushed to the disk")
}
