import Foundation
import HLSMedia
import SystemPackage
import TestSupport
import Testing

/// Real streams through the real ffmpeg: nothing is lost, and the file is a fast-start MP4.
@Suite("remuxing", .enabled(if: Studio.isThere, Comment(rawValue: Studio.reason)))
struct RemuxTests {
    let studio = Studio()

    func input(_ path: FilePath, _ kind: MediaKind, language: String? = nil) throws -> RemuxInput {
        // What it is, is told by its own bytes, too.
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path.string)))
        #expect(MediaKind.recognize(bytes) == kind)
        return try #require(RemuxInput(path: path, kind: kind, language: language))
    }

    func expectFastStart(_ path: FilePath) throws {
        let boxes = try studio.boxes(of: path)
        let (moov, mdat) = (try #require(boxes.firstIndex(of: "moov")), try #require(boxes.firstIndex(of: "mdat")))
        #expect(moov < mdat && !boxes.contains("moof"), "\(boxes)")
    }

    @Test("a joined stream keeps every packet and every frame", arguments: [MediaKind.transportStream, .fragmentedMP4])
    func one(kind: MediaKind) async throws {
        let joined = try await studio.joined(.both, kind, named: "joined")
        let output = studio.folder.at("out.mp4")
        let job = try #require(RemuxJob(video: input(joined, kind), output: output))
        #expect(try await job.run(with: studio.program) == nil)
        try expectFastStart(output)
        for stream in ["v", "a"] {
            let before = try await studio.frames(of: joined, stream)
            #expect(before.count >= 100)
            #expect(try await studio.frames(of: output, stream) == before, "\(stream)")
        }
        let counts = { (streams: [String]) in
            Set(streams.map { $0.split(separator: ",").prefix(2).joined(separator: ",") })
        }
        #expect(try await counts(studio.streams(of: output)) == counts(studio.streams(of: joined)))
    }

    @Test("packed audio becomes an MP4 with sound only", arguments: [MediaKind.adts, .mp3, .ac3, .eac3])
    func packed(kind: MediaKind) async throws {
        let packed = try await studio.packed(kind, named: "packed")
        let output = studio.folder.at("out.mp4")
        let job = try #require(RemuxJob(video: input(packed, kind, language: "fr"), output: output))
        try await job.run(with: studio.program)
        try expectFastStart(output)
        let streams = try await studio.streams(of: output)
        #expect(streams.count == 1 && streams.allSatisfy { $0.hasSuffix("fra") }, "\(streams)")
        #expect(try await studio.frames(of: output, "a").count > 80)
    }

    @Test(
        "separate sound of every kind is joined with the picture",
        arguments: [
            (MediaKind.transportStream, MediaKind.adts), (.transportStream, .transportStream),
            (.fragmentedMP4, .fragmentedMP4), (.fragmentedMP4, .ac3),
        ])
    func separate(picture: MediaKind, tone: MediaKind) async throws {
        let video = try await studio.joined(.both, picture, named: "picture")
        let audio =
            tone == .adts || tone == .ac3
            ? try await studio.packed(tone, named: "tone") : try await studio.joined(.tone, tone, named: "tone")
        let output = studio.folder.at("out.mp4")
        let job = try #require(
            RemuxJob(video: input(video, picture), audio: [input(audio, tone, language: "en")], output: output))
        try await job.run(with: studio.program)
        try expectFastStart(output)
        let streams = try await studio.streams(of: output)
        #expect(streams.count == 2 && streams.contains { $0.hasSuffix("eng") }, "\(streams)")
        #expect(try await studio.frames(of: output, "v") == studio.frames(of: video, "v"))
        #expect(try await studio.frames(of: output, "a") == studio.frames(of: audio, "a"))
    }

    @Test("two tracks of sound keep their order and their languages")
    func tracks() async throws {
        let video = try await studio.joined(.picture, .transportStream, named: "picture")
        let (first, second) = (try await studio.packed(.adts, named: "1"), try await studio.packed(.ac3, named: "2"))
        let output = studio.folder.at("out.mp4")
        let audio = [try input(first, .adts, language: "de"), try input(second, .ac3, language: "en")]
        try await #require(RemuxJob(video: input(video, .transportStream), audio: audio, output: output))
            .run(with: studio.program)
        let streams = try await studio.streams(of: output)
        #expect(streams.map { $0.prefix(3) } == ["h26", "aac", "ac3"])
        #expect(streams.map { $0.suffix(3) }.dropFirst() == ["deu", "eng"], "\(streams)")
    }

    @Test("names with special characters are taken as files")
    func names() async throws {
        let packed = try await studio.packed(.adts, named: "packed")
        try studio.folder.make("-i %03d")
        let odd = studio.folder.at("-i %03d/concat:a|b 'x' \"y\" ü\n$(z).aac")
        try FileManager.default.moveItem(atPath: packed.string, toPath: odd.string)
        let output = studio.folder.at("-i %03d/-y http:x?.mp4")
        try await #require(RemuxJob(video: input(odd, .adts), output: output)).run(with: studio.program)
        try expectFastStart(output)
        #expect(studio.folder.names().sorted().count == 3)
    }

    @Test(
        "a file that isn't of the assumed format is refused, and nothing remains",
        arguments: [
            (MediaKind.transportStream, "<html>no</html>"), (.fragmentedMP4, "<html>no</html>"), (.adts, ""),
            (.transportStream, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ngood.aac\n#EXT-X-ENDLIST\n"),
            (.fragmentedMP4, "ffconcat version 1.0\nfile good.aac\n"),
        ])
    func broken(kind: MediaKind, text: String) async throws {
        _ = try await studio.packed(.adts, named: "good.aac")
        try studio.folder.write(text, to: "bad")
        let output = studio.folder.at("out.mp4")
        let video = try #require(RemuxInput(path: studio.folder.at("bad"), kind: kind))
        let job = try #require(RemuxJob(video: video, output: output))
        let error = await #expect(throws: RemuxError.self) { try await job.run(with: studio.program) }
        guard case .failed(let exit, let line) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(exit > 0 && !line.isEmpty && !line.contains("/"), "\(line)")
        #expect(!studio.folder.has("out.mp4"))
    }

    @Test("the version is the one that ffmpeg prints")
    func version() async throws {
        #expect(try await studio.program.version()?.hasPrefix("ffmpeg version ") == true)
    }
}
