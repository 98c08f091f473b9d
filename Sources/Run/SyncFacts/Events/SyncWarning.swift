package import DownloadStore
package import Foundation
package import Hooks
package import MediaLibrary
package import YAMLSource

/// A problem that stops nothing. Facts only: `CommandOutput` makes the sentences.
package enum SyncWarning: Sendable, Equatable {
    // Catalogs, and the state's knowledge of them.
    /// A warning of a catalog's reader.
    case doubtful(Diagnostic)
    /// About the listing of a course that its provider lists.
    case listing(Listing)
    /// About the courses that a provider lists.
    case courses(Courses)
    /// Its former file is gone.
    case courseMoved(String, to: String)
    /// The row's state was invalid, so the download starts over.
    case damagedState(VideoReference)

    // The run.
    /// The run continues after a login.
    case loggedOut
    case listNotKept(Refusal)
    /// The copy of the shard's state in the library is older than the state.
    case stateNotCopied(Refusal)
    /// The files beside the videos aren't brought up to date, since the state of a shard can't be read.
    case shardUnread(Refusal)
    case loginWanted(provider: String, DownloadError, server: String? = nil)
    /// The difference in seconds; negative if this clock is behind.
    case clockOff(host: String, seconds: Int)
    case prune(Pruning)

    // Sidecars.
    /// `isFailure`: it was named by a provider and stays wanted, and the run ends with 1. `isNew`: no run has reported
    /// it before. `at` is host and path of its address.
    case sidecarMissed(Sidecar, DownloadError, isFailure: Bool = false, isNew: Bool = true, at: String? = nil)
    /// Its provider couldn't be asked for its sidecars.
    case sidecarsUnknown(DownloadError)
    case notPlaced(path: String, Placing)

    // Moves.
    /// A file stays where it is; the next run moves it.
    case notMoved(from: String, to: String, LibraryError)

    case stream(Stream)

    // Files written beside videos.
    /// Somebody else's files are in place of ours, or ours were changed.
    case metadataForeign(Foreign)
    case metadataFailed(LibraryError)

    // Notifications of new videos.
    case notificationFailed(course: String, NotificationProblem)
}

extension SyncWarning {
    /// Whether the run ends with 1 because of it.
    package var isFailure: Bool {
        switch self {
        case .sidecarMissed(_, _, let isFailure, _, _): isFailure
        case .sidecarsUnknown: true
        default: false
        }
    }

    /// Files of others, which aren't changed.
    package struct Foreign: Sendable, Equatable {
        /// The course's title.
        package var course: String
        package var count: Int
        /// The path of one of them.
        package var example: String

        package init(course: String, count: Int, example: String) {
            self.course = course
            self.count = count
            self.example = example
        }
    }

    /// Whether even a quiet run reports it: a sidecar of a catalog is missing for the first time, a notification was
    /// lost, `--prune` left everything, or a course couldn't be listed.
    package var isNews: Bool {
        switch self {
        case .sidecarMissed(_, _, _, let isNew, _): isNew
        case .notificationFailed, .prune(.held), .prune(.unfinished), .listing, .courses(.failed), .courses(.doubted):
            true
        default: false
        }
    }

    /// A problem with a listing.
    package enum Listing: Sendable, Equatable {
        /// A course whose provider couldn't be asked.
        package struct Unlisted: Sendable, Equatable {
            package var course: String
            /// The time of its last listing; nil if there is none.
            package var last: Date?
            /// Its position in its catalog.
            package var at: SourceLocation

            package init(course: String, last: Date?, at: SourceLocation) {
                self.course = course
                self.last = last
                self.at = at
            }
        }

        /// The provider couldn't be asked for these courses.
        case failed(provider: String, DownloadError, courses: [Unlisted])
        /// The provider of these courses was logged out before it had listed them.
        case unanswered(courses: [String])
        /// It lacks too many of the course's videos to be believed at once.
        case doubted(course: String, lost: Int, of: Int)
        /// Courses that were never listed, in a run that asks nobody.
        case unknown(courses: [String])
        /// So many videos came twice.
        case repeated(course: String, count: Int)
        /// So many of the videos that `newest` chooses from have no date.
        case undated(course: String, count: Int)
        /// So many videos have an id that can't be used, and were left out.
        case unusable(course: String, count: Int)
        /// Videos of another provider that were left out.
        case refused(course: String, RefusedHandOver)
    }

    /// Something about the courses that a provider lists for `courses_of`.
    package enum Courses: Sendable, Equatable {
        /// The provider couldn't be asked. `last`: the time of its last list; nil if there is none.
        case failed(provider: String, DownloadError, last: Date?)
        /// It lacks too many of the courses to be believed at once.
        case doubted(provider: String, lost: Int, of: Int)
        /// It has never been asked, in a run that asks nobody.
        case unknown(provider: String)
        /// So many courses came twice.
        case repeated(provider: String, count: Int)
        /// So many of the courses that `newest` chooses from have no date.
        case undated(provider: String, count: Int)
        /// So many courses have an id that can't be used, and were left out.
        case unusable(provider: String, count: Int)
        /// Courses with the ids of others, which count.
        case taken(provider: String, courses: [String])
        /// So many courses have parameters that the provider doesn't take; the first one's mistake.
        case refused(provider: String, course: String, mistake: String, count: Int)
    }

    /// Videos that a listing would hand over to another provider, and that were left out.
    package struct RefusedHandOver: Sendable, Equatable {
        package var provider: String
        /// The first mistake in the parameters for it; nil if the catalog doesn't allow it.
        package var mistake: String?
        package var count: Int

        package init(provider: String, mistake: String?, count: Int) {
            self.provider = provider
            self.mistake = mistake
            self.count = count
        }
    }

    package enum Sidecar: Sendable, Equatable {
        /// Language or title; may be empty.
        case ofVideo(SidecarRecord.Kind, name: String)
        /// By the ids of course and chapter.
        case courseCover(String)
        case chapterCover(course: String, chapter: String)
    }

    /// The reason why `--prune` leaves files.
    package enum Pruning: Sendable, Equatable {
        /// Nothing was pruned: `count` of the `all` videos that the user would lose exceed the limit.
        case held(count: Int, all: Int)
        /// Nothing was pruned: the run leaves something undone that its catalogs list.
        case unfinished(count: Int)
        /// The file isn't the one that was stored.
        case notOurs(path: String)
        case failed(LibraryError)
    }

    /// The reason why a file isn't in place.
    package enum Placing: Sendable, Equatable {
        /// Its data couldn't be flushed to disk.
        case flush
        case library(LibraryError)
        /// The state can't be written.
        case store
    }

    /// A defect of a stream.
    package enum Stream: Sendable, Equatable {
        /// The reason why a subtitle is missing.
        package enum SubtitleLoss: Sendable, Equatable {
            case tooMany
            case failed(DownloadError)
        }

        /// The reason why a recording ends before its stream does.
        package enum RecordingEnd: Sendable, Equatable {
            /// It hasn't grown for an hour.
            case stalled
            /// Nor has it, and its playlist is gone.
            case gone
            /// Nor has it, and another stream has taken its place.
            case another
            /// As large as a file may be.
            case tooLarge
            /// As many segments as a playlist may have.
            case tooLong
            /// The catalog doesn't ask for it any more.
            case notWanted
            /// The catalog or the provider names something else for the video now.
            case changed
            /// What follows can't be joined with what is there.
            case unjoinable(DownloadError)
        }

        /// Its host doesn't have the quality that the catalog asks for.
        case otherQuality
        /// Size and SHA-256 of the catalog can't be compared with ffmpeg's output.
        case sumsOfJoined
        /// Segments that the host itself marks as missing: of the named subtitle, or of the stream.
        case gaps(Int, subtitle: String?)
        case noSubtitle(String, SubtitleLoss)
        /// Segments of a live stream that were gone before they were requested, after so many seconds of it.
        case missed(Int64, after: Double)
        /// The numbers of a live stream's segments began anew.
        case renumbered(after: Double)
        case recordingEnded(RecordingEnd)
        /// Without ffmpeg sound and picture can't be joined into one file.
        case separateSound
        /// The joined stream is kept; the reason has the form of a failure stored with the row.
        case notRemuxed(because: String)
        /// The same of a file and its tracks, which stay beside each other.
        case notJoined(because: String, again: Bool)
    }
}
