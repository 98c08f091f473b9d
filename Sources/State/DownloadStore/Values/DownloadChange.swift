package import Foundation

/// One change of one download. ``DownloadStore/write(_:)`` carries out any number of them in one transaction.
package enum DownloadChange: Sendable {
    /// Its turn begins.
    case begin(DownloadID)
    /// These bytes of its partial are durable, with these validators. Never touches the state.
    case progress(DownloadID, ProgressFacts)
    /// Its bytes are of this kind, which its partials have from now on; written before the first byte. Never touches
    /// the state.
    case kind(DownloadID, DownloadKind)
    /// Its provider calls it so; for a catalog that has only its id. Never touches the state.
    case titled(DownloadID, String)
    /// The partial is invalid. To be committed before the partial is truncated. Never touches the state.
    /// `givesUpRanges`: because its host answers no range correctly; kept until the user gives the command `retry`.
    case startOver(DownloadID, validatorFailures: Int, startOvers: Int, givesUpRanges: Bool = false)
    /// The file is complete and durable and about to be renamed to its path.
    case placing(DownloadID, StoredFile)
    /// The rename didn't happen and won't; the old file, if any, is restored in the row.
    case unplace(DownloadID)
    /// The file is in place, and its folder durable.
    case finish(DownloadID)
    /// A finished file is in place without a transfer: linked, copied or adopted.
    case adopt(DownloadID, StoredFile)
    /// Waits again: backing off, not ready, or its slot was taken. `error` nil clears the stored one.
    case putBack(DownloadID, retryAt: Date?, error: DownloadError?)
    /// Stopped from outside.
    case suspend(DownloadID, SuspendReason)
    /// A download suspended or failed in this run waits again; that failure doesn't count.
    case revive(DownloadID)
    /// Nothing more in this run; `retryAt` nil is permanent.
    case fail(DownloadID, DownloadError, retryAt: Date?)
    /// The file is missing from the library.
    case lose(DownloadID)
    /// The finished file isn't the wanted one, and stays until its successor is complete. With `keepsFile` it is: only
    /// something of the video is missing beside it.
    case refetch(DownloadID, keepsFile: Bool = false)
    /// A finished file was checked again, with these facts. Never touches the state.
    case recorded(DownloadID, StoredFile)
    /// A command of the user: pause, resume, cancel, retry or remove. Removing keeps the file's record until
    /// ``fileRemoved``.
    case steer(DownloadID, StateTransition)
    /// The files of a removed download are deleted.
    case fileRemoved(DownloadID)
    /// The user's priority; nil is the catalog's.
    case prioritize(DownloadID, Int?)
    /// The cover, subtitles and attachments of the catalog are in the library.
    case extrasStored(DownloadID, ExtrasDigest?)
    /// A part of a video that is about to be renamed to its place, like ``placing(_:_:)`` for the video itself. Deleted
    /// when the video is finished or put back.
    case placingPart(PartRecord)
    case sidecar(SidecarChange)
    /// The cover of a course, or of one of its chapters, has to be downloaded by the next sync; nil if there is no
    /// file, else the one to replace.
    case coverLost(course: String, chapter: String?, StoredFile?)
    /// A course's cover was stored, with this digest in the catalog.
    case courseCover(String, CoverDigest, StoredFile)
    case chapterCover(course: String, chapter: String, CoverDigest, StoredFile)
    /// What the run leaves alone now; for those who look at it.
    case waits([RunWait])
}

extension DownloadChange {
    /// Whether it changes the state of this download.
    package func isTransition(of download: DownloadID) -> Bool {
        switch self {
        case .begin(let id), .finish(let id), .adopt(let id, _), .putBack(let id, _, _), .suspend(let id, _),
            .revive(let id),
            .fail(let id, _, _), .lose(let id), .refetch(let id, _), .steer(let id, _):
            id == download
        default: false
        }
    }
}

/// The durable progress of a partial.
package struct ProgressFacts: Sendable, Equatable {
    package var bytes: Int64
    /// The total; nil if the server did not give it.
    package var total: Int64?
    /// The proof of these bytes.
    package var validators: Validators
    /// Over the last seconds; nil without progress.
    package var bytesPerSecond: Int64?
    /// The position of these bytes, in the form of the download's kind; nil if their number is enough.
    package var position: String?
    /// The total playing time; nil if unknown.
    package var seconds: Double?
    /// The media type that the server gave them; nil if it gave none.
    package var mediaType: String?

    package init(
        bytes: Int64, total: Int64?, validators: Validators, bytesPerSecond: Int64? = nil, position: String? = nil,
        seconds: Double? = nil, mediaType: String? = nil
    ) {
        self.mediaType = mediaType
        self.bytes = bytes
        self.total = total
        self.validators = validators
        self.bytesPerSecond = bytesPerSecond
        self.position = position
        self.seconds = seconds
    }
}

/// One change of a sidecar. None touches the state of the video itself.
package enum SidecarChange: Sendable, Equatable {
    /// Its provider has answered, and names these: they are wanted, unless they are stored or failed; other missing
    /// ones aren't wanted any more.
    case named(DownloadID, [SidecarName])
    /// It has its file, but its provider hasn't been asked for sidecars.
    case unasked(DownloadID)
    case stored(SidecarRecord)
    /// It can't be requested any more in this run.
    case waits(DownloadID, SidecarName, retryAt: Date?, DownloadError)
    /// It is tried again at once, whatever its last run said.
    case wanted(DownloadID, SidecarName)
    /// Nothing more in this run; `retryAt` nil is permanent.
    case failed(DownloadID, SidecarName, DownloadError, retryAt: Date?)
    /// Its provider doesn't answer; like ``failed(_:_:_:retryAt:)`` for all missing ones.
    case unanswered(DownloadID, DownloadError, retryAt: Date?)
    /// The user wants another try of all failed sidecars of a video.
    case retried(DownloadID)
    /// It comes from another source than its provider.
    case forgotten(DownloadID, SidecarName)
    /// Its file is missing. One that was part of the video is only deleted from the state.
    case lost(SidecarRecord)
    /// The file isn't the stored sidecar: it is recorded as it is, and replaced by the next sync.
    case replaced(SidecarRecord)

    /// The download that it is about.
    package var download: DownloadID {
        switch self {
        case .named(let id, _), .unasked(let id), .waits(let id, _, _, _), .failed(let id, _, _, _),
            .unanswered(let id, _, _), .retried(let id), .forgotten(let id, _), .wanted(let id, _):
            id
        case .stored(let sidecar), .lost(let sidecar), .replaced(let sidecar): sidecar.download
        }
    }
}
