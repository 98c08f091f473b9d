import Crypto
import FileSystem
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
    func digest(of source: StreamSource) -> StreamLayoutDigest {
        guard self != .plain else { return StreamLayoutDigest(source.digest) }
        return StreamLayoutDigest(SHA256.hash(data: source.digest + Array(rawValue.utf8)))
    }
}

/// Which segments a stream has, and how they are laid out.
typealias StreamLayoutDigest = DigestOf<StreamLayout>
