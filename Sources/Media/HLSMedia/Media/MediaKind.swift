/// The kind of a segment, recognized by its bytes alone: hosts' `Content-Type` and file extensions are often wrong.
///
/// Its words are in states.
package enum MediaKind: String, Sendable, Equatable, CaseIterable {
    /// MPEG-2 Transport Stream in packets of 188 bytes (RFC 8216 §3.2).
    case transportStream
    /// ISO base media: an initialization section, a fragment, or a file of both (RFC 8216 §3.3).
    case fragmentedMP4
    /// AAC in ADTS frames (RFC 8216 §3.4).
    case adts
    /// MPEG-1 or -2 audio, layer III (RFC 8216 §3.4).
    case mp3
    /// AC-3 (RFC 8216 §3.4).
    case ac3
    /// Enhanced AC-3 (RFC 8216 §3.4).
    case eac3
    /// WebM: an initialization section, a cluster, or a file of both (RFC 9559); only presentations have it.
    case webM
    /// WebVTT (RFC 8216 §3.5).
    case webVTT
    /// HTML, XML or JSON: a host's response in place of the segment. Never media.
    case page

    /// The extension of the joined file, without a dot. Nil for a page, which isn't kept.
    package var fileExtension: String? {
        switch self {
        case .transportStream: "ts"
        case .fragmentedMP4: "mp4"
        case .adts: "aac"
        case .mp3: "mp3"
        case .ac3: "ac3"
        case .eac3: "ec3"
        case .webM: "webm"
        case .webVTT: "vtt"
        case .page: nil
        }
    }

    /// Whether it is kept.
    package var isMedia: Bool { self != .page }

    /// Recognizes a segment by its beginning. Nil for anything unknown, for example after decryption with a wrong key,
    /// or Transport Stream with packets of 192 bytes, which HLS doesn't allow.
    ///
    /// Pass the whole segment if it is available: the cost doesn't grow with it, as only some headers are read. 4 KiB
    /// are enough for most; with less it may fail because a second header is missing. ID3 tags at the beginning are
    /// skipped; the data after a tag that exceeds the given bytes is unknown.
    ///
    /// It proves that decryption had the right key, so random bytes must not pass. Of 2³³ random segments of 4 KiB and
    /// more about one does, as ``fragmentedMP4``: one of 13 names in 2³², after a plausible length. For Transport
    /// Stream it is one in 2⁴⁶, for audio and WebM one in 2³⁸, for WebVTT one in 2⁵³. As a ``page``, which is refused
    /// just like nil, one in 2¹⁶ passes.
    package static func recognize(_ bytes: UnsafeRawBufferPointer) -> MediaKind? {
        let body = UnsafeRawBufferPointer(rebasing: bytes[ID3Tag.totalLength(in: bytes)...])
        if TransportStreamPacket.begin(body) { return .transportStream }
        if MP4Box.begins(body) { return .fragmentedMP4 }
        if WebM.begins(body) { return .webM }
        if let audio = AudioFrame.kind(of: body) { return audio }
        return TextSignature.kind(of: body)
    }

    /// The same for bytes in an array.
    package static func recognize(_ bytes: [UInt8]) -> MediaKind? { bytes.withUnsafeBytes { recognize($0) } }
}
