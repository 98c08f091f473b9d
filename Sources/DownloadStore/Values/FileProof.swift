import FileSystem

/// What a finished file can be compared by with what another download's server or playlist names now. Tells nothing secret.
package enum FileProof: Sendable, Hashable {
    /// The strong entity tag under which its bytes came, quotes included. It is unique to its URL only (RFC 9110 §8.8.3):
    /// by itself it proves nothing of another one.
    case etag(String)
    /// Digest of the addresses, byte ranges and keys of all segments of a stream.
    case stream(StreamDigest)

    /// As the state keeps it.
    var text: String {
        switch self {
        case .etag(let tag): tag
        case .stream(let digest): Self.streamPrefix + digest.hex
        }
    }

    /// Nil for what can't be read: the file is compared with nothing then.
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
