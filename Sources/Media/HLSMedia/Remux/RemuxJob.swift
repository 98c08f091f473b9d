package import ChildProcess
import Foundation
package import SystemPackage

/// Turns joined files into one fast-start MP4 without re-encoding, with ffmpeg.
///
/// ffmpeg reads and writes local files only, and only those named here.
package struct RemuxJob: Sendable, Equatable {
    /// The joined file, with or without its own sound.
    package var video: RemuxInput
    /// Separate sound. If there is any, the sound of ``video`` is dropped.
    package var audio: [RemuxInput]
    /// An absolute path. An existing file is overwritten.
    package var output: FilePath

    /// Nil for an output that isn't an absolute path.
    package init?(video: RemuxInput, audio: [RemuxInput] = [], output: FilePath) {
        guard output.isAbsolute else { return nil }
        self.video = video
        self.audio = audio
        self.output = output
    }

    /// ffmpeg's arguments.
    ///
    /// Subtitles, timed metadata and other data are dropped. AAC in ADTS frames needs no explicit filter: the MP4 muxer
    /// inserts `aac_adtstoasc` by itself, and naming it would refuse any other sound. ffmpeg lets each file begin at 0,
    /// whatever its times; ``RemuxInput/delay`` sets their offsets.
    package var arguments: [String] {
        var arguments = ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"]
        for input in [video] + audio {
            // Before each input: an option applies to the next file only.
            arguments += input.arguments
        }
        if audio.isEmpty {
            arguments += ["-map", "0:v?", "-map", "0:a?"]
        } else {
            arguments += ["-map", "0:v?"] + (1...audio.count).flatMap { ["-map", "\($0):a:0"] }
        }
        for (index, input) in (audio.isEmpty ? [video] : audio).enumerated() {
            if let language = input.language { arguments += ["-metadata:s:a:\(index)", "language=\(language)"] }
        }
        return arguments + [
            "-sn", "-dn", "-c", "copy", "-movflags", "+faststart", "-f", "mp4", Self.name(output),
        ]
    }

    /// The time limit for so many bytes of input: a minute, and a second for each 5 MB.
    package static func limit(bytes: Int64) -> Duration { .seconds(60 + max(0, bytes) / 5_000_000) }

    /// Runs ffmpeg and returns when the output is complete, though not yet flushed to disk. After an error there is no
    /// output. Returns the last complaint of a successful run; nil if there was none.
    ///
    /// It runs at low priority, in its own process group, which is ended when the task is cancelled.
    /// - Parameters:
    ///   - limit: its time limit; nil for the default for the size of the inputs.
    ///   - watch: gets the process group.
    ///   - feed: gives ffmpeg the input that ``RemuxInput/isFed``.
    @discardableResult
    package func run(
        with ffmpeg: FFmpeg, limit: Duration? = nil, watch: GroupWatch = .none,
        feed: (@Sendable (_ write: @Sendable ([UInt8]) async -> Bool) async -> Void)? = nil
    ) async throws(RemuxError) -> String? {
        let limit = limit ?? Self.limit(bytes: inputLength)
        var process = BoundedProcess(executable: ffmpeg.executable, arguments: arguments, limit: limit)
        process.isModest = true
        process.feed = feed
        let outcome = await process.run(watch: watch)
        let names = ([output] + ([video] + audio).flatMap { [$0.path, $0.list] }.compactMap(\.self)).map(\.string)
        let lastLine = ProcessErrorOutput.lastLine(of: outcome.errorTail, names: names)
        if let error = error(outcome, lastLine: lastLine, limit: limit) {
            // Never a folder, unlike FileManager.
            _ = unlink(output.string)
            throw error
        }
        return lastLine.isEmpty ? nil : lastLine
    }

    private func error(_ outcome: BoundedProcess.Outcome, lastLine: String, limit: Duration) -> RemuxError? {
        switch outcome.ending {
        case .exited(0): Self.length(output) > 0 ? nil : .failed(exit: 0, lastLine: lastLine)
        case .cancelled: .cancelled
        case .timedOut: .timedOut(limit)
        case .notFound: .notFound
        case _ where String(decoding: outcome.errorTail, as: UTF8.self).contains("No space left on device"): .noSpace
        case .exited(let code): .failed(exit: code, lastLine: lastLine)
        case .signaled(let signal): .failed(exit: 128 + signal, lastLine: lastLine)
        case .notStarted: .failed(exit: 126, lastLine: "it couldn't be started")
        }
    }

    /// A path in a form that can't be an option or another protocol.
    private static func name(_ path: FilePath) -> String { "file:" + path.string }

    private var inputLength: Int64 {
        ([video] + audio).reduce(0) { $0.addingReportingOverflow(Self.length($1.path)).partialValue }
    }

    /// In bytes; 0 if there is no such file.
    private static func length(_ path: FilePath) -> Int64 {
        let facts = try? FileManager.default.attributesOfItem(atPath: path.string)
        return (facts?[.size] as? NSNumber)?.int64Value ?? 0
    }
}
