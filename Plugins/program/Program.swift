import ProviderKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The program of most bundled plugins: its first argument names the one that it is.
@main struct Program {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "direct": await DirectProvider.main()
        case "secure-link": await SecureLink.main()
        case "feed": await FeedProvider.main()
        case "index": await IndexProvider.main()
        case "webdav": await WebDAVProvider.main()
        case "s3": await S3Provider.main()
        case "rclone": await RcloneProvider.main()
        case let name:
            HostLog.write(.error, name.map { "there is no provider '\($0)' in this program" } ?? "name a provider")
            exit(64)
        }
    }
}
