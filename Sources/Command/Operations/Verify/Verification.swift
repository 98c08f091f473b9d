package import DownloadStore
package import FileSystem
package import MediaLibrary
package import SyncFacts

/// A file checked by `verify`, and the result.
package struct VerifiedFile: Sendable, Equatable {
    /// The purpose of a file.
    package enum Role: Sendable, Equatable {
        case video
        /// Language or title, as in the state.
        case sidecar(SidecarRecord.Kind, name: String)
        /// Of a course or chapter; without a video.
        case cover
    }

    /// The result of comparing a file with its record.
    package enum Verdict: Sendable, Equatable {
        /// Size and SHA-256 are as recorded; for a sidecar, the size.
        case intact
        /// No SHA-256 is recorded: it was downloaded with `--no-checksum`, or linked by `migrate`. `isTouched`: its
        /// time has changed since, so that nothing proves it.
        case unrecorded(isTouched: Bool)
        case missing
        /// Another size or another SHA-256 than recorded. `sha256` is nil if the size differs already.
        case changed(size: Int64, sha256: String?)
        /// It can't be read, or isn't a file.
        case unreadable(LibraryError)

        /// Whether the file is damaged or missing.
        package var isDamage: Bool {
            switch self {
            case .intact, .unrecorded: false
            case .missing, .changed, .unreadable: true
            }
        }
    }

    /// The change made in the state because of it.
    package enum Remedy: Sendable, Equatable {
        /// No change was necessary, or none is allowed without `--repair`.
        case nothing
        /// The next sync downloads it.
        case willBeFetched
        /// The next sync downloads it again; the present file stays until its successor is complete.
        case willBeReplaced
        /// Its SHA-256 has been recorded.
        case recorded
        /// Its provider names it together with the video: only `retry` brings it back.
        case needsRetry
        /// Its video is no longer in its catalog: nothing downloads it.
        case goneFromCatalog
        /// Too many files of its course are missing, so nothing is recorded without `--repair`: perhaps a disk isn't
        /// mounted.
        case held
        /// The file changed before the state could be updated.
        case changedMeanwhile
        /// The next sync moves it: a move of it is unfinished.
        case willBeMoved
    }

    /// The video; for a cover, the course and chapter with an empty video id.
    package var reference: VideoReference
    /// Relative to the library.
    package var path: String
    package var role: Role
    /// As recorded, in bytes.
    package var size: Int64
    /// As recorded, lower-case hex.
    package var sha256: String?
    /// The published checksums that it was compared with as it arrived.
    package var checksums: PublishedChecksums?
    package var verdict: Verdict
    /// The change in the state.
    package var remedy: Remedy

    package init(
        reference: VideoReference, path: String, role: Role = .video, size: Int64, sha256: String? = nil,
        checksums: PublishedChecksums? = nil, verdict: Verdict, remedy: Remedy = .nothing
    ) {
        self.reference = reference
        self.path = path
        self.role = role
        self.size = size
        self.sha256 = sha256
        self.checksums = checksums
        self.verdict = verdict
        self.remedy = remedy
    }
}

/// The progress of `verify`.
package struct VerificationProgress: Sendable, Equatable {
    /// Checked videos.
    package var files: Int
    /// All videos to check.
    package var allFiles: Int
    /// Bytes read.
    package var bytes: Int64
    /// All bytes to read, as recorded.
    package var allBytes: Int64

    package init(files: Int, allFiles: Int, bytes: Int64, allBytes: Int64) {
        self.files = files
        self.allFiles = allFiles
        self.bytes = bytes
        self.allBytes = allBytes
    }
}

/// The findings of `verify`, and its changes to the state.
package struct Verification: Sendable, Equatable {
    /// The numbers of files and bytes at the end.
    package var progress: VerificationProgress
    /// Checked sidecars and covers.
    package var sidecars = 0
    /// All files that aren't intact, in catalog order.
    package var findings: [VerifiedFile] = []
    /// Whether it was stopped early.
    package var isStopped = false
    /// Another process holds the lock, so that nothing could be recorded; nil if it was, or nothing had to be.
    package var refusal: Refusal?
    /// Why shards weren't checked, if others were.
    package var leftOut: [Refusal] = []

    package init(progress: VerificationProgress) { self.progress = progress }

    /// Adds that of another shard.
    mutating func add(_ other: Verification) {
        progress.files += other.progress.files
        progress.allFiles += other.progress.allFiles
        progress.bytes = (ByteCount(progress.bytes) + ByteCount(other.progress.bytes)).value
        progress.allBytes = (ByteCount(progress.allBytes) + ByteCount(other.progress.allBytes)).value
        sidecars += other.sidecars
        findings += other.findings
        isStopped = isStopped || other.isStopped
        refusal = refusal ?? other.refusal
        leftOut += other.leftOut
    }

    /// Whether a file is damaged or missing.
    package var hasDamage: Bool { findings.contains { $0.verdict.isDamage } }

    /// The conditions for the exit code.
    package var conditions: Set<SyncCondition> {
        var conditions: Set<SyncCondition> = []
        if hasDamage { conditions.insert(.damageFound) }
        if isStopped { conditions.insert(.workLeft) }
        if let refusal { conditions.insert(refusal.condition) }
        return conditions.union(leftOut.map(\.condition))
    }
}
