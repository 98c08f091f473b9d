package import ProviderHTTP
package import ProviderKit

/// What the providers make of an answer of their servers, each as a function of it.
package enum ListingReaders {
    /// A folder as one answer tells of it.
    package struct Folder: Sendable, PrintsRedacted {
        /// Its files as a course.
        package var listing: Listing
        /// The names of the folders in it.
        package var folders: [String]

        fileprivate init(_ entries: FolderWalk.Entries) {
            listing = FolderListing.listing(entries.files)
            folders = entries.folders
        }
    }

    /// A page of a feed, in each order.
    package static func feed(_ response: HTTPResponse) throws(ProviderError) -> [Listing] {
        let feed = try FeedStore.feed(response, ifUnreadable: .invalidParameters)
        return [FeedOrder.oldest, .newest, .feed].map { $0.listing(feed, hidesAddresses: false) }
    }

    /// A page or list of a web server.
    package static func index(_ response: HTTPResponse) throws(ProviderError) -> Folder {
        let reader = IndexReader(response)
        let media = try MediaFiles([:])
        return Folder(
            response.mediaType == "application/json" ? try reader.json(media) : try reader.page(media).entries)
    }

    /// An answer to PROPFIND.
    package static func webDAV(_ response: HTTPResponse) throws(ProviderError) -> Folder {
        Folder(try WebDAVFolder.entries(in: response, at: [], MediaFiles([:])))
    }

    /// A page of a bucket's objects.
    package static func bucket(_ response: HTTPResponse, prefix: String) throws(ProviderError) -> Folder {
        let page = try S3Reader.page(in: response, prefix: prefix)
        return Folder(FolderWalk.Entries(folders: [], files: page.files))
    }
}
