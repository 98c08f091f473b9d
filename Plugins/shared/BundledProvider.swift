import ProviderKit

/// The providers of this program, by their names.
package enum BundledProvider {
    /// Serves requests as the provider with this name, until standard input ends; false if there is none.
    package static func serve(as name: String) async -> Bool {
        switch name {
        case "direct": await DirectProvider.main()
        case "secure-link": await SecureLink.main()
        case "feed": await FeedProvider.main()
        case "index": await IndexProvider.main()
        case "webdav": await WebDAVProvider.main()
        case "s3": await S3Provider.main()
        case "rclone": await RcloneProvider.main()
        case "moodle": await MoodleProvider.main()
        case "bigbluebutton": await BigBlueButtonProvider.main()
        case "opencast": await OpencastProvider.main()
        case "peertube": await PeerTubeProvider.main()
        case "kolibri": await KolibriProvider.main()
        case "internet-archive": await InternetArchiveProvider.main()
        case "kaltura": await KalturaProvider.main()
        case "canvas": await CanvasProvider.main()
        case "openedx": await OpenEdXProvider.main()
        case "panopto": await PanoptoProvider.main()
        case "baijiayun": await BaiJiaYunProvider.main()
        case "ilias": await IliasProvider.main()
        case "akamai": await AkamaiProvider.main()
        case "bunny": await BunnyProvider.main()
        case "cloudflare-stream": await CloudflareStreamProvider.main()
        case "cloudfront": await CloudFrontProvider.main()
        case "mux": await MuxProvider.main()
        default: return false
        }
        return true
    }
}
