#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The served files, all in memory.
struct MediaLibrary: Sendable {
    /// A file and its manner of serving.
    struct File: Sendable {
        var name: String
        var bytes: [UInt8]
        var mediaType: String
        /// A strong validator: it depends on the bytes only, so that it outlives this process.
        var etag: String
        /// Bytes per second; nil for no limit.
        var rate: Double?
        /// The offset at which the first connection that sends it breaks.
        var cut: Int?
    }

    private let files: [String: File]

    /// Reads all files of `folder`, a path from the working directory.
    init(folder: String) throws {
        var files: [String: File] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
            files[name] = Self.file(name, [UInt8](data))
        }
        self.files = files
    }

    subscript(name: String) -> File? { files[name] }

    /// The names of the videos, without their extensions.
    var videos: [String] {
        files.keys.filter { $0.hasSuffix(".mp4") || $0.hasSuffix(".m3u8") }
            .compactMap { $0.split(separator: ".").first.map(String.init) }.sorted()
    }

    /// The videos whose first connection breaks when their link has just expired, so that they have to be resolved
    /// again.
    private static let breaking: Set = ["waves.mp4", "fractal.mp4", "spectrum.mp4"]

    /// Videos take four seconds, so that those that break do so shortly after the two seconds of their link.
    private static func file(_ name: String, _ bytes: [UInt8]) -> File {
        var file = File(name: name, bytes: bytes, mediaType: mediaType(name), etag: etag(bytes))
        if name.hasSuffix(".mp4") {
            file.rate = Double(bytes.count) / 4
            if breaking.contains(name) { file.cut = bytes.count * 55 / 100 }
        }
        return file
    }

    private static func mediaType(_ name: String) -> String {
        switch name.split(separator: ".").last {
        case "mp4": "video/mp4"
        case "m3u8": "application/vnd.apple.mpegurl"
        case "ts": "video/mp2t"
        case "jpg": "image/jpeg"
        case "vtt": "text/vtt; charset=utf-8"
        case "pdf": "application/pdf"
        default: "application/octet-stream"
        }
    }

    /// FNV-1a, 64 bits.
    private static func etag(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\"\(String(hash, radix: 16))\""
    }
}
