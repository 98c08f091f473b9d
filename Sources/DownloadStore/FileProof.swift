/// What a finished file can be compared by with what another download's server or playlist names now. Tells nothing secret.
package enum FileProof: Sendable, Hashable {
    /// The strong entity tag under which its bytes came, quotes included. It is unique to its URL only (RFC 9110 §8.8.3):
    /// by itself it proves nothing of another one.
    case etag(String)
    /// Digest of the addresses, byte ranges and keys of all segments of a stream.
    case stream([UInt8])

    /// As the state keeps it.
    var text: String {
        switch self {
        case .etag(let tag): tag
        case .stream(let digest):
            Self.streamPrefix + digest.map { String(UInt16($0) | 0x100, radix: 16).suffix(2) }.joined()
        }
    }

    /// Nil for what can't be read: the file is compared with nothing then.
    package init?(text: String) {
        if text.hasPrefix("\"") {
            self = .etag(text)
            return
        }
        guard text.hasPrefix(Self.streamPrefix) else { return nil }
        let digits = Array(text.utf8.dropFirst(Self.streamPrefix.utf8.count))
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
        }
        guard bytes.count == 32 else { return nil }
        self = .stream(bytes)
    }

    private static let streamPrefix = "stream:"
}
