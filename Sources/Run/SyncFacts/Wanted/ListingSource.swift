package import CourseCatalog

/// The provider whose listing names an address, and the settings that it was asked with.
package struct ListingSource: Sendable {
    package let provider: String
    package let settings: Settings

    package init(provider: String, settings: Settings) {
        self.provider = provider
        self.settings = settings
    }
}

extension WantedDownload {
    /// Its provider, as the source of addresses.
    package var listingSource: ListingSource { ListingSource(provider: provider, settings: video.settings) }
}
