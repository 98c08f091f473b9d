import Foundation
import Subprocess

/// The frames and samples of a file, as decoded by ffmpeg: two files with the same hashes play identically, whatever
/// their containers.
package struct FrameHashes: Sendable, Equatable {
    /// MD5 of each decoded picture, in order.
    package var pictures: [String] = []
    /// MD5 of each packet of sound without its header, in order.
    package var sounds: [String] = []

    package init() {}

    /// Decodes a file; throws if ffmpeg complains about anything in it.
    package static func of(_ file: String) async throws -> FrameHashes {
        let result = try await run(
            .name("ffmpeg"),
            arguments: [
                "-nostdin", "-v", "error", "-i", file, "-map", "0:v?", "-map", "0:a?", "-fps_mode", "passthrough",
                "-autoscale", "0",
                "-c:a",
                "copy", "-bsf:a", "aac_adtstoasc", "-f", "framemd5", "-",
            ], output: .string(limit: 1 << 22), error: .string(limit: 1 << 16))
        let complaint = result.standardError
        guard result.terminationStatus.isSuccess, complaint.isEmpty else {
            throw TestServerError("ffmpeg says of \(file): \(complaint)")
        }
        var hashes = FrameHashes()
        var sounds: Set<Substring> = []
        for line in result.standardOutput.split(separator: "\n") {
            if line.hasPrefix("#media_type"), line.hasSuffix(": audio") {
                sounds.insert(line.dropFirst("#media_type ".count).prefix { $0 != ":" })
            }
            // Stream, dts, pts, duration, size, hash, and what belongs to the first packets only.
            let columns = line.split(separator: ",").map { $0.drop { $0 == " " } }
            guard !line.hasPrefix("#"), columns.count > 5 else { continue }
            if sounds.contains(columns[0]) {
                hashes.sounds.append(String(columns[5]))
            } else {
                hashes.pictures.append(String(columns[5]))
            }
        }
        return hashes
    }
}
