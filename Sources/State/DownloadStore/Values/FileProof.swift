import FileSystem

/// Facts to compare a finished file with the server or playlist of another download. Contains no secret.
package enum FileProof: Sendable, Hashable {
    /// The strong entity tag of its bytes, quotes included. It is unique to its URL only (RFC 9110 §8.8.3): by itself
    /// it proves nothing about another one.
    case etag(String)
    /// Digest of the addresses, byte ranges and keys of all segments of a stream.
    case stream(StreamDigest)

    /// The form in the state.
    var text: String {
        switch self {
        case .etag(let tag): tag
        case .stream(let digest): Self.streamPrefix + digest.hex
        }
    }

    /// Nil for unreadable text: the file isn't compared then.
    package init?(text: String) {
        if text.hasPrefix("\"") {
            self = .etag(text)
            return
        }
        guard text.hasPrefix(Self.streamPrefix) else { return nil }
        guard let digest = StreamDigest(hex: String(text.dropFirst(Self.streamPrefix.count))), digest.count == 32
        else { return nil }
        self = .stream(digest)
    }

    private static let streamPrefix = "stream:"
}
