import DownloadStore

/// What the schedule itself says of a download. The sentences are stored with its row: see ``DownloadError/message``.
extension DownloadError {
    static let silentHost = DownloadError(kind: .network, message: "the host doesn't respond")
    static let unflushed = DownloadError(kind: .disk, message: "its data can't be flushed to the disk")
}
