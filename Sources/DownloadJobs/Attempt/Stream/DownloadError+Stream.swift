import DownloadStore
import Foundation
import HLSMedia
import MediaTransfer

extension DownloadError {
    /// A stream's fact in the words of the events.
    init(_ failure: StreamFailure) {
        switch failure {
        case .transfer(let failure, let part):
            self.init(failure)
            if case .cancelled = failure { return }
            message = "\(part.name): \(message)"
        case .expired: self.init(kind: .urlRefused, message: "its URL is over before anything has arrived")
        case .cut(let part):
            self.init(kind: .truncated, message: "\(part.name) ends in the middle of a block of what is encrypted")
        case .encrypted(let part):
            self.init(
                kind: .drm,
                message: "\(part.name) is no media after decryption: its host encrypts in a way of its own")
        case .notMedia(.playlist):
            self.init(kind: .notMedia, message: "what came in the place of the playlist is no playlist")
        case .notMedia(.key): self.init(kind: .notMedia, message: "what came in the place of the key is no key")
        case .notMedia(let part): self.init(kind: .notMedia, message: "\(part.name) holds something else than media")
        case .mixedKinds(let one, let other, let part):
            self.init(
                kind: .notMedia,
                message: "\(part.name) is \(other.name), and those before it are \(one.name): they can't be joined")
        case .severalInitializations:
            self.init(
                kind: .needsFFmpeg,
                message: "the stream changes its initialization section on the way, which can't be joined")
        case .file(let error): self.init(kind: .disk, message: TransferFailure.file(errno: error.errno).sentence)
        }
    }

    /// Why a stream can't be begun.
    init(_ problem: StreamSource.Problem) {
        switch problem {
        case .failure(let failure): self.init(failure)
        case .playlist(let error):
            self.init(
                kind: .notMedia,
                message: "its playlist, line \(error.line), column \(error.column): \(error.message)")
        case .refusal(let refusal): self.init(refusal)
        }
    }

    /// Why a playlist isn't fetched.
    init(_ refusal: StreamRefusal) {
        switch refusal {
        case .notReady:
            self.init(kind: .notReady, message: "the stream is still growing: its playlist has no end yet")
        case .drm(let system): self.init(kind: .drm, message: "the stream is protected by \(system)")
        case .unsupported(let reason): self.init(kind: .notMedia, message: "the stream can't be joined: \(reason)")
        case .empty: self.init(kind: .notMedia, message: "the playlist has no segments")
        }
    }

    /// Whether the disk has no room.
    static func isFull(_ failure: StreamFailure) -> Bool {
        switch failure {
        case .file(let error): isFull(.file(errno: error.errno))
        case .transfer(let failure, _): isFull(failure)
        default: false
        }
    }
}

extension StreamFailure.Part {
    /// For people.
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
    /// For people.
    var name: String {
        switch self {
        case .transportStream: "MPEG-TS"
        case .fragmentedMP4: "MP4"
        case .adts: "AAC"
        case .mp3: "MP3"
        case .ac3: "AC-3"
        case .eac3: "E-AC-3"
        case .webVTT: "WebVTT"
        case .page: "a page"
        }
    }
}

extension StreamRefusal {
    /// What it means for the turn: a stream that still grows may be complete in a while.
    var outcome: JobOutcome {
        let error = DownloadError(self)
        return self == .notReady ? .notReady(error, retryAfter: nil) : .failed(error)
    }
}

extension AttemptPolicy.Failure {
    init(_ failure: StreamFailure) {
        let isSilent = if case .transfer(.network, _) = failure { true } else { false }
        self.init(
            verdict: failure.verdict, error: DownloadError(failure), isFull: DownloadError.isFull(failure),
            isSilent: isSilent)
    }
}

/// What goes wrong with joining a stream and with what ffmpeg makes of it. The sentences are stored with the row: see
/// ``DownloadError/message``.
extension DownloadError {
    /// What the partials hold can't be gone on with: the playlist is another one.
    static let otherPlaylist = begunAnew("the playlist is another one than the one begun with")
    static let joinedLost = begunAnew("what has been joined isn't there any more")
    static let joinedUnknown = begunAnew("nothing tells what has been joined")

    static func joinedUnflushed(_ error: FileError) -> DownloadError {
        begunAnew("what was joined didn't reach the disk: \(error)")
    }

    private static func begunAnew(_ message: String) -> DownloadError {
        DownloadError(kind: .identityChanged, message: message)
    }

    static let noMedia = DownloadError(kind: .notMedia, message: "the stream has no segment that holds media")

    static func indexUnreadable(_ error: FileError) -> DownloadError {
        DownloadError(kind: .disk, message: "its index can't be read: \(error)")
    }

    static func joinedSize(_ size: Int64, instead wanted: Int64) -> DownloadError {
        DownloadError(kind: .sizeMismatch, message: "the joined stream has \(size) bytes instead of \(wanted)")
    }

    static let noRoomToRemux = DownloadError(
        kind: .disk, message: "there is no room for what ffmpeg makes of the stream")

    static func severalParts(_ loss: RemuxLoss) -> DownloadError {
        let message = "the stream is of several parts, which only ffmpeg can make one file of, and \(loss.sentence)"
        return DownloadError(kind: .needsFFmpeg, message: message)
    }
}

/// Why ffmpeg can't make one file of a joined stream.
enum RemuxLoss: Sendable {
    case unknownKind
    case ended(RemuxError)
    case unreadable
    case short(seconds: Double, wanted: Double, isPicture: Bool)

    /// One sentence without its full stop.
    var sentence: String {
        switch self {
        case .unknownKind: "it is of a kind that ffmpeg isn't asked to read"
        case .ended(.notFound): "ffmpeg isn't there any more"
        case .ended(.failed(let exit, let line)): "ffmpeg ended with \(exit)\(line.isEmpty ? "" : ": \(line)")"
        case .ended(.timedOut(let limit)): "ffmpeg took longer than \(Int(limit.timeInterval)) s"
        case .ended(.cancelled): "ffmpeg was ended"
        case .ended(.noSpace): "there is no room for what ffmpeg writes"
        case .unreadable: "what ffmpeg made of it can't be read"
        case .short(let seconds, let wanted, let isPicture):
            """
            what ffmpeg made of it has \(Int(seconds)) s of \(isPicture ? "pictures" : "sound") instead of \
            \(Int(wanted)) s
            """
        }
    }
}
