import Foundation
import HLSMedia
import SystemPackage
import TestSupport
import Testing

/// Times in what the real ffmpeg writes.
@Suite("times of real streams", .enabled(if: Studio.isThere, Comment(rawValue: Studio.reason)))
struct StreamTimesTests {
    let studio = Studio()

    func begin(of path: FilePath, _ kind: MediaKind) throws -> Double {
        let file = try FileHandle(forReadingFrom: URL(filePath: path.string))
        defer { try? file.close() }
        let bytes = [UInt8](try file.read(upToCount: 256 << 10) ?? Data())
        #expect(MediaKind.recognize(bytes) == kind)
        return Double(try #require(MediaClock.begin(of: bytes, kind: kind)).ticks) / 90_000
    }

    @Test(
        "a Transport Stream begins with its earliest elementary stream",
        arguments: [(2, 2), (2, nil), (nil, 2)] as [(Int?, Int?)])
    func transportStream(picture: Int?, tone: Int?) async throws {
        let arguments = ["-output_ts_offset", "1234.5", "-muxdelay", "0", "-muxpreload", "0", "-f", "mpegts"]
        let path = try await studio.made(picture: picture, tone: tone, arguments, named: "stream")
        let begin = try begin(of: path, .transportStream)
        let probed = try #require(try await studio.begin(of: path))
        #expect(abs(begin - probed) < 0.000_1, "\(begin) \(probed)")
        #expect(abs(begin - 1234.5) < 0.2, "\(begin)")
    }

    @Test("a Transport Stream may begin just before its clock wraps")
    func wrap() async throws {
        // 0.1 s before.
        let arguments = ["-output_ts_offset", "95443.617", "-muxdelay", "0", "-muxpreload", "0", "-f", "mpegts"]
        let path = try await studio.made(picture: 2, tone: 2, arguments, named: "stream")
        #expect(abs(try begin(of: path, .transportStream) - 95_443.617) < 0.2)
    }

    @Test("fragmented MP4 begins where its first fragment does", arguments: [0, 2])
    func fragments(first: UInt64) async throws {
        _ = try await studio.joined(.both, .fragmentedMP4, named: "stream")
        var bytes: [UInt8] = []
        for name in ["init.mp4", "00\(first)", "003"] {
            let path = studio.folder.at("segments-stream/" + name).string
            bytes += try [UInt8](Data(contentsOf: URL(filePath: path)))
        }
        let begin = try #require(MediaClock.begin(of: bytes, kind: .fragmentedMP4))
        let expected = try #require(MediaTime(first, timescale: 1))
        #expect(!begin.isTransport && abs(MediaClock.offset(from: expected, to: begin)) < 0.2, "\(begin)")
    }

    @Test("packed audio begins when its tag says")
    func packed() async throws {
        let value = "\\x00\\x00\\x00\\x01\\x00\\x0D\\xBB\\xA0"
        let tag = "id3v2_priv.com.apple.streaming.transportStreamTimestamp=" + value
        let arguments = ["-write_id3v2", "1", "-metadata", tag, "-f", "adts"]
        let path = try await studio.made(picture: nil, tone: 1, arguments, named: "audio")
        #expect(try begin(of: path, .adts) == Double(0x1_000D_BBA0) / 90_000)
    }

    @Test("an MP4 has a sound track that is shorter than its picture", arguments: ["", "+faststart"])
    func length(flags: String) async throws {
        let arguments = ["-movflags", "0" + flags, "-f", "mp4"]
        let path = try await studio.made(picture: 5, tone: 2, arguments, named: "movie")
        let file = try FileHandle(forReadingFrom: URL(filePath: path.string))
        defer { try? file.close() }
        let read = try MovieLength.read { place, count in
            try file.seek(toOffset: UInt64(place))
            return [UInt8](try file.read(upToCount: count) ?? Data())
        }
        let length = try #require(read)
        #expect(abs(try #require(length.seconds) - 5) < 0.1)
        #expect(length.tracks.map(\.kind) == [.video, .audio])
        let seconds = length.tracks.compactMap(\.seconds)
        #expect(seconds.count == 2 && abs(seconds[0] - 5) < 0.1 && abs(seconds[1] - 2) < 0.1, "\(seconds)")
    }
}
