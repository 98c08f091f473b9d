import Crypto
import FileSystem
import HLSMedia

/// The layout of a joined file: one begun in one layout isn't continued in another.
enum StreamLayout: String {
    /// Segments without an index.
    case plain
    /// With an index beside it, and possibly several parts.
    case indexed
    /// The same, with every segment unchanged, so that a playlist can refer to it.
    case package

    /// Of a recording, whose segments nobody knows before. The rendition isn't part of it: what was recorded can't be
    /// had again.
    func digest(ofRecordingWith tracks: Int) -> StreamLayoutDigest {
        StreamLayoutDigest(SHA256.hash(data: Array("coursefetch recording 1 \(rawValue) \(tracks)".utf8)))
    }

    /// Distinguishes streams and layouts.
    func digest(of source: StreamSource) -> StreamLayoutDigest {
        guard self != .plain else { return StreamLayoutDigest(source.digest) }
        return StreamLayoutDigest(SHA256.hash(data: source.digest + Array(rawValue.utf8)))
    }
}

/// The segments of a stream, and their layout.
typealias StreamLayoutDigest = DigestOf<StreamLayout>
