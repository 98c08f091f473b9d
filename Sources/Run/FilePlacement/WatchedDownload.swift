package import DownloadStore
package import MediaTransfer

/// A download whose partials the ``Bookkeeper`` flushes during its turn.
package protocol WatchedDownload: Sendable {
    var id: DownloadID { get }

    /// The durable progress after a flush made by this call; nil if there is nothing to record. Blocks.
    func flush() throws(FileError) -> ProgressFacts?
    /// Closes its descriptors while it waits; it continues later.
    func closePartial()
}
