import ChildProcess
import Crypto
package import DownloadStore
import FileSystem
import Foundation
import HLSMedia
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState
import ViewerMarks

/// Small pictures of videos, 320 pixels wide: of their covers, or else of a frame. Each is made once, by ffmpeg, one
/// after the other and at low priority, and kept beside the state.
package actor Thumbnails {
    /// In seconds; a picture that takes longer isn't made.
    private static let limit = Duration.seconds(30)

    private let ffmpeg: FFmpeg?
    /// Makes the last one of them.
    private var running: Task<Void, Never>?
    /// The pictures that are being made or wait for it.
    private var pending: Set<String> = []
    /// So many of them at most; others aren't made this time.
    private static let mostPending = 200

    /// - Parameter path: the `PATH` to find ffmpeg in.
    package init(path: String) { ffmpeg = FFmpeg.find(.automatic(path: path)) }

    /// The picture of a video, as a path of a JPEG; nil if there is none, none can be made, or it isn't ready after two
    /// seconds.
    package func picture(of key: DownloadKey, at location: StateLocation) async throws(Refusal) -> String? {
        guard let source = try Self.source(of: key, at: location) else { return nil }
        if let size = FileFacts(at: source.picture)?.size { return size > 0 ? source.picture : nil }
        guard let ffmpeg else { return nil }
        if pending.count < Self.mostPending, pending.insert(source.picture).inserted {
            let before = running
            running = Task {
                await before?.value
                if FileFacts(at: source.picture) == nil { await Self.make(source, with: ffmpeg, key, location) }
                pending.remove(source.picture)
            }
        }
        // A browser has six connections to a server. If pictures held them all, no other page could be opened.
        for _ in 0..<20 where pending.contains(source.picture) { try? await Task.sleep(for: .milliseconds(100)) }
        return FileFacts(at: source.picture).map { $0.size > 0 } == true ? source.picture : nil
    }

    private struct Source: Sendable {
        var file: ServedFile
        var isCover: Bool
        var picture: String
    }

    /// What a picture is made of, and where it is kept; nil for a video without a cover whose file has no picture.
    private static func source(of key: DownloadKey, at location: StateLocation) throws(Refusal) -> Source? {
        let folder = try location.resolve().userFolder.thumbnails
        return try ViewedLibrary.read(location) { view in
            let cover = try view.cover(of: key)
            guard let video = try view.video(key), let path = video.row.path else {
                return cover.map { Source(file: $0, isCover: true, picture: Self.path(of: $0, in: folder)) }
            }
            if let cover { return Source(file: cover, isCover: true, picture: Self.path(of: cover, in: folder)) }
            guard !video.isSound, let file = try view.file(ViewedLibrary.name(of: path), of: key) else { return nil }
            return Source(file: file, isCover: false, picture: Self.path(of: file, in: folder))
        }
    }

    /// Another file, or another version of it, has another picture.
    private static func path(of served: ServedFile, in folder: FilePath) -> String {
        let facts = "\(served.name) \(served.facts.size) \(served.facts.modified) \(served.facts.inode)"
        let digest = SHA256.hash(data: Data(facts.utf8)).prefix(16).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return folder.appending(digest.joined() + ".jpg").string
    }

    /// Makes a picture; an empty file says that none can be made of it.
    private static func make(
        _ source: Source, with ffmpeg: FFmpeg, _ key: DownloadKey, _ location: StateLocation
    ) async {
        let folder = FilePath(source.picture).removingLastComponent()
        try? FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // The open file itself, whatever is at its path by now.
        let input = "/proc/\(getpid())/fd/\(source.file.file.descriptor)"
        var start = 0.0
        if !source.isCover, let length = await Self.length(of: input, beside: ffmpeg) {
            start = min(length * 0.1, 300)
            _ = try? ViewedLibrary.read(location) { try $0.marks.note(length: length, of: key) }
        }
        let draft = source.picture + ".part"
        var arguments = ["-nostdin", "-v", "error", "-y", "-protocol_whitelist", "file"]
        if start > 0 { arguments += ["-ss", "\(start)"] }
        arguments += [
            "-i", input, "-frames:v", "1", "-an", "-sn", "-vf", "scale=320:-2", "-q:v", "5", "-f", "image2", "-c:v",
            "mjpeg", draft,
        ]
        var process = BoundedProcess(executable: ffmpeg.executable, arguments: arguments, limit: limit)
        process.isModest = true
        let ending = await process.run().ending
        switch ending {
        case .exited(0) where (FileFacts(at: draft)?.size ?? 0) > 0: rename(draft, source.picture)
        case .exited, .signaled, .timedOut:
            // On a full disk the file isn't to blame: one as large as a picture has to fit.
            guard FileManager.default.createFile(atPath: draft, contents: Data(count: 64 << 10)) else { break }
            _ = FileManager.default.createFile(atPath: source.picture, contents: Data())
        case .cancelled, .notFound, .notStarted: break
        }
        unlink(draft)
    }

    /// The length of a file in seconds, by ffprobe beside ffmpeg; nil if it can't say.
    private static func length(of input: String, beside ffmpeg: FFmpeg) async -> Double? {
        let probe = ffmpeg.executable.removingLastComponent().appending("ffprobe")
        var process = BoundedProcess(
            executable: probe,
            arguments: [
                "-v", "error", "-protocol_whitelist", "file", "-show_entries", "format=duration", "-of",
                "csv=print_section=0", input,
            ], limit: limit)
        process.isModest = true
        let outcome = await process.run()
        guard outcome.ending == .exited(0) else { return nil }
        let text = String(decoding: outcome.outputHead, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return Double(text).flatMap { (0.1...1e8).contains($0) ? $0 : nil }
    }
}
