import Crypto
import HLSMedia

/// How a joined file is laid out: one that was begun in one way isn't gone on with in another.
enum StreamLayout: String {
    /// Segment behind segment.
    case plain
    /// With an index beside it, and possibly of several parts.
    case indexed
    /// The same, every segment as it came, so that a playlist can lead through it.
    case package

    /// Tells streams apart, and layouts.
    func digest(of source: StreamSource) -> [UInt8] {
        self == .plain ? source.digest : Array(SHA256.hash(data: source.digest + Array(rawValue.utf8)))
    }
}
