package import DownloadStore
package import Hooks
package import MediaLibrary
package import YAMLSource

/// Something that deserves a look and stops nothing. Facts only: `CommandOutput` makes the sentences.
package enum SyncWarning: Sendable, Equatable {
    // Catalogs, and what the state knows of them.
    /// What a catalog's reader found doubtful.
    case doubtful(Diagnostic)
    /// The course there is to be filled by its provider, which this version can't do.
    case notDiscovered(course: String, at: SourceLocation)
    /// Its former file is gone.
    case courseMoved(String, to: String)
    /// The row said nothing that is a state, so that the download begins anew.
    case damagedState(VideoReference)

    // The run.
    /// It goes on after a login.
    case loggedOut
    case listNotKept(Refusal)
    case loginWanted(provider: String, DownloadError)
    /// By so many seconds; less than 0 is behind.
    case clockOff(host: String, seconds: Int)
    case prune(Pruning)

    // What belongs beside a video.
    /// `isFailure`: what a provider has named is wanted until it is there, and the run ends with 1. `isNew`: no run has told
    /// of it before. `at` is host and path of its address.
    case sidecarMissed(Sidecar, DownloadError, isFailure: Bool = false, isNew: Bool = true, at: String? = nil)
    /// Its provider couldn't be asked what there is.
    case sidecarsUnknown(DownloadError)
    case notPlaced(path: String, Placing)

    case stream(Stream)

    // What is written beside videos.
    /// Somebody else's files stand where ours belong, or ours were changed.
    case metadataForeign(Foreign)
    case metadataFailed(LibraryError)

    // Who is to hear of new videos.
    case newsUntold(course: String, NewsTrouble)
}

extension SyncWarning {
    /// Whether the run ends with 1 for it.
    package var isFailure: Bool {
        switch self {
        case .sidecarMissed(_, _, let isFailure, _, _): isFailure
        case .sidecarsUnknown: true
        default: false
        }
    }

    /// Files of others that stay as they are.
    package struct Foreign: Sendable, Equatable {
        /// The course's title.
        package var course: String
        package var count: Int
        /// The path of one.
        package var example: String

        package init(course: String, count: Int, example: String) {
            self.course = course
            self.count = count
            self.example = example
        }
    }

    /// Whether a run that tells only what matters tells it: something that a catalog names is missing, for the first time, or
    /// a notification was lost.
    package var isNews: Bool {
        switch self {
        case .sidecarMissed(_, _, _, let isNew, _): isNew
        case .newsUntold: true
        default: false
        }
    }

    /// What comes along.
    package enum Sidecar: Sendable, Equatable {
        /// Language or title; may be empty.
        case ofVideo(SidecarRecord.Kind, name: String)
        /// By the ids of course and chapter.
        case courseCover(String)
        case chapterCover(course: String, chapter: String)
    }

    /// What `--prune` leaves.
    package enum Pruning: Sendable, Equatable {
        /// All of it: so many of `all` that a person would miss are more than may go.
        case held(count: Int, all: Int)
        /// All of it: the run leaves something that its catalogs want.
        case unfinished(count: Int)
        /// It isn't the file that was put there.
        case notOurs(path: String)
        case failed(LibraryError)
    }

    /// Why a file isn't at its place.
    package enum Placing: Sendable, Equatable {
        /// Its data didn't reach the disk.
        case flush
        case library(LibraryError)
        /// The state can't be written.
        case store
    }

    /// What a stream lacks.
    package enum Stream: Sendable, Equatable {
        /// Why a subtitle isn't there.
        package enum SubtitleLoss: Sendable, Equatable {
            case tooMany
            case failed(DownloadError)
        }

        /// Its host has nothing of the quality that the catalog asks for.
        case otherQuality
        /// Size and SHA-256 in the catalog can't be compared with what ffmpeg makes.
        case sumsOfJoined
        /// Segments that the host itself marks as missing: of a subtitle by its name, or of the stream.
        case gaps(Int, subtitle: String?)
        case noSubtitle(String, SubtitleLoss)
        /// There is no ffmpeg to put sound and picture into one file.
        case separateSound
        /// The joined stream is kept as it is; the reason as it would be stored with the row, were that a failure.
        case notRemuxed(because: String)
    }
}
