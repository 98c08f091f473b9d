import Foundation

/// How ffmpeg and openssl make a stream.
struct StreamRecipe {
    let kind: StreamFixture.Kind
    private let root: TestFolder
    /// The folder of what is cut to segments.
    private let sources: String

    init(kind: StreamFixture.Kind, root: TestFolder, sources: String) {
        self.kind = kind
        self.root = root
        self.sources = sources
    }

    private var name: String { kind.rawValue }
    private var folder: String { root.path(name) }

    /// Makes the pictures and sounds: a key frame a second, pictures out of order, so that nothing that is shifted passes.
    static func sources(in root: TestFolder) async throws -> String {
        try root.write("sources/.keep", [])
        let folder = root.path("sources")
        let coder = """
            if ffmpeg -hide_banner -encoders 2>&1 | grep -q libx264; then v='libx264 -preset ultrafast'; else v=mpeg4; fi
            """
        let picture =
            "-c:v $v -bf 2 -g 25 -keyint_min 25 -sc_threshold 0 -pix_fmt yuv420p -b:v 300k -maxrate 300k -bufsize 300k"
        let ends = [
            "-map 0:v -map 1:a \(picture) -c:a aac -b:a 64k high.mp4",
            "-map 0:v -s 256x144 \(picture) middle.mp4",
            "-map 0:v -s 160x90 \(picture) low.mp4",
            "-map 1:a -c:a aac -b:a 64k en.m4a",
            "-map 2:a -c:a aac -b:a 64k de.m4a",
        ]
        let length = "duration=\(StreamFixture.count)"
        try await Script.run(
            [
                coder,
                "ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:\(length) -f lavfi -i sine=frequency=440:\(length)"
                    + " -f lavfi -i sine=frequency=880:\(length) " + ends.joined(separator: " "),
            ], in: folder)
        return folder
    }

    func make() async throws -> StreamFixture {
        try root.write(name + "/.keep", [])
        switch kind {
        case .transportStream:
            try await cut("high.mp4", to: "index", Self.transportStream("s%03d.ts"))
            return fixture("index.m3u8", files("s", "ts"), parts: files("s", "ts"))
        case .fragmentedMP4:
            try await cut("high.mp4", to: "index", Self.fragments("f%03d.m4s", "init.mp4"))
            return fixture("index.m3u8", files("f", "m4s"), initialization: "init.mp4", parts: files("f", "m4s"))
        case .rangedTransportStream:
            try await cut("high.mp4", to: "index", Self.transportStream("all.ts") + " -hls_flags single_file")
            // Behind the first, each range begins where the one before ended.
            var text = try playlist("index.m3u8")
            if let first = text.firstRange(of: "@0") {
                text = String(text[..<first.upperBound]) + text[first.upperBound...].replacing(#/@[0-9]+/#, with: "")
            }
            try root.write(name + "/index.m3u8", Array(text.utf8))
            return fixture("index.m3u8", Array(repeating: "all.ts", count: StreamFixture.count), parts: ["all.ts"])
        case .rangedFragmentedMP4:
            try await cut("high.mp4", to: "index", Self.fragments("all.mp4", "all.mp4") + " -hls_flags single_file")
            return fixture("index.m3u8", Array(repeating: "all.mp4", count: StreamFixture.count), parts: ["all.mp4"])
        case .rotatingKeys: return try await rotatingKeys()
        case .impliedIV: return try await impliedIV()
        case .encryptedMP4: return try await encryptedMP4()
        case .packedAudio:
            try await cutSound("en.m4a", to: "index", "a")
            return fixture("index.m3u8", files("a", "aac"))
        case .twoParts: return try await twoParts()
        case .master: return try await master()
        }
    }

    private func fixture(
        _ playlist: String, _ segments: [String], initialization: String? = nil, parts: [String] = [],
        more: [StreamFixture.Track] = []
    ) -> StreamFixture {
        let isSound = kind == .packedAudio
        return StreamFixture(
            kind: kind, folder: folder, playlist: playlist, picture: isSound ? nil : sources + "/high.mp4",
            sound: sources + (isSound || kind == .master ? "/en.m4a" : "/high.mp4"),
            tracks: [track(segments, initialization: initialization, parts: parts)] + more)
    }

    private func track(_ segments: [String], initialization: String? = nil, parts: [String]) -> StreamFixture.Track {
        let folder = folder
        return StreamFixture.Track(
            segments: segments, initialization: initialization.map { folder + "/" + $0 },
            parts: parts.map { folder + "/" + $0 })
    }

    private func files(_ stem: String, _ end: String) -> [String] {
        (0..<StreamFixture.count).map { stem + String(format: "%03d", $0) + "." + end }
    }

    private func playlist(_ file: String) throws -> String {
        String(decoding: try root.read(name + "/" + file), as: UTF8.self)
    }

    // MARK: cutting

    private static func transportStream(_ file: String) -> String { "-hls_segment_filename \(file)" }

    private static func fragments(_ file: String, _ initialization: String) -> String {
        "-hls_segment_type fmp4 -hls_fmp4_init_filename \(initialization) -hls_segment_filename \(file)"
    }

    private func cut(
        _ source: String, to playlist: String, _ options: String, _ streams: String = "", offset: Double = 0
    ) async throws {
        let command =
            "ffmpeg -v error -itsoffset \(offset) -i \(sources)/\(source) \(streams) -c copy -f hls -hls_time 1 -hls_playlist_type vod"
        try await Script.run(["\(command) \(options) \(playlist).m3u8"], in: folder)
    }

    /// Cuts sound to ADTS, with the time of each segment in an ID3 tag.
    ///
    /// Related: RFC 8216 §3.4
    private func cutSound(_ source: String, to playlist: String, _ stem: String) async throws {
        let command = "ffmpeg -v error -i \(sources)/\(source) -c copy -f segment -segment_format adts -segment_time 1"
        try await Script.run(
            ["\(command) -segment_list \(playlist).m3u8 -segment_list_type m3u8 \(stem)%03d.aac"], in: folder)
        for (index, file) in files(stem, "aac").enumerated() {
            let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
            let time = (0..<8).map { UInt8(truncatingIfNeeded: (133_200 + 90_000 * index) >> (56 - 8 * $0)) }
            let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(owner.count + 8), 0, 0] + owner + time
            let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
            try root.write(name + "/" + file, tag + root.read(name + "/" + file))
        }
    }

    // MARK: encrypting

    private func rotatingKeys() async throws -> StreamFixture {
        try await cut("high.mp4", to: "plain", Self.transportStream("s%03d.ts"))
        var lines: [String] = []
        var tags: [Int: String] = [:]
        for index in 0..<22 {
            let period = index / 5
            let iv = StreamKey.hex(900 + period)
            if index % 5 == 0 {
                try write(StreamKey(period))
                tags[index] = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\(period).bin\",IV=0X\(iv.uppercased())"
            }
            lines.append(StreamKey(period).encrypting(files("s", "ts")[index], to: files("e", "ts")[index], iv: iv))
        }
        tags[22] = "#EXT-X-KEY:METHOD=NONE"
        lines += (22..<StreamFixture.count).map { "cp \(files("s", "ts")[$0]) \(files("e", "ts")[$0])" }
        try await Script.run(lines, in: folder)
        try rewrite(from: "s", to: "e", tags)
        return fixture("index.m3u8", files("e", "ts"), parts: files("s", "ts"))
    }

    private func impliedIV() async throws -> StreamFixture {
        try await cut("high.mp4", to: "plain", Self.transportStream("s%03d.ts") + " -start_number 7")
        let old = (0..<StreamFixture.count).map { String(format: "s%03d.ts", $0 + 7) }
        let new = (0..<StreamFixture.count).map { String(format: "e%03d.ts", $0 + 7) }
        var lines: [String] = []
        for index in 0..<StreamFixture.count {
            lines.append(StreamKey(index / 12).encrypting(old[index], to: new[index], iv: StreamKey.hex(7 + index)))
        }
        for period in 0...1 { try write(StreamKey(period)) }
        try await Script.run(lines, in: folder)
        try rewrite(
            from: "s", to: "e",
            [
                0: "#EXT-X-KEY:METHOD=AES-128,URI=\"key0.bin\"",
                12: "#EXT-X-KEY:METHOD=AES-128,URI=\"key1.bin\",KEYFORMAT=\"identity\"",
            ])
        return fixture("index.m3u8", new, parts: old)
    }

    private func encryptedMP4() async throws -> StreamFixture {
        try await cut("high.mp4", to: "plain", Self.fragments("f%03d.m4s", "init.mp4"))
        let iv = StreamKey.hex(77)
        try write(StreamKey(0))
        var lines = [StreamKey(0).encrypting("init.mp4", to: "e-init.mp4", iv: iv)]
        for (old, new) in zip(files("f", "m4s"), files("e", "m4s")) {
            lines.append(StreamKey(0).encrypting(old, to: new, iv: iv))
        }
        try await Script.run(lines, in: folder)
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"key0.bin\",IV=0x\(iv)\n"
        let text = try playlist("plain.m3u8").replacing(#/\nf(\d+)/#) { "\ne\($0.1)" }
            .replacing("#EXT-X-MAP:URI=\"init.mp4\"", with: key + "#EXT-X-MAP:URI=\"e-init.mp4\"")
        try root.write(name + "/index.m3u8", Array(text.utf8))
        return fixture("index.m3u8", files("e", "m4s"), initialization: "init.mp4", parts: files("f", "m4s"))
    }

    /// Half of the source, and half of a smaller one. ``StreamFixture/Track/parts`` are two files that play by themselves.
    private func twoParts() async throws -> StreamFixture {
        let half = StreamFixture.count / 2
        try await cut("high.mp4", to: "one", Self.fragments("f%03d.m4s", "one.mp4"))
        try await cut("middle.mp4", to: "two", Self.fragments("g%03d.m4s", "two.mp4"), "-i \(sources)/de.m4a")
        let (first, second) = (files("f", "m4s").prefix(half), files("g", "m4s").prefix(half))
        try await Script.run(
            [
                "cat one.mp4 \(first.joined(separator: " ")) > first-part.mp4",
                "cat two.mp4 \(second.joined(separator: " ")) > second-part.mp4",
            ], in: folder)
        let lines =
            ["#EXT-X-MAP:URI=\"one.mp4\""] + first.flatMap { ["#EXTINF:1,", $0] }
            + ["#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"two.mp4\""] + second.flatMap { ["#EXTINF:1,", $0] }
        let text =
            (["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:2"] + lines + ["#EXT-X-ENDLIST"])
            .joined(separator: "\n") + "\n"
        try root.write(name + "/index.m3u8", Array(text.utf8))
        return fixture(
            "index.m3u8", Array(first + second), parts: ["first-part.mp4", "second-part.mp4"])
    }

    private func write(_ key: StreamKey) throws { try root.write("\(name)/key\(key.number).bin", key.bytes) }

    /// The playlist `index.m3u8` of `plain.m3u8`: other names, and tags in front of segments.
    private func rewrite(from old: Character, to new: Character, _ tags: [Int: String]) throws {
        var lines: [String] = []
        var index = 0
        for line in try playlist("plain.m3u8").split(separator: "\n") {
            if line.hasPrefix("#EXTINF") {
                if let tag = tags[index] { lines.append(tag) }
                index += 1
            }
            lines.append(line.first == old ? String(new) + line.dropFirst() : String(line))
        }
        try root.write(name + "/index.m3u8", Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    // MARK: renditions

    private func master() async throws -> StreamFixture {
        for picture in ["high", "middle", "low"] {
            try await cut(picture + ".mp4", to: picture, Self.transportStream(picture + "%03d.ts"), "-map 0:v")
        }
        // Where the pictures begin, which the muxer of transport streams sets off.
        try await cut("en.m4a", to: "sound-en", Self.fragments("en%03d.m4s", "en-init.mp4"), offset: 1.48)
        try await cutSound("de.m4a", to: "sound-de", "de")
        for language in ["en", "de"] {
            for (file, text) in StreamSubtitles(language: language).files {
                try root.write(name + "/" + file, Array(text.utf8))
            }
        }
        let media = ["en", "de"].flatMap { language in
            let isFirst = language == "en" ? "YES" : "NO"
            let names = "LANGUAGE=\"\(language)\",NAME=\"\(language)\",DEFAULT=\(isFirst),AUTOSELECT=YES"
            return [
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\",\(names),URI=\"sound-\(language).m3u8\"",
                "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"text\",\(names),URI=\"text-\(language).m3u8\"",
            ]
        }
        let variants = [("low", 150_000, "160x90"), ("high", 500_000, "320x180"), ("middle", 300_000, "256x144")]
            .flatMap { picture, bandwidth, size in
                [
                    "#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth),RESOLUTION=\(size),AUDIO=\"sound\",SUBTITLES=\"text\"",
                    picture + ".m3u8",
                ]
            }
        let text = (["#EXTM3U", "#EXT-X-VERSION:7"] + media + variants).joined(separator: "\n") + "\n"
        try root.write(name + "/master.m3u8", Array(text.utf8))
        // Set off, it may be cut once more.
        let sounds = try playlist("sound-en.m3u8").split(separator: "\n").filter { $0.hasSuffix(".m4s") }.map(
            String.init)
        let sound = track(sounds, initialization: "en-init.mp4", parts: sounds)
        return fixture("master.m3u8", files("high", "ts"), parts: files("high", "ts"), more: [sound])
    }
}
