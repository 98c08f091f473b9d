import Foundation
import Subprocess

/// The facts of a file from ffprobe.
package struct MediaFacts: Sendable, Decodable {
    /// A picture, a sound or a text in it.
    package struct Stream: Sendable, Decodable {
        package var codec_type: String
        package var codec_name: String?
        package var width: Int?
        package var start_time: String?
        package var duration: String?
        package var tags: [String: String]?

        /// When it begins, in seconds.
        package var start: Double { start_time.flatMap(Double.init) ?? 0 }
    }

    /// The file itself.
    package struct Format: Sendable, Decodable {
        package var format_name: String
        package var duration: String?

        /// How long it plays, in seconds.
        package var seconds: Double { duration.flatMap(Double.init) ?? 0 }
    }

    package var streams: [Stream]
    package var format: Format

    /// Asks ffprobe; throws if that finds anything wrong.
    package static func of(_ file: String) async throws -> MediaFacts {
        let result = try await run(
            .name("ffprobe"),
            arguments: ["-v", "error", "-show_streams", "-show_format", "-of", "json", file],
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 16))
        let complaint = result.standardError
        guard result.terminationStatus.isSuccess, complaint.isEmpty else {
            throw TestServerError("ffprobe says of \(file): \(complaint)")
        }
        return try JSONDecoder().decode(MediaFacts.self, from: Data(result.standardOutput.utf8))
    }

    /// The streams of a kind: `video`, `audio`.
    package func streams(_ type: String) -> [Stream] { streams.filter { $0.codec_type == type } }
}
