import DownloadStore
import Foundation
import HLSMedia
import MediaTransfer

extension DownloadError {
    /// A stream's failure in the form of events; `url` is where it happened.
    init(_ failure: StreamFailure, at url: String? = nil) {
        switch failure {
        case .transfer(let failure, let part):
            self.init(failure, at: url, insteadOf: part.wanted)
            if case .cancelled = failure { return }
            message = "\(part.name): \(message)"
        case .expired: self.init(kind: .urlRefused, message: "its URL expired before a segment arrived")
        case .cut(let part):
            self.init(kind: .truncated, message: "\(part.name) ends in the middle of an encrypted block")
        case .encrypted(let part):
            self.init(
                kind: .drm,
                message: "\(part.name) isn't media after decryption: the host uses its own encryption")
        case .notMedia(.playlist):
            self.init(kind: .notMedia, message: "the server sent something else instead of a playlist")
        case .notMedia(.key): self.init(kind: .notMedia, message: "the server sent something else instead of a key")
        case .notMedia(let part): self.init(kind: .notMedia, message: "\(part.name) isn't media")
        case .mixedKinds(let one, let other, let part):
            self.init(
                kind: .notMedia,
                message:
                    "\(part.name) is \(other.name), but the segments before it are \(one.name): they can't be joined")
        case .severalInitializations:
            self.init(
                kind: .needsFFmpeg,
                message: "the initialization section changes within the stream: only ffmpeg can join it")
        case .file(let error): self.init(kind: .disk, message: TransferFailure.file(errno: error.errno).sentence)
        }
    }

    /// The reason why a stream can't be begun.
    init(_ problem: StreamSource.Problem) {
        switch problem {
        case .failure(let failure): self.init(failure)
        case .playlist(let error):
            self.init(
                kind: .notMedia,
                message: "playlist, line \(error.line), column \(error.column): \(error.message)")
        case .presentation(let error): self.init(error)
        case .refusal(let refusal): self.init(refusal)
        }
    }

    /// The reason why a presentation isn't downloaded.
    init(_ error: PresentationError) {
        self.init(kind: .notMedia, message: error.sentence)
    }

    /// The reason why a playlist isn't downloaded.
    init(_ refusal: StreamRefusal) {
        switch refusal {
        case .notReady:
            self.init(kind: .notReady, message: "the stream is still live: its playlist has no end yet")
        case .drm(let system): self.init(kind: .drm, message: "the stream is protected by \(system)")
        case .unsupported(let reason): self.init(kind: .notMedia, message: "the stream can't be joined: \(reason)")
        case .empty: self.init(kind: .notMedia, message: "the playlist has no segments")
        }
    }

    /// Whether the disk is full.
    static func isFull(_ failure: StreamFailure) -> Bool {
        switch failure {
        case .file(let error): isFull(.file(errno: error.errno))
        case .transfer(let failure, _): isFull(failure)
        default: false
        }
    }
}

extension StreamFailure.Part {
    /// What was requested.
    fileprivate var wanted: StaticString {
        switch self {
        case .playlist: "a playlist"
        case .key: "a key"
        case .initialization, .segment: "media"
        }
    }

    /// For messages.
    var name: String {
        switch self {
        case .playlist: "the playlist"
        case .key: "the key"
        case .initialization: "the initialization section"
        case .segment(let index): "segment \(index + 1)"
        }
    }
}

extension MediaKind {
    /// For messages.
    var name: String {
        switch self {
        case .transportStream: "MPEG-TS"
        case .fragmentedMP4: "MP4"
        case .adts: "AAC"
        case .mp3: "MP3"
        case .ac3: "AC-3"
        case .eac3: "E-AC-3"
        case .webM: "WebM"
        case .webVTT: "WebVTT"
        case .page: "a web page"
        }
    }
}

extension StreamRefusal {
    /// The end of the turn: a stream that still grows may be complete later.
    var outcome: JobOutcome {
        let error = DownloadError(self)
        return self == .notReady ? .notReady(error, retryAfter: nil) : .failed(error)
    }
}

extension AttemptPolicy.Failure {
    init(_ failure: StreamFailure, at url: String? = nil) {
        let isSilent = if case .transfer(.network, _) = failure { true } else { false }
        self.init(
            verdict: failure.verdict, error: DownloadError(failure, at: url), isFull: DownloadError.isFull(failure),
            isSilent: isSilent)
    }
}

/// Errors of joining a stream and of ffmpeg. The sentences are stored with the row: see ``DownloadError/message``.
extension DownloadError {
    /// The partials can't be continued: the playlist has changed.
    static let otherPlaylist = begunAnew("the playlist has changed since the download began")
    static let recordingReplaced = begunAnew("the host has the whole stream now, of which a part was recorded")
    static let joinedLost = begunAnew("the joined segments are gone")
    static let joinedUnknown = begunAnew("the state doesn't say which segments were joined")

    static func joinedUnflushed(_ error: FileError) -> DownloadError {
        begunAnew("the joined segments can't be flushed to the disk: \(error)")
    }

    private static func begunAnew(_ message: String) -> DownloadError {
        DownloadError(kind: .identityChanged, message: message)
    }

    static let noMedia = DownloadError(kind: .notMedia, message: "no segment of the stream is media")

    static func indexUnreadable(_ error: FileError) -> DownloadError {
        DownloadError(kind: .disk, message: "the index of its segments can't be read: \(error)")
    }

    static func joinedSize(_ size: Int64, instead wanted: Int64) -> DownloadError {
        DownloadError(kind: .sizeMismatch, message: "the joined stream has \(size) bytes instead of \(wanted)")
    }

    static let noSpaceToRemux = DownloadError(
        kind: .disk, message: "there isn't enough room for the output of ffmpeg")

    static func severalParts(_ loss: RemuxLoss) -> DownloadError {
        let message = "the stream has several parts, which only ffmpeg can join, and \(loss.sentence)"
        return DownloadError(kind: .needsFFmpeg, message: message)
    }
}

/// The reason why ffmpeg can't make one file of a joined stream.
enum RemuxLoss: Sendable {
    case unknownKind
    /// A file isn't what was downloaded.
    case changed
    case ended(RemuxError)
    case unreadable
    case short(seconds: Double, wanted: Double, isPicture: Bool)

    /// Whether another attempt would end in the same way.
    var isFinal: Bool {
        switch self {
        case .unknownKind, .changed: true
        case .ended, .unreadable, .short: false
        }
    }

    /// One sentence without its full stop.
    var sentence: String {
        switch self {
        case .changed: "a file's content has changed since it was downloaded"
        case .unknownKind: "coursefetch doesn't convert this kind of media"
        case .ended(.notFound): "ffmpeg is gone"
        case .ended(.failed(let exit, let line)):
            "ffmpeg ended with exit code \(exit)\(line.isEmpty ? "" : ": \(line)")"
        case .ended(.timedOut(let limit)): "ffmpeg took longer than \(Int(limit.timeInterval)) s"
        case .ended(.cancelled): "ffmpeg was stopped"
        case .ended(.noSpace): "there isn't enough room for the output of ffmpeg"
        case .unreadable: "the output of ffmpeg can't be read"
        case .short(let seconds, let wanted, let isPicture):
            """
            the output of ffmpeg has \(Int(seconds)) s of \(isPicture ? "video" : "sound") instead of \(Int(wanted)) s
            """
        }
    }
}
