/// What the bytes of a segment are, told by the bytes alone: hosts' `Content-Type` and file extensions lie too often.
package enum MediaKind: Sendable, Equatable, CaseIterable {
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
    /// WebVTT (RFC 8216 §3.5).
    case webVTT
    /// HTML, XML or JSON: what a host answers when it doesn't give the segment. Never media.
    case page

    /// The extension of the joined file, without a dot. Nil for a page, which is nothing to keep.
    package var fileExtension: String? {
        switch self {
        case .transportStream: "ts"
        case .fragmentedMP4: "mp4"
        case .adts: "aac"
        case .mp3: "mp3"
        case .ac3: "ac3"
        case .eac3: "ec3"
        case .webVTT: "vtt"
        case .page: nil
        }
    }

    /// Whether it is something to keep.
    package var isMedia: Bool { self != .page }

    /// Tells what a segment is by its beginning. Nil if it is nothing that is known: what a wrong key makes of a segment,
    /// for one, or Transport Stream with packets of 192 bytes, which HLS has no place for.
    ///
    /// Give the whole segment if it is at hand: the cost doesn't grow with it, as only some headers are read. 4 KiB are
    /// enough for most; less may be refused for want of a second header. ID3 tags in front are passed over; nothing is
    /// told of what is behind a tag that is longer than the bytes given.
    ///
    /// It is the proof that decryption had the right key, so random bytes must not pass. Of 2³³ random segments of 4 KiB
    /// and more about one does, as ``fragmentedMP4``: one of 13 names in 2³², after a length that is plausible for it. For
    /// Transport Stream it is one in 2⁴⁶, for audio one in 2³⁸, for WebVTT one in 2⁵³. As a ``page``, which is a refusal
    /// just like nil, one in 2¹⁶ passes.
    package static func recognize(_ bytes: UnsafeRawBufferPointer) -> MediaKind? {
        let body = UnsafeRawBufferPointer(rebasing: bytes[ID3Tag.totalLength(in: bytes)...])
        if TransportStreamPacket.begin(body) { return .transportStream }
        if MP4Box.begins(body) { return .fragmentedMP4 }
        if let audio = AudioFrame.kind(of: body) { return audio }
        return TextSign.kind(of: body)
    }

    /// The same for bytes in an array.
    package static func recognize(_ bytes: [UInt8]) -> MediaKind? { bytes.withUnsafeBytes { recognize($0) } }
}
