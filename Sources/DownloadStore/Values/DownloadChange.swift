package import Foundation

/// One change of one download. ``DownloadStore/write(_:)`` carries out any number of them in one transaction.
package enum DownloadChange: Sendable {
    /// Its turn has come.
    case begin(DownloadID)
    /// So much of its partial is durable, under these validators. Never touches the state.
    case progress(DownloadID, ProgressFacts)
    /// Its bytes come as this kind, which its partials are of from now on; before the first of them. Never touches the state.
    case kind(DownloadID, DownloadKind)
    /// The partial is worth nothing any more. To be committed before the partial is truncated. Never touches the state.
    /// `givesUpRanges`: since its host answers none as it should; remembered until the person says `retry`.
    case startOver(DownloadID, validatorFailures: Int, startOvers: Int, givesUpRanges: Bool = false)
    /// The file is complete and durable and about to be renamed to its path.
    case placing(DownloadID, StoredFile)
    /// The rename didn't happen and won't; the old file, if any, is what the row has again.
    case unplace(DownloadID)
    /// The file is at its place, and its folder durable.
    case finish(DownloadID)
    /// A finished file is at its place without a transfer: linked, copied or adopted.
    case adopt(DownloadID, StoredFile)
    /// Waits again: backing off, not ready, or somebody else's turn. `error` nil clears what stood there.
    case putBack(DownloadID, retryAt: Date?, error: DownloadError?)
    /// Stopped from outside.
    case suspend(DownloadID, SuspendReason)
    /// What this run has suspended or failed waits again after all; that failure counts for nothing.
    case revive(DownloadID)
    /// Nothing more in this run; `retryAt` nil is for good.
    case fail(DownloadID, DownloadError, retryAt: Date?)
    /// The file is missing from the library.
    case lose(DownloadID)
    /// The finished file isn't what is wanted; it stays until its successor is complete.
    case refetch(DownloadID)
    /// A finished file was looked at again, and this is what it is. Never touches the state.
    case recorded(DownloadID, StoredFile)
    /// What the person says: pause, resume, cancel, retry or remove. Removing keeps the file's record until ``fileRemoved``.
    case steer(DownloadID, StateTransition)
    /// The files of a removed download are deleted.
    case fileRemoved(DownloadID)
    /// The person's priority; nil is the catalog's.
    case prioritize(DownloadID, Int?)
    /// The cover, subtitles and attachments of the catalog are in the library.
    case extrasStored(DownloadID, ExtrasDigest?)
    /// A part of a video that is about to be renamed to its place, as ``placing(_:_:)`` is of the video itself. Forgotten
    /// when the video is finished or put back.
    case placingPart(PartRecord)
    /// Something beside a video.
    case sidecar(SidecarChange)
    /// The cover of a course, or of a chapter of it, is to be fetched by the next sync; nil if no file is there, else
    /// the one that is to be replaced.
    case coverLost(course: String, chapter: String?, StoredFile?)
    /// A course's cover that has this digest in the catalog.
    case courseCover(String, CoverDigest, StoredFile)
    /// A chapter's cover.
    case chapterCover(course: String, chapter: String, CoverDigest, StoredFile)
}

extension DownloadChange {
    /// Whether it changes the state of this download.
    package func isTransition(of download: DownloadID) -> Bool {
        switch self {
        case .begin(let id), .finish(let id), .adopt(let id, _), .putBack(let id, _, _), .suspend(let id, _),
            .revive(let id),
            .fail(let id, _, _), .lose(let id), .refetch(let id), .steer(let id, _):
            id == download
        default: false
        }
    }
}

/// What is durable of a partial.
package struct ProgressFacts: Sendable, Equatable {
    /// Bytes that are there.
    package var bytes: Int64
    /// The whole size; nil if the server did not say.
    package var total: Int64?
    /// What these bytes are proven by.
    package var validators: Validators
    /// Over the last seconds; nil while nothing moves.
    package var bytesPerSecond: Int64?
    /// Which bytes these are, in the words of the download's kind; nil where their number says it.
    package var position: String?
    /// How long all of it plays; nil where that isn't known.
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

/// One change of what belongs beside a video. None touches the state of the video itself.
package enum SidecarChange: Sendable, Equatable {
    /// Its provider has answered, and names these: they are wanted, unless they are there or failed; others that aren't
    /// there are wanted no more.
    case named(DownloadID, [SidecarName])
    /// It has its file without anybody having been asked what comes along.
    case unasked(DownloadID)
    /// It is there.
    case stored(SidecarRecord)
    /// Nobody can be asked for it in this run any more.
    case waits(DownloadID, SidecarName, retryAt: Date?, DownloadError)
    /// Nothing more in this run; `retryAt` nil is for good.
    case failed(DownloadID, SidecarName, DownloadError, retryAt: Date?)
    /// Its provider doesn't say where anything of it is; as ``failed(_:_:_:retryAt:)`` for all that isn't there.
    case unanswered(DownloadID, DownloadError, retryAt: Date?)
    /// The person wants another try of all that failed beside a video.
    case retried(DownloadID)
    /// Somebody else than its provider says where it is.
    case forgotten(DownloadID, SidecarName)
    /// Its file is missing. One that was part of the video is only forgotten.
    case lost(SidecarRecord)
    /// What is there isn't what came along: it is recorded as it is, and replaced by the next sync.
    case replaced(SidecarRecord)

    /// The download that it is about.
    package var download: DownloadID {
        switch self {
        case .named(let id, _), .unasked(let id), .waits(let id, _, _, _), .failed(let id, _, _, _),
            .unanswered(let id, _, _), .retried(let id), .forgotten(let id, _):
            id
        case .stored(let sidecar), .lost(let sidecar), .replaced(let sidecar): sidecar.download
        }
    }
}
