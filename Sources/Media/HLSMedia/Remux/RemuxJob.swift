package import ChildProcess
import Foundation
package import SystemPackage

/// Turns joined files into one fast-start MP4 without re-encoding, with ffmpeg.
///
/// ffmpeg reads and writes local files only, and only those named here.
package struct RemuxJob: Sendable, Equatable {
    /// The joined file, with or without its own sound.
    package var video: RemuxInput
    /// Separate sound. If there is any, the sound of ``video`` is dropped, or follows it.
    package var audio: [RemuxInput]
    /// Whether the sound of ``video`` follows the separate one.
    package var keepsOwnSound = false
    /// They become text in the MP4.
    package var subtitles: [RemuxInput] = []
    /// An absolute path. An existing file is overwritten.
    package var output: FilePath
    /// Nil if ffmpeg has to move its output behind the index when that is complete.
    package var indexRoom: IndexRoom?

    /// Nil for an output that isn't an absolute path.
    package init?(video: RemuxInput, audio: [RemuxInput] = [], output: FilePath) {
        guard output.isAbsolute else { return nil }
        self.video = video
        self.audio = audio
        self.output = output
    }

    /// ffmpeg's arguments.
    ///
    /// Subtitles within the inputs, timed metadata and other data are dropped. AAC in ADTS frames needs no explicit
    /// filter: the MP4 muxer inserts `aac_adtstoasc` by itself, and naming it would refuse any other sound. ffmpeg lets
    /// each file begin at 0, whatever its times; ``RemuxInput/delay`` sets their offsets.
    package var arguments: [String] {
        // Before each input: an option applies to the next file only.
        ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"] + inputs.flatMap(\.arguments) + maps + metadata
            + (subtitles.isEmpty ? ["-sn"] : []) + ["-dn", "-c", "copy"]
            + (subtitles.isEmpty ? [] : ["-c:s", "mov_text"])
            + (indexRoom.map { ["-moov_size", "\($0.bytes)"] } ?? ["-movflags", "+faststart"])
            + ["-f", "mp4", Self.name(output)]
    }

    private var inputs: [RemuxInput] { [video] + audio + subtitles }

    private var maps: [String] {
        guard !audio.isEmpty || !subtitles.isEmpty else { return ["-map", "0:v?", "-map", "0:a?"] }
        let own = audio.isEmpty || keepsOwnSound ? ["-map", "0:a?"] : []
        let sound = audio.indices.flatMap { ["-map", "\($0 + 1):a:0"] }
        let text = subtitles.indices.flatMap { ["-map", "\($0 + 1 + audio.count):s:0"] }
        return ["-map", "0:v?"] + sound + own + text
    }

    private var metadata: [String] {
        let sound = (audio.isEmpty ? [video] : audio).enumerated().flatMap { $1.metadata("a:\($0)") }
        // One of several plays unless another one is chosen.
        let disposition = audio.count > 1 ? audio.indices.dropFirst().flatMap { ["-disposition:a:\($0)", "0"] } : []
        return sound + disposition + subtitles.enumerated().flatMap { $1.metadata("s:\($0)") }
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
        let names = ([output] + inputs.flatMap { [$0.path, $0.list] }.compactMap(\.self)).map(\.string)
        let lastLine = ProcessErrorOutput.lastLine(of: outcome.errorTail, names: names)
        if let error = error(outcome, lastLine: lastLine, limit: limit) {
            // Never a folder, unlike FileManager.
            _ = unlink(output.string)
            throw error
        }
        return lastLine.isEmpty ? nil : lastLine
    }

    private func error(_ outcome: BoundedProcess.Outcome, lastLine: String, limit: Duration) -> RemuxError? {
        let tail = String(decoding: outcome.errorTail, as: UTF8.self)
        return switch outcome.ending {
        case .exited(0) where Self.length(output) > 0 && !Self.tellsOfLostBytes(tail): nil
        case .cancelled: .cancelled
        case .timedOut: .timedOut(limit)
        case .notFound: .notFound
        case _ where Self.tellsOfNoRoom(tail): .noSpace
        case .exited(let code): .failed(exit: code, lastLine: lastLine)
        case .signaled(let signal): .failed(exit: 128 + signal, lastLine: lastLine)
        case .notStarted: .failed(exit: 126, lastLine: "it couldn't be started")
        }
    }

    /// Whether ffmpeg complains that the end of its output couldn't be written, such as the index. Version 5 exits with
    /// 0 then.
    static func tellsOfLostBytes(_ complaint: String) -> Bool {
        complaint.contains("Error writing trailer") || complaint.contains("Error closing file")
    }

    /// Whether a complaint of ffmpeg is about a full disk, which needn't make it fail.
    package static func tellsOfNoRoom(_ complaint: String) -> Bool { complaint.contains("No space left on device") }

    /// A path in a form that can't be an option or another protocol.
    private static func name(_ path: FilePath) -> String { "file:" + path.string }

    private var inputLength: Int64 {
        inputs.reduce(0) { $0.addingReportingOverflow(Self.length($1.path)).partialValue }
    }

    /// In bytes; 0 if there is no such file.
    private static func length(_ path: FilePath) -> Int64 {
        let facts = try? FileManager.default.attributesOfItem(atPath: path.string)
        return (facts?[.size] as? NSNumber)?.int64Value ?? 0
    }
}
