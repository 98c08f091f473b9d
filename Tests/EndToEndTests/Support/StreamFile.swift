import Crypto
import Foundation
import TestServers
import TestSupport
import Testing

/// A file that a stream has become.
struct StreamFile {
    let path: String
    /// For the messages.
    let name: String

    /// Whether it plays, and shows and sounds like the source.
    func check(
        _ fixture: StreamFixture, picture: String = "high", language: String = "en", isRemuxed: Bool = false
    ) async throws {
        let expected = try await fixture.expected(picture: picture, language: language)
        try await check(expected, isRemuxed: isRemuxed)
    }

    func check(_ expected: FrameHashes, isRemuxed: Bool) async throws {
        let found = try await FrameHashes.of(path)
        #expect(
            found.pictures.count == expected.pictures.count && found.sounds.count == expected.sounds.count, "\(name)")
        #expect(found.pictures == expected.pictures, "\(name): other pictures")
        #expect(found.sounds == expected.sounds, "\(name): other sounds")
        let facts = try await MediaFacts.of(path)
        #expect(
            facts.streams.count == (expected.pictures.isEmpty ? 0 : 1) + (expected.sounds.isEmpty ? 0 : 1), "\(name)")
        // Packed audio says nothing of its length; its bit rate is a guess.
        if facts.format.format_name != "aac" {
            #expect(abs(facts.format.seconds - Double(StreamFixture.count)) < 0.5, "\(name): \(facts.format.seconds) s")
        }
        if let picture = facts.streams("video").first, let sound = facts.streams("audio").first {
            #expect(abs(picture.start - sound.start) < 0.1, "\(name): sound \(sound.start), picture \(picture.start)")
        }
        guard isRemuxed else { return }
        let boxes = try Self.boxes(path)
        let (index, media) = (boxes.firstIndex(of: "moov"), boxes.firstIndex(of: "mdat"))
        #expect(index != nil && media != nil && (index ?? 0) < (media ?? 0), "\(name): \(boxes)")
        #expect(!boxes.contains("moof"), "\(name): \(boxes)")
    }

    /// SHA-256 in hexadecimal.
    static func digest(_ data: Data) -> String { SHA256.hash(data: data).hexText }

    /// The boxes of the outermost level of an MP4 file.
    static func boxes(_ path: String) throws -> [String] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var boxes: [String] = []
        var start = 0
        while start + 8 <= bytes.count {
            let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            boxes.append(String(decoding: bytes[start + 4..<start + 8], as: UTF8.self))
            guard size >= 8 else { break }
            start += size
        }
        return boxes
    }

    /// The lines of a subtitle file.
    static func subtitles(_ path: String) throws -> [(begin: Double, end: Double, text: String)] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("WEBVTT") && !text.contains("X-TIMESTAMP-MAP"), "\(text.prefix(100))")
        return text.split(separator: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n")
            guard let index = lines.firstIndex(where: { $0.contains(" --> ") }) else { return nil }
            let times = lines[index].split(separator: " ").filter { $0 != "-->" }.prefix(2).map { time in
                time.split(separator: ":").reduce(0.0) { $0 * 60 + (Double($1) ?? .nan) }
            }
            return (times[0], times[1], lines[(index + 1)...].joined(separator: "\n"))
        }
    }
}
