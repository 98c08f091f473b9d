import DownloadStore

/// Errors that the schedule itself makes. The sentences are stored with the row: see ``DownloadError/message``.
extension DownloadError {
    static let leftAlone = DownloadError(
        kind: .network, message: "it wasn't requested, since its server had failed or asked for a pause")
    static let unflushed = DownloadError(kind: .disk, message: "its data can't be flushed to the disk")
}
