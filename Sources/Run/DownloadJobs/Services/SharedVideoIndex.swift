import Crypto
import DownloadStore
import FileSystem
import RunSchedule
import TextFormats

/// What proves that downloads of two shards have the same bytes.
enum SharedSameness: Hashable {
    case sha256(Checksum)
    case source(video: String, source: SourceDigest)

    /// Its name in the library.
    var name: String {
        let text =
            switch self {
            case .sha256(let sha256): "sha256 \(sha256.hex)"
            case .source(let video, let source): "source \(source.hex) \(video)"
            }
        return String(SHA256.hash(data: Array(text.utf8)).hex.prefix(32))
    }
}

/// For what a shard wants, the last file that another one has; and for which of it their lists have been read.
struct SharedVideoIndex: Sendable {
    /// The files found in one list.
    typealias Found = [SharedSameness: Donor]

    private(set) var donors: [SharedSameness: Donor?] = [:]
    /// Those that came since the lists were last read from the beginning.
    private var unread: Set<SharedSameness> = []

    /// Notes what is wanted.
    mutating func expect(_ keys: Set<SharedSameness>) {
        for key in keys where donors[key] == nil {
            donors[key] = .some(nil)
            unread.insert(key)
        }
    }

    /// What has to be read from the beginning for these; empty if only what is new in the lists.
    func unread(of keys: [SharedSameness]) -> Set<SharedSameness> {
        keys.contains { unread.contains($0) } ? unread : []
    }

    /// Notes what one list has.
    mutating func note(_ found: Found) { for (key, donor) in found { donors[key] = donor } }

    /// All lists were read for these.
    mutating func haveRead(_ keys: Set<SharedSameness>) { unread.subtract(keys) }
}
