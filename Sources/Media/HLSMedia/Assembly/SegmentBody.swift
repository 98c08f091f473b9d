/// A segment in its final form: decrypted, and known to be media.
struct SegmentBody: Sendable {
    /// The largest segment, in bytes: it is held in memory.
    static let limit: Int64 = 96 << 20
    /// The bytes needed to recognize a page.
    private static let signLength = 1 << 10

    var bytes: [UInt8] = []
    /// Nil for a gap, which has no bytes.
    var kind: MediaKind?

    /// A gap.
    init() {}

    /// - Parameters:
    ///   - bytes: as received.
    ///   - cipher: nil if it isn't encrypted.
    init(
        _ bytes: consuming [UInt8], opening cipher: SegmentCipher?, iv: [UInt8]?, _ part: StreamFailure.Part
    ) throws(StreamFailure) {
        guard let cipher, let iv else {
            kind = MediaKind.recognize(bytes)
            guard kind?.isMedia == true else { throw .notMedia(part) }
            self.bytes = bytes
            return
        }
        // Decryption works in place.
        let beginning = Array(bytes[..<min(Self.signLength, bytes.count)])
        do throws(SegmentCipherError) {
            try cipher.decrypt(&bytes, iv: iv)
        } catch {
            if MediaKind.recognize(beginning) == .page { throw .notMedia(part) }
            if case .segmentLength = error { throw .cut(part) }
            throw .encrypted(part)
        }
        kind = MediaKind.recognize(bytes)
        guard kind?.isMedia == true else {
            throw MediaKind.recognize(beginning) == .page ? .notMedia(part) : .encrypted(part)
        }
        self.bytes = bytes
    }
}
