import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A feed that was read.
struct Feed: Sendable, PrintsRedacted {
    /// An item with a media file.
    struct Episode: Sendable, PrintsRedacted {
        var id: String
        var title: String?
        var description: String?
        var publishedAt: Date?
        var duration: Double?
        var season: Int?
        var seasonName: String?
        var number: Double?
        var cover: String?
        var enclosure: WebAddress
        var mediaType: String?
        var kind: Resolution.Kind
    }

    var title: String?
    var cover: String?
    var episodes: [Episode] = []
    /// Whether it has items, with or without a media file.
    var hasItems = false
    /// The next page of the feed.
    ///
    /// Related: RFC 5005 §3
    var next: WebAddress?
    /// What is wrong with its XML, which is read all the same.
    var mistake: String?
    /// For the next conditional request.
    var validator: String?
}
