import DownloadStore

/// Errors that the schedule itself makes. The sentences are stored with the row: see ``DownloadError/message``.
extension DownloadError {
    static let leftAlone = DownloadError(
        kind: .network, message: "it wasn't requested, since its server had failed or asked for a pause")
    static let unflushed = DownloadError(kind: .disk, message: "its data can't be flushed to the disk")

    /// Whether its host doesn't have it, or no longer.
    var isAbsence: Bool { kind == .notFound || kind == .gone }

    /// Whether a server has said that this request was one too many (RFC 6585, section 4; RFC 9110, section 15.6.4).
    var isTooMany: Bool { status == 429 || status == 503 }
}
