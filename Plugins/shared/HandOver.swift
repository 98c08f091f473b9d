import ProviderHTTP
import ProviderKit

/// The provider that knows the host of a video which a course only links to.
struct HandOver: Sendable, PrintsRedacted {
    var provider: String
    var parameters: [String: JSONValue]

    /// Its id there; nil where the address alone says which video it is.
    var id: String?

    /// Nil for the address of a page or a file that no provider is known for.
    init?(_ address: WebAddress) {
        let place = "\(address.host)\(address.path)\(address.query.map { "?\($0)" } ?? "")"
        if Self.singleVideos.contains(where: { place.wholeMatch(of: $0()) != nil }) {
            provider = "yt-dlp"
            parameters = ["endpoint": .string(address.text)]
            return
        }
        if let entry = KalturaAddress.entry(in: address) {
            provider = "kaltura"
            parameters = entry.parameters
            id = entry.id
            return
        }
        // Platforms that run under any name, by the forms of their players' addresses.
        for (name, form) in Self.players {
            guard let match = place.wholeMatch(of: form()), let id = PercentEncoding.decoded(match.output.1) else {
                continue
            }
            provider = name
            parameters = ["endpoint": .string(address.replacing(path: "/").text)]
            self.id = id
            return
        }
        return nil
    }

    /// Of sites that yt-dlp knows and that courses link to, the pages of one video: channels and playlists are courses
    /// of their own.
    private static let singleVideos: [@Sendable () -> Regex<Substring>] = [
        { /(?:[a-z]+\.)?youtube(?:-nocookie)?\.com\/watch\?(?:.*&)?v=[\w\-]{11}\b.*/ },
        { /(?:[a-z]+\.)?youtube(?:-nocookie)?\.com\/(?:embed|shorts|live)\/(?!videoseries)[\w\-]{11}\b.*/ },
        { /youtu\.be\/[\w\-]{11}\b.*/ },
        { /(?:www\.)?vimeo\.com\/\d+.*/ },
        { /player\.vimeo\.com\/video\/\d+.*/ },
    ]

    private static let players: [(String, @Sendable () -> Regex<(Substring, Substring)>)] = [
        (
            "panopto",
            {
                /[^\/]+\/Panopto\/Pages\/(?:Viewer|Embed)\.aspx\?(?:.*&)?id=([0-9A-Fa-f\-]{36})(?:&.*)?/
            }
        ),
        ("opencast", { /[^\/]+\/(?:play\/|paella\d*\/ui\/watch\.html\?(?:.*&)?id=)([^\/&?#]{8,})(?:[\/&?].*)?/ }),
        ("opencast", { /[^\/]+\/engage\/(?:theodul\/ui\/core|ui\/watch)\.html\?(?:.*&)?id=([^\/&?#]{8,})(?:&.*)?/ }),
        (
            "peertube",
            {
                /[^\/]+\/videos\/(?:watch|embed)\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:[;?].*)?/
            }
        ),
        ("peertube", { /[^\/]+\/w\/([1-9A-HJ-NP-Za-km-z]{22})(?:[;?].*)?/ }),
        ("bigbluebutton", { /[^\/]+\/playback\/(?:presentation\/[\d.]+|video)\/([0-9a-f]{40,64}-\d{13})(?:[\/?].*)?/ }),
    ]
}
