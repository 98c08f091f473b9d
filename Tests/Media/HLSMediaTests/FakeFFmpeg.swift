import Foundation
import HLSMedia
import SystemPackage
import TestSupport

/// A shell script in ffmpeg's place, in a folder of its own that it knows as `$home`.
struct FakeFFmpeg {
    let folder = TemporaryFolder()

    init(_ script: String) throws {
        try folder.write("#!/bin/sh\nhome='\(folder.path)'\n\(script)\n", to: "ffmpeg")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.at("ffmpeg").string)
        try folder.write("what it reads", to: "in.ts")
    }

    var program: FFmpeg { FFmpeg(executable: folder.at("ffmpeg")) }

    /// A job on files in its folder.
    var job: RemuxJob? {
        RemuxInput(path: folder.at("in.ts"), kind: .transportStream).flatMap {
            RemuxJob(video: $0, output: folder.at("out.mp4"))
        }
    }

    /// Waits until a file is there with a line in it, 20 seconds at most, and reads it as a number.
    func number(_ name: String) async throws -> Int32? {
        for _ in 0..<2000 {
            if let text = folder.read(name), text.hasSuffix("\n") { return Int32(text.dropLast()) }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    /// Whether a process is gone, or is by 20 seconds from now; one that nobody has fetched yet is.
    static func isGone(_ process: Int32) async throws -> Bool {
        for _ in 0..<2000 {
            let facts = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            guard let facts, !facts.contains(") Z ") else { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
