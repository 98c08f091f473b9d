import HLSMedia

extension FuzzHarness {
    /// Segments of media: their kind, their clock, their length, and the tags in front of them.
    static let media = FuzzHarness(
        name: "media", seeds: MediaSeeds.all,
        words: [
            "ID3\u{4}\u{0}", "PRIV", "com.apple.streaming.transportStreamTimestamp\u{0}", "ftyp", "styp", "moov",
            "mvhd",
            "trak", "tkhd", "edts", "elst", "mdia", "mdhd", "hdlr", "vide", "soun", "moof", "traf", "tfhd", "tfdt",
            "mvex", "mdat", "WEBVTT", "<html", "{", "\u{0}\u{0}\u{0}\u{1}", "\u{0}\u{0}\u{0}\u{0}", "\u{1}", "G",
        ]
    ) { bytes in
        let tags = ID3Tag.totalLength(in: bytes)
        try promise((0...bytes.count).contains(tags), "tags of \(tags) bytes in \(bytes.count)")
        let kind = MediaKind.recognize(bytes)
        var times: [MediaTime] = []
        for kind in MediaKind.allCases {
            guard let time = MediaClock.begin(of: bytes, kind: kind) else { continue }
            try promise(!time.isTransport || time.ticks < MediaTime.transportPeriod, "\(time.ticks) ticks")
            times.append(time)
        }
        for (one, other) in zip(times, times.dropFirst()) {
            let seconds = MediaClock.offset(from: one, to: other)
            try promise(
                seconds.isFinite && (!one.isTransport || abs(seconds) <= 47_722), "\(seconds) s from \(one) to \(other)"
            )
        }
        var asked = 0
        let length = try MovieLength.read { place, count throws(BrokenPromise) in
            asked += 1
            try promise(place >= 0 && count <= MovieLength.headerBound, "\(count) bytes at \(place)")
            try promise(asked <= MovieLength.boxBound + 1, "asked \(asked) times")
            guard place < bytes.count else { return [] }
            let start = Int(place)
            return Array(bytes[start..<start + min(count, bytes.count - start)])
        }
        try promise(length?.seconds.map { $0 >= 0 } ?? true, "it plays for less than nothing")
        try promise(length?.tracks.count ?? 0 <= bytes.count / 8, "more tracks than there is room for")
        return kind?.isMedia ?? false
    }
}

/// Media made by hand.
private enum MediaSeeds {
    static let all: [[UInt8]] = [
        transportStream, tag + adts, movie + fragment, [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0] + movie,
        repeated([0xFF, 0xFB, 0x90, 0x00], to: 417), repeated([0x0B, 0x77, 1, 2, 0x14, 0x40], to: 768),
        repeated([0x0B, 0x77, 0x00, 0xFF, 0x34, 0x86], to: 512), Array("WEBVTT\n\n00:01.000 --> 00:02.000\nA".utf8),
        Array("<!DOCTYPE html><html><body>No</body></html>".utf8), Array("{\"error\": \"gone\"}".utf8),
    ]

    private static let transportStream: [UInt8] = (0..<6).flatMap { number -> [UInt8] in
        let isStart = number % 3 == 0
        let head: [UInt8] = [0, 0, 1, 0xE0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 5, 0xBF, 0x21]
        let payload = isStart ? head : []
        let field = [UInt8](repeating: 0xFF, count: 182 - payload.count)
        return [0x47, (isStart ? 0x40 : 0) | 1, UInt8(number % 3), 0x30, UInt8(field.count + 1), 0] + field + payload
    }

    private static let tag: [UInt8] = {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8)
        let content = owner + [0, 0, 0, 0, 0, 0, 13, 0xBB, 0xA0]
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }()

    private static let adts = repeated([0xFF, 0xF1, 0x50, 0x80, 0x19, 0x1F, 0xFC], to: 200)

    private static func repeated(_ header: [UInt8], to length: Int) -> [UInt8] {
        let frame = header + [UInt8](repeating: 0x21, count: length - header.count)
        return frame + frame + frame
    }

    private static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let length = body.count + 8
        return [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)] + Array(name.utf8) + body
    }

    private static func time(_ name: String, _ scale: UInt8, _ duration: UInt8) -> [UInt8] {
        box(name, [UInt8](repeating: 0, count: 12) + [0, 0, scale, 0, 0, 0, duration, 0, 0, 0, 0, 0])
    }

    private static let movie: [UInt8] = {
        let header = box("tkhd", [0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8))
        let edits = box("edts", box("elst", [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 0, 0]))
        let kind = box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("vide".utf8) + [UInt8](repeating: 0, count: 13))
        let track = box("trak", header + edits + box("mdia", time("mdhd", 4, 200) + kind))
        return box("moov", time("mvhd", 1, 50) + track)
    }()

    private static let fragment: [UInt8] = {
        let track = box("tfhd", [0, 2, 0, 0, 0, 0, 0, 1]) + box("tfdt", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0])
        return box("moof", box("mfhd", [0, 0, 0, 0, 0, 0, 0, 1]) + box("traf", track)) + box("mdat", [1, 2, 3, 4])
    }()
}
