import DownloadStore
package import MediaLibrary
package import SyncFacts

/// The result of `copy`.
package struct LibraryCopy: Sendable, Equatable {
    /// A file that isn't in the copy, or not in its present form.
    package struct Problem: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// It isn't in the library.
            case missing
            /// It isn't the file that the state has recorded.
            case changed
            case unreadable(LibraryError)
            /// The file system of the copy has no files as large as this one.
            case tooLarge
            /// Something that isn't the copy's is in its place.
            case inTheWay
            /// The disk gave other bytes back than were written.
            case notAsWritten
            case unwritable(LibraryError)
        }

        /// The video; for a course's own file, the course with an empty video id.
        package var reference: VideoReference
        /// In the library.
        package var path: String
        /// As recorded, in bytes.
        package var size: Int64
        package var kind: Kind
        /// Whether the video isn't in the copy because of it.
        package var lacksVideo: Bool
    }

    /// Absolute.
    package var folder: String
    /// The numbers of videos and bytes at the end.
    package var progress: CopyProgress
    /// The videos that were there already.
    package var present = 0
    /// The new ones, and those that were brought up to date.
    package var copied = 0
    package var updated = 0
    /// The videos that were removed, since they aren't selected.
    package var removed = 0
    /// In the order in which they were found.
    package var problems: [Problem] = []
    /// The number of files whose names were changed for the file system of the copy.
    package var renamed = 0
    /// Whether it was stopped early.
    package var isStopped = false
    /// What ended it early; nil for nothing.
    package var failure: LibraryError?
    /// Why shards weren't copied, if others were.
    package var leftOut: [Refusal] = []

    package init(folder: String, progress: CopyProgress) {
        self.folder = folder
        self.progress = progress
    }

    /// Whether all of it was looked at.
    package var isComplete: Bool { !isStopped && failure == nil }

    /// The conditions for the exit code.
    package var conditions: Set<SyncCondition> {
        var conditions: Set<SyncCondition> = []
        if !problems.isEmpty { conditions.insert(.damageFound) }
        if isStopped { conditions.insert(.workLeft) }
        if failure != nil { conditions.insert(.stateUnusable) }
        return conditions.union(leftOut.map(\.condition))
    }
}

/// The progress of `copy`. A byte that is read back counts half when it is written.
package struct CopyProgress: Sendable, Equatable {
    /// Videos that are there, or can't be.
    package var videos: Int
    /// All selected videos that are finished.
    package var allVideos: Int
    package var bytes: Int64
    /// All bytes to copy, as recorded.
    package var allBytes: Int64

    package init(videos: Int, allVideos: Int, bytes: Int64, allBytes: Int64) {
        self.videos = videos
        self.allVideos = allVideos
        self.bytes = bytes
        self.allBytes = allBytes
    }
}

/// The events of `copy` while it runs.
package enum CopyEvent: Sendable, Equatable {
    /// Before the first byte: the folder, what is there, and what is to be copied.
    case begun(folder: String, CopyProgress)
    /// A video is in the copy; its path there, and all of its bytes.
    case copied(VideoReference, path: String, bytes: Int64, isUpdate: Bool)
    case failed(LibraryCopy.Problem)
    case progress(CopyProgress)
}

/// What `copy` is asked to do.
package struct CopyWish: Sendable {
    package var selectors: [Selector]
    /// Where to.
    package var folder: String
    /// Whether videos that aren't selected are removed from the copy.
    package var prunes = false
    /// Whether each file is read back from the disk.
    package var verifies = true

    package init(selectors: [Selector], folder: String) {
        self.selectors = selectors
        self.folder = folder
    }
}
