package import DownloadStore
package import MediaLibrary
package import SyncFacts

/// A file that `verify` looked at, and what it found.
package struct VerifiedFile: Sendable, Equatable {
    /// What a file is there for.
    package enum Role: Sendable, Equatable {
        case video
        /// Language or title, as the state knows it.
        case sidecar(SidecarRecord.Kind, name: String)
        /// Of a course or chapter; no video is meant then.
        case cover
    }

    /// How a file compares with what was recorded.
    package enum Verdict: Sendable, Equatable {
        /// Size and SHA-256 are as recorded; of what came along, the size.
        case intact
        /// Nothing is recorded to compare with: it arrived with `--no-checksum`. `isTouched` says that its time has
        /// changed since, so that not even that speaks for it.
        case unrecorded(isTouched: Bool)
        case missing
        /// Another size or another SHA-256 than recorded. `sha256` is nil where the size told already.
        case changed(size: Int64, sha256: String?)
        /// It can't be read, or isn't a file.
        case unreadable(LibraryError)

        /// Whether something is wrong with the file.
        package var isDamage: Bool {
            switch self {
            case .intact, .unrecorded: false
            case .missing, .changed, .unreadable: true
            }
        }
    }

    /// What was done about it in the state.
    package enum Remedy: Sendable, Equatable {
        /// Nothing was to be done, or nothing may be done without `--repair`.
        case nothing
        /// The next sync fetches it.
        case willBeFetched
        /// The next sync fetches it again; what is there stays until its successor is complete.
        case willBeReplaced
        /// Its SHA-256 is recorded from now on.
        case recorded
        /// Its provider gives it together with the video: only `retry` brings it back.
        case needsRetry
        /// Its video is no longer in its catalog: nothing fetches it.
        case goneFromCatalog
        /// So many of its course are missing that nothing is noted without `--repair`: perhaps a disk isn't mounted.
        case held
        /// It was another file by the time that the state was to be changed.
        case changedMeanwhile
    }

    /// The video; of a cover, the course and chapter with an empty video id.
    package var reference: VideoReference
    /// Relative to the library.
    package var path: String
    /// What it is there for.
    package var role: Role
    /// As recorded, in bytes.
    package var size: Int64
    /// As recorded, lower-case hex.
    package var sha256: String?
    /// What was found.
    package var verdict: Verdict
    /// What was done.
    package var remedy: Remedy

    package init(
        reference: VideoReference, path: String, role: Role = .video, size: Int64, sha256: String? = nil,
        verdict: Verdict, remedy: Remedy = .nothing
    ) {
        self.reference = reference
        self.path = path
        self.role = role
        self.size = size
        self.sha256 = sha256
        self.verdict = verdict
        self.remedy = remedy
    }
}

/// How far `verify` is.
package struct VerificationProgress: Sendable, Equatable {
    /// Videos that were looked at.
    package var files: Int
    /// Of so many.
    package var allFiles: Int
    /// Bytes that were read.
    package var bytes: Int64
    /// Of so many, as recorded.
    package var allBytes: Int64

    package init(files: Int, allFiles: Int, bytes: Int64, allBytes: Int64) {
        self.files = files
        self.allFiles = allFiles
        self.bytes = bytes
        self.allBytes = allBytes
    }
}

/// What `verify` found, and what it changed in the state.
package struct Verification: Sendable, Equatable {
    /// How far it came.
    package var progress: VerificationProgress
    /// Files that came along with videos, and covers.
    package var sidecars = 0
    /// Everything that isn't intact, in the order of the catalogs.
    package var findings: [VerifiedFile] = []
    /// It was told to stop before the end.
    package var isStopped = false
    /// Another process is at work, so that nothing could be noted in the state; nil if nothing had to be, or it was.
    package var refusal: Refusal?

    package init(progress: VerificationProgress) { self.progress = progress }

    /// Whether a file is damaged or missing.
    package var hasDamage: Bool { findings.contains { $0.verdict.isDamage } }

    /// What the exit code tells.
    package var conditions: Set<SyncCondition> {
        var conditions: Set<SyncCondition> = []
        if hasDamage { conditions.insert(.damageFound) }
        if isStopped { conditions.insert(.workLeft) }
        if let refusal { conditions.insert(refusal.condition) }
        return conditions
    }
}
