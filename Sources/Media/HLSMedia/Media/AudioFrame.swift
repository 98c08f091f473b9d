/// The headers of the frames of packed audio.
///
/// A header alone is so short that it may occur by chance, so it counts only together with the next ones, at the offset
/// given by its length and consistent with it, or when the bytes end with its frame.
enum AudioFrame {
    /// The number of frames that are checked.
    private static let enough = 5

    /// The kind of the frames at the beginning of the bytes; nil if there are none.
    static func kind(of bytes: UnsafeRawBufferPointer) -> MediaKind? {
        guard bytes.count >= 8 else { return nil }
        if isChain(bytes, adts) { return .adts }
        if isChain(bytes, mp3) { return .mp3 }
        if isChain(bytes, ac3) { return .ac3 }
        if isChain(bytes, eac3) { return .eac3 }
        return nil
    }

    /// A frame's length, and the properties common to all frames of a stream.
    private struct Header {
        var length: Int
        var common: UInt32
    }

    /// Whether there are at least two complete frames, except for the last one's body, or one that is everything.
    private static func isChain(
        _ bytes: UnsafeRawBufferPointer, _ header: (UnsafeRawBufferPointer) -> Header?
    ) -> Bool {
        var start = 0
        var common: UInt32?
        for count in 0..<enough {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            // The last header is truncated.
            if count >= 2, rest.count < 8 { return true }
            if count == 1, rest.isEmpty { return true }
            guard rest.count >= 8, let frame = header(rest), common == nil || common == frame.common else {
                return false
            }
            common = frame.common
            start += frame.length
            if start > bytes.count { return count >= 1 }
        }
        return true
    }

    /// Related: ISO/IEC 13818-7 §6.2, ISO/IEC 14496-3 §1.A.2.2.
    private static func adts(_ bytes: UnsafeRawBufferPointer) -> Header? {
        let word = bytes.loadUnaligned(as: UInt32.self).bigEndian
        // The sync word, and layer 0.
        guard word & 0xFFF6_0000 == 0xFFF0_0000, word >> 10 & 0xF < 13 else { return nil }
        let length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
        guard length > (word & 0x1_0000 == 0 ? 9 : 7) else { return nil }
        // Without the private bit and the fields after the channels.
        return Header(length: length, common: word & 0xFFFF_FDC0)
    }

    private static let kilobits = (
        mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    )

    /// Related: ISO/IEC 11172-3 §2.4.1.3, ISO/IEC 13818-3 §2.4.2.3; and MPEG-2.5, which is not a standard.
    private static func mp3(_ bytes: UnsafeRawBufferPointer) -> Header? {
        let word = bytes.loadUnaligned(as: UInt32.self).bigEndian
        let version = word >> 19 & 3
        let rate = Int(word >> 12 & 0xF)
        let frequency = Int(word >> 10 & 3)
        // The sync word, and layer III; neither free nor forbidden bit rates; no reserved emphasis.
        guard word & 0xFFE6_0000 == 0xFFE2_0000, version != 1, (1..<15).contains(rate), frequency != 3, word & 3 != 2
        else { return nil }
        let hertz = [44_100, 48_000, 32_000][frequency] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        let bits = (version == 3 ? kilobits.mpeg1 : kilobits.mpeg2)[rate] * 1000
        let length = (version == 3 ? 144 : 72) * bits / hertz + Int(word >> 9 & 1)
        return Header(length: length, common: word & 0xFFFE_0C00)
    }

    private static let ac3Kilobits = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]

    /// Related: ETSI TS 102 366 §4.3, §4.4.1, table 4.13.
    private static func ac3(_ bytes: UnsafeRawBufferPointer) -> Header? {
        let frequency = bytes[4] >> 6
        let size = Int(bytes[4] & 0x3F)
        guard bytes[0] == 0x0B, bytes[1] == 0x77, frequency != 3, size / 2 < ac3Kilobits.count, bytes[5] >> 3 <= 10
        else { return nil }
        let kilobits = ac3Kilobits[size / 2]
        let words =
            switch frequency {
            case 0: kilobits * 2
            case 1: kilobits * 320 / 147 + size % 2
            default: kilobits * 3
            }
        return Header(length: words * 2, common: UInt32(frequency) << 8 | UInt32(bytes[5] >> 3))
    }

    /// Related: ETSI TS 102 366 annex E, §E.1.2.2, §E.1.3.1.
    private static func eac3(_ bytes: UnsafeRawBufferPointer) -> Header? {
        guard bytes[0] == 0x0B, bytes[1] == 0x77, (11...16).contains(bytes[5] >> 3), bytes[2] >> 6 != 3,
            bytes[4] >> 4 != 0xF
        else { return nil }
        let words = (Int(bytes[2] & 7) << 8 | Int(bytes[3])) + 1
        guard words > 3 else { return nil }
        return Header(length: words * 2, common: UInt32(bytes[4] >> 6) << 8 | UInt32(bytes[5] >> 3))
    }
}
