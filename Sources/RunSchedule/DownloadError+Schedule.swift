import DownloadStore

/// What the schedule itself says of a download. The sentences are stored with its row: see ``DownloadError/message``.
extension DownloadError {
    static let silentHost = DownloadError(kind: .network, message: "its host isn't answering")
    static let unflushed = DownloadError(kind: .disk, message: "its data didn't reach the disk")
}
