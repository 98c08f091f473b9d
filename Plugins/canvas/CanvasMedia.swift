import ProviderHTTP
import ProviderKit

/// A media object: a recording in the qualities that the media service has made of it.
///
/// Related: lib/api/v1/media_object.rb and gems/canvas_kaltura of Canvas
struct CanvasMedia: Sendable {
    struct Source: Sendable {
        var address: WebAddress
        var fileExtension: String?
        var mediaType: String?
    }

    let id: String
    let title: String?
    private let sources: [Rendition<Source>]

    init?(_ media: JSONValue, at server: WebAddress) {
        guard let id = media["media_id"]?.string else { return nil }
        self.id = id
        title = media["title"]?.string.flatMap { ["", "Untitled"].contains($0) ? nil : MediaFiles.title($0) }
        // Empty or null while it is being converted. All values are texts.
        sources = (media["media_sources"]?.list ?? []).compactMap { source in
            guard let address = source["url"]?.string.flatMap({ server.resolving($0) }) else { return nil }
            let mediaType = source["content_type"]?.string
            let fileExtension = source["fileExt"]?.string.flatMap { MediaFiles.extensions.contains($0) ? $0 : nil }
            return Rendition(
                media: Source(address: address, fileExtension: fileExtension, mediaType: mediaType),
                height: source["height"]?.wholeNumber.flatMap { $0 > 0 ? Int(exactly: $0) : nil },
                bitrate: source["bitrate"]?.number, hasPicture: mediaType?.hasPrefix("audio/") != true)
        }
    }

    func source(_ quality: [String]) -> Source? { RenditionChoice.of(sources, quality: quality) }
}
