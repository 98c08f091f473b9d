/// Finds the first presentation time of each stream of video and audio in a Transport Stream. Related: ISO/IEC 13818-1
/// §2.4.3.3, §2.4.3.7.
struct TransportStreamClock {
    /// The earliest time found.
    private var begin: MediaTime?
    /// The PIDs of streams whose first time was found.
    private var told: Set<UInt16> = []
    /// The beginnings of PES packets being collected, by PID; at most 267 bytes each.
    private var heads: [UInt16: [UInt8]] = [:]

    /// The earliest first presentation time of the streams that begin within the bytes; nil if there is none.
    static func begin(of bytes: UnsafeRawBufferPointer) -> MediaTime? {
        let length = TransportStreamPacket.length
        var clock = TransportStreamClock()
        guard var start = TransportStreamPacket.start(in: bytes) else { return nil }
        while start + length <= bytes.count {
            if bytes[start] == TransportStreamPacket.sync {
                clock.take(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)]))
                start += length
            } else {
                // A segment that wasn't cut at a packet boundary.
                start += TransportStreamPacket.start(in: UnsafeRawBufferPointer(rebasing: bytes[start...])) ?? length
            }
        }
        return clock.begin
    }

    /// Processes a whole packet.
    private mutating func take(_ packet: UnsafeRawBufferPointer) {
        let program = UInt16(packet[1] & 0x1F) << 8 | UInt16(packet[2])
        // No error, no tables, no stuffing, not scrambled, with a payload.
        guard packet[1] & 0x80 == 0, (0x10..<0x1FFF).contains(program), packet[3] & 0xD0 == 0x10,
            !told.contains(program)
        else { return }
        let payload = packet[min(packet[3] & 0x20 == 0 ? 4 : 5 + Int(packet[4]), packet.count)...]
        let isStart = packet[1] & 0x40 != 0
        guard var head = isStart ? [] : heads.removeValue(forKey: program) else { return }
        head += payload.prefix(Self.headBound - head.count)
        switch Self.time(in: head) {
        case .unfinished: heads[program] = head
        case .none: heads[program] = nil
        case .time(let time):
            heads[program] = nil
            told.insert(program)
            begin = MediaClock.earlier(begin, time)
        }
    }

    private enum Reading {
        case unfinished
        case none
        case time(MediaTime)
    }

    /// The longest header of a PES packet, with three bytes of its contents.
    private static let headBound = 9 + 255 + 3

    /// The presentation time at the beginning of a PES packet of video, audio, or a private stream such as AC-3.
    private static func time(in head: [UInt8]) -> Reading {
        guard head.count >= 4 else { return .unfinished }
        guard head.starts(with: [0, 0, 1]), (0xC0...0xEF).contains(head[3]) || head[3] == privateStream else {
            return .none
        }
        guard head.count >= 9 else { return .unfinished }
        guard head[6] & 0xC0 == 0x80, head[7] & 0x80 != 0, head[8] >= 5 else { return .none }
        guard head.count >= 14 else { return .unfinished }
        if head[3] == privateStream {
            let start = 9 + Int(head[8])
            guard head.count >= start + 3 else { return .unfinished }
            // Timed metadata doesn't count.
            if head[start...].starts(with: [0x49, 0x44, 0x33]) { return .none }
        }
        let high = UInt64(head[9] >> 1 & 7) << 30
        let middle = UInt64(head[10]) << 22 | UInt64(head[11] >> 1) << 15
        return .time(MediaTime(transport: high | middle | UInt64(head[12]) << 7 | UInt64(head[13] >> 1)))
    }

    private static let privateStream: UInt8 = 0xBD
}
