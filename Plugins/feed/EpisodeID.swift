import Crypto
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The id of an episode, as it is listed. Ids are stored and shown, and written beside the videos: an address that may
/// be a secret of the feed's reader is replaced by its digest.
enum EpisodeID {
    static func listed(_ id: String, ofPrivateFeed isPrivate: Bool) -> String {
        mayBeSecret(id, ofPrivateFeed: isPrivate) ? hidden(id) : id
    }

    /// Whether an episode was listed under an id, in either form: older versions listed every one as it is.
    static func isSame(_ listed: String, as id: String) -> Bool { listed == id || listed == hidden(id) }

    /// The digest of an id.
    static func hidden(_ id: String) -> String {
        "id-"
            + SHA256.hash(data: Data(id.utf8)).prefix(16).hex
    }

    private static func mayBeSecret(_ id: String, ofPrivateFeed isPrivate: Bool) -> Bool {
        guard let scheme = id.firstRange(of: "://") else { return false }
        let rest = id[scheme.upperBound...]
        return isPrivate || rest.contains("?") || rest.contains("@") || hasKey(rest)
    }

    /// Whether a run of letters and digits is as long as a key.
    private static func hasKey(_ text: Substring) -> Bool {
        text.utf8.split { !($0 >= 0x30 && $0 <= 0x39) && !($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }.contains { run in
            run.count >= keyLength && run.contains { $0 <= 0x39 } && run.contains { $0 >= 0x41 }
        }
    }

    private static let keyLength = 20
}
