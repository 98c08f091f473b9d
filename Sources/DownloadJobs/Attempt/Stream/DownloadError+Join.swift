import DownloadStore
import Foundation
import HLSMedia
import MediaTransfer

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
