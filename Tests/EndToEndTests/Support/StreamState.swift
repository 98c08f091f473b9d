import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// The state's record of a stream in progress.
struct StreamState: Decodable, Equatable {
    struct Track: Decodable, Equatable {
        /// The first segment that is missing, from 0 on.
        var next: Int
        var bytes: Int
    }

    var plan: String
    var tracks: [Track]
    var seconds: Double
}

extension StateCopy {
    /// The streams that are on their way, by the ids of their videos.
    func streams() throws -> [String: StreamState] {
        var streams: [String: StreamState] = [:]
        for row in try rows("SELECT video, stream FROM downloads WHERE stream IS NOT NULL") {
            guard let video = row["video"], let text = row["stream"] else { continue }
            streams[video] = try JSONDecoder().decode(StreamState.self, from: Data(text.utf8))
        }
        return streams
    }
}

extension Stage {
    /// Waits until a stream's first track is durable up to a segment.
    func waitForStream(_ video: String, next: Int) async throws {
        var last: StreamState?
        for _ in 0..<600 {
            // Caught in the middle of a commit, the copy can't be read.
            last = (try? stateCopy().streams()[video]) ?? last
            if let reached = last?.tracks.first?.next, reached >= next { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw TestFailure("the stream of \(video) doesn't come to segment \(next): \(String(describing: last))")
    }

    /// Installs a plugin that answers with what ``answer(_:of:in:)`` says of a video.
    func answeringPlugin(_ name: String = "answering") throws {
        try plugin(
            name,
            script: #"""
                #!/bin/sh
                exec 2>>errors
                while read -r line; do
                  printf '%s' "$line" | jq -r '.params.previous.reason // "first"' >> reasons
                  printf '%s' "$line" | jq -c '.params.video.id as $id | {id, result: $all[0][$id]}' --slurpfile all answers
                done
                """#)
    }

    /// What the plugin answers from now on, as JSON, by the ids of videos.
    func answers(_ answers: [String: String], of name: String = "answering") throws {
        let text = answers.map { "\(CatalogText.quoted($0)): \($1)" }.joined(separator: ", ")
        try folder.write("{\(text)}", to: "plugins/\(name)/answers")
    }

    /// Why the answering or signing plugin was asked, each time.
    func reasons(of name: String = "answering") -> [String] {
        (folder.read("plugins/\(name)/reasons") ?? "").split(separator: "\n").map(String.init)
    }

    /// The path of a finished video.
    func path(of video: String, in outcome: Outcome) throws -> String {
        let event = try #require(outcome.events("download_finished", of: video).first, "\(video): \(outcome.report)")
        return library.appending(try #require(event.path)).string
    }
}

extension CatalogText {
    /// A video of the built-in plugin that is a stream.
    static func stream(_ id: String, _ url: String, extra: [String] = []) -> Video {
        Video(id: id, extra: ["parameters: {kind: hls, url: \(quoted(url))}"] + extra)
    }
}
