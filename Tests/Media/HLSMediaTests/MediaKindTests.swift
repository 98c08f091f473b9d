import HLSMedia
import SeededGenerator
import Testing

@Suite("the format of a segment's bytes")
struct MediaKindTests {
    typealias Row = (what: String, bytes: [UInt8], kind: MediaKind?)

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    static let transportStreams: [Row] = [
        ("many packets", Samples.transportStream(packets: 20), .transportStream),
        ("two packets", Samples.transportStream(packets: 2), .transportStream),
        ("two packets and a piece", Array(Samples.transportStream(packets: 3).dropLast(100)), .transportStream),
        ("two packets and one byte", Array(Samples.transportStream(packets: 3).prefix(377)), .transportStream),
        ("a packet and a piece", Array(Samples.transportStream(packets: 2).dropLast(100)), .transportStream),
        ("one packet alone", Samples.transportStream(packets: 1), nil),
        ("a tag in front", Samples.id3(body: 63) + Samples.transportStream(packets: 3), .transportStream),
        ("cut at a wrong place", Array(Samples.transportStream(packets: 8).dropFirst(100)), .transportStream),
        ("cut, and too short to be sure", Array(Samples.transportStream(packets: 4).dropFirst(100)), nil),
        (
            "an image's header in front", Array(repeating: 1, count: 70) + Samples.transportStream(packets: 8),
            .transportStream
        ),
        ("packets of 192 bytes", Samples.transportStream(packets: 20, length: 192), nil),
        ("packets of 204 bytes", Samples.transportStream(packets: 20, length: 204), nil),
        ("another sync byte", Samples.transportStream(packets: 20, sync: 0x48), nil),
        ("the third packet is none", Samples.transportStream(packets: 2) + [UInt8](repeating: 0, count: 188), nil),
        ("scrambled", scrambled(0xD0), nil), ("neither payload nor adaptation field", scrambled(0x00), nil),
        ("an adaptation field that is too long", scrambled(0x20), nil),
    ]

    static func scrambled(_ flags: UInt8) -> [UInt8] {
        var bytes = Samples.transportStream(packets: 8)
        for start in stride(from: 0, to: bytes.count, by: 188) {
            bytes[start + 3] = flags
            bytes[start + 4] = 184
        }
        return bytes
    }

    static let boxes: [Row] = [
        ("an initialization section", Samples.box("ftyp", body: 20) + Samples.box("moov", body: 700), .fragmentedMP4),
        ("a fragment", Samples.box("moof", body: 300) + Samples.box("mdat", body: 900), .fragmentedMP4),
        ("a segment type", Samples.box("styp", body: 16) + Samples.box("sidx", body: 44), .fragmentedMP4),
        ("an event", Samples.box("emsg", body: 50) + Samples.box("moof", body: 300), .fragmentedMP4),
        ("a reference time", Samples.box("prft", body: 24), .fragmentedMP4),
        ("a box longer than the bytes", Array(Samples.box("moof", body: 9000).prefix(4096)), .fragmentedMP4),
        ("mdat to the end", [0, 0, 0, 0] + text("mdat") + text("whatever"), .fragmentedMP4),
        ("mdat with a long length", [0, 0, 0, 1] + text("mdat") + [0, 0, 0, 0, 0, 1, 0, 0, 7, 7], .fragmentedMP4),
        ("a long length that is too long", [0, 0, 0, 1] + text("mdat") + [255, 0, 0, 0, 0, 1, 0, 0, 7, 7], nil),
        ("a long length that is too short", [0, 0, 0, 1] + text("mdat") + [0, 0, 0, 0, 0, 0, 0, 15], nil),
        ("a long length that is cut off", [0, 0, 0, 1] + text("mdat"), nil),
        ("moov to the end", [0, 0, 0, 0] + text("moov") + text("whatever"), nil),
        ("a length less than the header's", [0, 0, 0, 7] + text("moof") + [1, 2, 3, 4], nil),
        ("a length that nobody believes", [0xF0, 0, 0, 0] + text("moof") + [1, 2, 3, 4], nil),
        ("an unknown name", Samples.box("abcd", body: 20), nil),
        ("nothing sensible behind", Samples.box("ftyp", body: 20) + [UInt8](repeating: 0xEE, count: 40), nil),
        ("a length of 0 behind", Samples.box("ftyp", body: 20) + [UInt8](repeating: 0, count: 40), nil),
    ]

    static let audio: [Row] = [
        ("ADTS", Samples.adts(frames: 9), .adts), ("one frame of ADTS", Samples.adts(frames: 1), .adts),
        ("ADTS behind a tag", Samples.id3(body: 63) + Samples.adts(frames: 9), .adts),
        ("ADTS behind a tag with a footer", Samples.id3(body: 63, footer: true) + Samples.adts(frames: 9), .adts),
        ("ADTS behind two tags", Samples.id3(body: 63) + Samples.id3(body: 5) + Samples.adts(frames: 9), .adts),
        ("ADTS, cut in a body", Array(Samples.adts(frames: 3).dropLast(50)), .adts),
        ("ADTS, cut in a header", Array(Samples.adts(frames: 3).dropLast(196)), .adts),
        ("less than two headers of ADTS", Array(Samples.adts(frames: 1).dropLast(1)), nil),
        ("ADTS, then something else", Samples.adts(frames: 2) + [UInt8](repeating: 0, count: 99), nil),
        ("ADTS of changing frequencies", Samples.adts(frames: 1) + [0xFF, 0xF1, 0x4C, 0x80, 0x19, 0x1F, 0xFC, 1], nil),
        ("ADTS with frames shorter than headers", [UInt8](repeating: 0, count: 4) + Samples.adts(frames: 1), nil),
        ("a tag that is longer than the bytes", Array(Samples.id3(body: 5000).prefix(4096)), nil),
        ("a tag and nothing else", Samples.id3(body: 63), nil),
        ("MP3", Samples.mp3(frames: 6), .mp3),
        ("MP3 behind a tag", Samples.id3(body: 9) + Samples.mp3(frames: 6), .mp3),
        ("MP3 with a free bit rate", [0xFF, 0xFB, 0x00, 0x00] + Samples.mp3(frames: 6), nil),
        ("AC-3", Samples.ac3(frames: 6), .ac3), ("E-AC-3", Samples.eac3(frames: 6), .eac3),
    ]

    static let texts: [Row] = [
        ("WebVTT", text("WEBVTT\n\n00:00.000 --> 00:01.000\nx\n"), .webVTT), ("WebVTT, bare", text("WEBVTT"), .webVTT),
        ("WebVTT with a BOM", text("\u{FEFF}WEBVTT\r\n"), .webVTT), ("WebVTT with words", text("WEBVTT - x"), .webVTT),
        ("a word that begins like WebVTT", text("WEBVTTX"), nil),
        ("HTML", text("<!DOCTYPE html>\n<html>"), .page), ("HTML behind blank lines", text("\n \r\n\t<html>"), .page),
        ("XML", text("\u{FEFF}<?xml version=\"1.0\"?>"), .page), ("a comment", text("<!-- x -->"), .page),
        ("an object", text("{\n  \"error\": \"expired\"}"), .page), ("an array", text("[1, 2]"), .page),
        ("an empty object", text("{}"), .page), ("an open brace among bytes", [0x7B, 0x22, 0x00, 0x01], nil),
        ("plain words", text("Not found"), nil), ("a playlist", text("#EXTM3U\n"), nil), ("nothing", [], nil),
        ("an angle among bytes", [0x3C, 0x61, 0x00, 0xFF], nil),
    ]

    @Test("segments are recognized", arguments: transportStreams + boxes + audio + texts)
    func recognized(row: Row) { #expect(MediaKind.recognize(row.bytes) == row.kind, "\(row.what)") }

    @Test("every prefix of a segment is either recognized correctly, or not at all")
    func prefixes() {
        for row in Self.transportStreams + Self.boxes + Self.audio where row.kind != nil {
            for count in 0..<min(row.bytes.count, 1200) {
                let kind = MediaKind.recognize(Array(row.bytes.prefix(count)))
                #expect(kind == nil || kind == row.kind, "\(row.what), \(count) bytes")
            }
        }
    }

    @Test("random bytes are not recognized")
    func random() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<4000 {
            let bytes = (0..<256).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
            let kind = MediaKind.recognize(bytes)
            #expect(kind == nil || kind == .page)
        }
    }

    @Test("prefixes with a few wrong bytes never trap")
    func mutations() {
        var generator = SeededGenerator(seed: 9)
        for row in Self.transportStreams + Self.boxes + Self.audio + Self.texts where !row.bytes.isEmpty {
            for _ in 0..<100 {
                var bytes = row.bytes
                for _ in 0..<3 {
                    let place = Int.random(in: 0..<min(bytes.count, 24), using: &generator)
                    bytes[place] = UInt8.random(in: 0...255, using: &generator)
                }
                _ = MediaKind.recognize(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
            }
        }
    }

    @Test("a joined file's extension follows its format; a web page isn't kept")
    func extensions() {
        #expect(
            MediaKind.allCases.map { $0.fileExtension ?? "-" } == [
                "ts", "mp4", "aac", "mp3", "ac3", "ec3", "webm", "vtt", "-",
            ])
        #expect(MediaKind.allCases.filter { !$0.isMedia } == [.page])
    }

    @Test("the length of leading tags is found", arguments: [(0, 10), (63, 73), (200, 210)])
    func tags(body: Int, length: Int) {
        let told = (Samples.id3(body: body) + Samples.adts(frames: 2)).withUnsafeBytes { ID3Tag.totalLength(in: $0) }
        #expect(told == length)
    }
}
