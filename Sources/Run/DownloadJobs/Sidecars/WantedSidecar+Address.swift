import MediaTransfer
package import SyncFacts

extension WantedSidecar {
    package var host: String? { source.url.flatMap { Origin(url: $0)?.text } }

    /// Host and path of its address, safe to show; nil for a file beside the catalog.
    package var address: String? { source.url.flatMap { ShownAddress($0)?.description } }
}
