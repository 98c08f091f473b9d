import ProviderHTTP
import ProviderKit

/// The provider that knows the host of a video which a course only links to.
struct HandOver: Sendable, PrintsRedacted {
    var provider: String
    var parameters: [String: JSONValue]

    /// Nil for the address of a page or a file that no provider is known for.
    init?(_ address: WebAddress) {
        let place = "\(address.host)\(address.path)\(address.query.map { "?\($0)" } ?? "")"
        guard Self.singleVideos.contains(where: { place.wholeMatch(of: $0()) != nil }) else { return nil }
        provider = "yt-dlp"
        parameters = ["endpoint": .string(address.text)]
    }

    /// Of sites that yt-dlp knows and that courses link to, the pages of one video: channels and playlists are courses of
    /// their own.
    private static let singleVideos: [@Sendable () -> Regex<Substring>] = [
        { /(?:[a-z]+\.)?youtube(?:-nocookie)?\.com\/watch\?(?:.*&)?v=[\w\-]{11}\b.*/ },
        { /(?:[a-z]+\.)?youtube(?:-nocookie)?\.com\/(?:embed|shorts|live)\/[\w\-]{11}\b.*/ },
        { /youtu\.be\/[\w\-]{11}\b.*/ },
        { /(?:www\.)?vimeo\.com\/\d+.*/ },
        { /player\.vimeo\.com\/video\/\d+.*/ },
    ]
}
