/// Beginnings of segments, made by hand.
enum Samples {
    /// Packets with payload only, of a PID that isn't the PAT's.
    static func transportStream(packets: Int, length: Int = 188, sync: UInt8 = 0x47) -> [UInt8] {
        let body = [UInt8](repeating: 0xAB, count: length - 4)
        return (0..<packets).flatMap { number in
            let header: [UInt8] = [sync, 0x41, 0x00, 0x10 | UInt8(number & 0xF)]
            return header + body
        }
    }

    /// A box with a body of so many zeros.
    static func box(_ name: String, body: Int) -> [UInt8] {
        big(UInt32(body + 8)) + Array(name.utf8) + [UInt8](repeating: 0, count: body)
    }

    static func big(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Frames of AAC LC, 44.1 kHz, two channels.
    static func adts(frames: Int, length: Int = 200) -> [UInt8] {
        let size = UInt32(length) << 5 | 0x1F
        let header: [UInt8] = [0xFF, 0xF1, 0x50, 0x80] + big(size << 8 | 0xFC).dropFirst()
        return joined(frames, header, length: length, filler: 0x21)
    }

    /// So many frames of one header and a body of one value.
    private static func joined(_ frames: Int, _ header: [UInt8], length: Int, filler: UInt8) -> [UInt8] {
        let frame = header + [UInt8](repeating: filler, count: length - header.count)
        return (0..<frames).flatMap { _ in frame }
    }

    /// Frames of MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes each.
    static func mp3(frames: Int) -> [UInt8] {
        joined(frames, [0xFF, 0xFB, 0x90, 0x00], length: 417, filler: 0x55)
    }

    /// Frames of AC-3, 48 kHz, 192 kbit/s: 768 bytes each.
    static func ac3(frames: Int) -> [UInt8] {
        joined(frames, [0x0B, 0x77, 1, 2, 0x14, 0x40], length: 768, filler: 0x66)
    }

    /// Frames of E-AC-3, 48 kHz, 512 bytes each.
    static func eac3(frames: Int) -> [UInt8] {
        joined(frames, [0x0B, 0x77, 0x00, 0xFF, 0x34, 0x86], length: 512, filler: 0x66)
    }

    /// An ID3v2.4 tag, with a body of so many zeros.
    static func id3(body: Int, footer: Bool = false) -> [UInt8] {
        let size = [21, 14, 7, 0].map { UInt8(body >> $0 & 0x7F) }
        let header = Array("ID3".utf8) + [4, 0, footer ? 0x10 : 0] + size
        let end = footer ? Array("3DI".utf8) + [4, 0, 0x10] + size : []
        return header + [UInt8](repeating: 0, count: body) + end
    }
}
