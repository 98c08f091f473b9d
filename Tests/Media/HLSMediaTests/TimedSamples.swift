/// Media with times, made by hand.
extension Samples {
    /// A packet of 188 bytes, filled up by its adaptation field.
    static func packet(_ program: UInt16, isStart: Bool = true, payload: [UInt8]) -> [UInt8] {
        let stuffing = 184 - payload.count
        let flags: UInt8 = isStart ? 0x40 : 0
        let header = [0x47, flags | UInt8(program >> 8), UInt8(program & 0xFF), stuffing > 0 ? 0x30 : 0x10]
        guard stuffing > 0 else { return header + payload }
        let field = [UInt8(stuffing - 1), 0] + [UInt8](repeating: 0xFF, count: max(0, stuffing - 2))
        return header + field.prefix(stuffing) + payload
    }

    /// The beginning of a PES packet with a presentation time, or none, and with so much more in its header.
    static func pes(_ stream: UInt8, _ time: UInt64?, more: Int = 0, body: [UInt8] = [9, 9, 9, 9]) -> [UInt8] {
        var head: [UInt8] = [0, 0, 1, stream, 0, 0, 0x80, time == nil ? 0 : 0x80, UInt8(more + (time == nil ? 0 : 5))]
        if let time {
            let parts = [0x21 | time >> 29 & 0xE, time >> 22, 1 | time >> 14, time >> 7, 1 | time << 1]
            head += parts.map { UInt8(truncatingIfNeeded: $0) }
        }
        return head + [UInt8](repeating: 0xFF, count: more) + body
    }

    /// A box with a body.
    static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
        big(UInt32(body.count + 8)) + Array(name.utf8) + body
    }

    /// A box whose length has 64 bits.
    static func longBox(_ name: String, _ body: [UInt8]) -> [UInt8] {
        [0, 0, 0, 1] + Array(name.utf8) + big(UInt64(body.count + 16)) + body
    }

    static func big(_ value: UInt64) -> [UInt8] {
        big(UInt32(value >> 32)) + big(UInt32(truncatingIfNeeded: value))
    }

    /// A number as headers of a version write it.
    static func versioned(_ version: UInt8, _ value: UInt64) -> [UInt8] {
        version == 0 ? big(UInt32(truncatingIfNeeded: value)) : big(value)
    }

    /// `mvhd` or `mdhd`.
    static func timeHeader(_ name: String, _ version: UInt8, timescale: UInt32, duration: UInt64 = 0) -> [UInt8] {
        let dates = versioned(version, 1) + versioned(version, 2)
        return box(name, [version, 0, 0, 0] + dates + big(timescale) + versioned(version, duration) + big(UInt32(0)))
    }

    static func track(
        _ number: UInt32, _ version: UInt8 = 0, handler: String = "vide", timescale: UInt32, duration: UInt64 = 0,
        edits: [UInt8] = [UInt8](repeating: 0, count: 20)
    ) -> [UInt8] {
        let dates = versioned(version, 1) + versioned(version, 2)
        let header = box("tkhd", [version, 0, 0, 7] + dates + big(number) + [UInt8](repeating: 0, count: 60))
        let kind = box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
        let time = timeHeader("mdhd", version, timescale: timescale, duration: duration)
        return box("trak", header + box("edts", edits) + box("mdia", time + kind + box("minf", body: 30)))
    }

    /// An edit list: how long each edit is in units of the movie, and its place in the media; nil for none.
    static func edits(_ version: UInt8, _ edits: [(length: UInt64, place: UInt64?)]) -> [UInt8] {
        let rows = edits.map { versioned(version, $0.length) + versioned(version, $0.place ?? .max) + [0, 1, 0, 0] }
        return box("elst", [version, 0, 0, 0] + big(UInt32(edits.count)) + rows.flatMap { $0 })
    }

    static func fragment(_ tracks: [(number: UInt32, version: UInt8, decode: UInt64)]) -> [UInt8] {
        box(
            "moof",
            box("mfhd", body: 8)
                + tracks.flatMap { track in
                    let header = box("tfhd", [0, 2, 0, 0] + big(track.number))
                    let decode = box("tfdt", [track.version, 0, 0, 0] + versioned(track.version, track.decode))
                    return box("traf", header + decode + box("trun", body: 40))
                })
    }

    /// An ID3 tag of version 2.3 or 2.4 with frames in it.
    static func tag(version: UInt8 = 4, flags: UInt8 = 0, _ frames: [UInt8]) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, flags] + syncSafe(frames.count) + frames
    }

    static func frame(name: String = "PRIV", flags: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + syncSafe(content.count) + [0, flags] + content
    }

    /// What a frame of packed audio says about its time.
    static func timestamp(_ value: UInt64) -> [UInt8] {
        Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0] + big(value)
    }

    private static func syncSafe(_ size: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } }
}
