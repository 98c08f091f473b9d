import Foundation
import HLSMedia
import SystemPackage
import TestSupport

/// Makes streams with the real ffmpeg, joins them, and looks at what comes of them.
struct Studio {
    static let isThere = FFmpeg.find(.automatic(path: ProcessInfo.processInfo.environment["PATH"] ?? "")) != nil
    static let reason: String = "ffmpeg is missing; install it with: apt-get install ffmpeg"

    struct Failure: Error { var text: String }

    let folder = TemporaryFolder()

    var program: FFmpeg {
        get throws {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            guard let found = FFmpeg.find(.automatic(path: path)) else { throw Failure(text: Self.reason) }
            return found
        }
    }

    /// Four seconds of a moving picture with B-frames, and of a tone.
    private static let picture = ["-f", "lavfi", "-i", "testsrc=size=128x72:rate=25:duration=4"]
    private static let tone = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=4"]
    private static let h264 = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "25", "-pix_fmt", "yuv420p"]
    private static let aac = ["-c:a", "aac", "-b:a", "64k", "-ac", "2"]

    enum Tracks: Sendable { case both, picture, tone }

    /// Segments of a second, joined to one file.
    func joined(_ tracks: Tracks, _ kind: MediaKind, named name: String) async throws -> FilePath {
        let folder = "segments-" + name
        try self.folder.make(folder)
        let path = self.folder.at(folder).string
        var arguments = ["-v", "error"]
        if tracks != .tone { arguments += Self.picture }
        if tracks != .picture { arguments += Self.tone }
        if tracks != .tone { arguments += Self.h264 }
        if tracks != .picture { arguments += Self.aac }
        arguments += [
            "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type",
            kind == .fragmentedMP4 ? "fmp4" : "mpegts", "-hls_segment_filename", path + "/%03d",
            path + "/playlist",
        ]
        try await run("ffmpeg", arguments)
        let initialization = kind == .fragmentedMP4 ? ["init.mp4"] : []
        return try join(initialization + segments(in: folder), in: folder, as: name)
    }

    /// A file of packed audio.
    func packed(_ kind: MediaKind, named name: String) async throws -> FilePath {
        let path = folder.at(name)
        let (codec, format) =
            switch kind {
            case .mp3: ("libmp3lame", "mp3")
            case .ac3: ("ac3", "ac3")
            case .eac3: ("eac3", "eac3")
            default: ("aac", "adts")
            }
        try await run("ffmpeg", ["-v", "error"] + Self.tone + ["-c:a", codec, "-f", format, path.string])
        return path
    }

    /// A file with a picture and a tone of so many seconds each, or without one, made with further arguments.
    func made(picture: Int?, tone: Int?, _ arguments: [String], named name: String) async throws -> FilePath {
        let path = folder.at(name)
        var all = ["-v", "error"]
        if let picture { all += ["-f", "lavfi", "-i", "testsrc=size=128x72:rate=25:duration=\(picture)"] }
        if let tone { all += ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=\(tone)"] }
        if picture != nil { all += Self.h264 }
        if tone != nil { all += Self.aac }
        try await run("ffmpeg", all + arguments + [path.string])
        return path
    }

    /// When the earliest packet of a file is shown, in seconds.
    func begin(of path: FilePath) async throws -> Double? {
        let arguments = ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path.string]
        return try await run("ffprobe", arguments).split { $0.isNewline || $0 == "," }.compactMap { Double($0) }.min()
    }

    private func segments(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.folder.at(folder).string)
            .filter { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }.sorted()
    }

    private func join(_ names: [String], in folder: String, as name: String) throws -> FilePath {
        var bytes = Data()
        for part in names { bytes += try Data(contentsOf: URL(filePath: self.folder.at(folder + "/" + part).string)) }
        try bytes.write(to: URL(filePath: self.folder.at(name).string))
        return self.folder.at(name)
    }

    /// The hashes of the decoded frames of all streams of one kind (`v` or `a`), in their order.
    func frames(of path: FilePath, _ stream: String, as format: String? = nil) async throws -> [String] {
        let input = (format.map { ["-f", $0] } ?? []) + ["-i", path.string]
        let text = try await run("ffmpeg", ["-v", "error"] + input + ["-map", "0:" + stream, "-f", "framemd5", "-"])
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// Codec, number of packets and language of each stream.
    func streams(of path: FilePath) async throws -> [String] {
        try await run(
            "ffprobe",
            [
                "-v", "error", "-count_packets", "-show_entries",
                "stream=codec_name,nb_read_packets:stream_tags=language",
                "-of", "csv=p=0", path.string,
            ]
        ).split(separator: "\n").map { $0.trimmingCharacters(in: [","]) }.filter { !$0.isEmpty }
    }

    /// The names of a file's boxes, in their order.
    func boxes(of path: FilePath) throws -> [String] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path.string)))
        var names: [String] = []
        var start = 0
        while start + 8 <= bytes.count, names.count < 100 {
            names.append(String(decoding: bytes[(start + 4)..<(start + 8)], as: UTF8.self))
            start += max(8, bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) })
        }
        return names
    }

    @discardableResult
    private func run(_ name: String, _ arguments: [String]) async throws -> String {
        let ending = try await Tool(name: name, package: "ffmpeg").run(arguments)
        guard ending.isSuccess else { throw Failure(text: "\(name): \(ending.output)") }
        return ending.output
    }
}
