package import DownloadStore
package import MediaTransfer

/// A download whose partials the ``Bookkeeper`` flushes while its turn lasts.
package protocol WatchedDownload: Sendable {
    var id: DownloadID { get }

    /// What is durable after a flush that this call makes; nil if there is nothing to tell. Blocks.
    func flush() throws(FileError) -> ProgressFacts?
    /// Gives up its descriptors while it waits; it goes on where it is.
    func closePartial()
}
