package import ChildProcess
import Foundation
package import SystemPackage

/// Joined files made into one fast-start MP4 without re-encoding, by ffmpeg.
///
/// ffmpeg reads and writes local files only, and no others than those named here.
package struct RemuxJob: Sendable, Equatable {
    /// The joined file, with or without sound of its own.
    package var video: RemuxInput
    /// Separate sound. If there is any, that of ``video`` is left out.
    package var audio: [RemuxInput]
    /// An absolute path. A file that is there is overwritten.
    package var output: FilePath

    /// Nil for an output that isn't an absolute path.
    package init?(video: RemuxInput, audio: [RemuxInput] = [], output: FilePath) {
        guard output.isAbsolute else { return nil }
        self.video = video
        self.audio = audio
        self.output = output
    }

    /// What ffmpeg is told.
    ///
    /// Subtitles, timed metadata and other data are left out. AAC in ADTS frames needs no filter to be named: the muxer of MP4
    /// inserts `aac_adtstoasc` by itself, and naming it would refuse any other sound. ffmpeg lets each file begin at 0,
    /// whatever the times in it; ``RemuxInput/delay`` sets one off against the other.
    package var arguments: [String] {
        var arguments = ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"]
        for input in [video] + audio {
            // Before each input: an option is for the next file only.
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

    /// How long it may take for so many bytes of input: a minute, and a second for each 5 MB.
    package static func limit(bytes: Int64) -> Duration { .seconds(60 + max(0, bytes) / 5_000_000) }

    /// Runs ffmpeg and returns when the output is whole, though not yet flushed to the disk. After an error there is no
    /// output. Returns what ffmpeg complained of all the same, its last line; nil if it was content.
    ///
    /// It runs at low priority, in a process group of its own that is ended when the task is cancelled.
    /// - Parameters:
    ///   - limit: how long it may take; nil for what is sensible for the size of the inputs.
    ///   - watch: who is told of the process group.
    @discardableResult
    package func run(
        with ffmpeg: FFmpeg, limit: Duration? = nil, watch: GroupWatch = .none
    ) async throws(RemuxError) -> String? {
        let limit = limit ?? Self.limit(bytes: inputLength)
        var process = BoundedProcess(executable: ffmpeg.executable, arguments: arguments, limit: limit)
        process.isModest = true
        let outcome = await process.run(watch: watch)
        let names = ([output] + ([video] + audio).flatMap { [$0.path, $0.list] }.compactMap(\.self)).map(\.string)
        let lastLine = ProcessText.lastLine(of: outcome.errorTail, names: names)
        if let error = error(outcome, lastLine: lastLine, limit: limit) {
            // Never a folder, as FileManager would.
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

    /// A path as no option and no other protocol can begin.
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
