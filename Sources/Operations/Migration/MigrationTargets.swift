import CatalogComparison
import DownloadStore
import FileSystem
import SyncFacts

/// A video of the catalogs as the state has it.
struct MigrationTarget {
    /// Nil in a dry run for one that the state doesn't have yet.
    var id: DownloadID?
    var reference: VideoReference
    var state: DownloadState
    var stem: String
    var source: SourceDigest
    /// From the catalog.
    var size: Int64?
    var sha256: Checksum?
    /// Of a finished one.
    var file: (size: Int64, sha256: Checksum?)?
    var oldFile: StoredFile?
    var durableBytes: Int64 = 0
    var kind: DownloadKind?
    var validatorFailures = 0
    var startOvers = 0
}

/// All videos of the catalogs as the state has them, and as a sync would add them.
struct MigrationTargets {
    private var known: [DownloadKey: DownloadID] = [:]
    private var new: [DownloadKey: CatalogFields] = [:]
    private let store: DownloadStore
    private let held: Set<String>

    /// - Parameter plan: in a dry run, the comparison whose changes aren't written.
    init(_ store: DownloadStore, held: Set<String>, plan: Reconciliation?) throws {
        self.store = store
        self.held = held
        try store.downloads.scan { row in
            guard let course = row.string(.course), let video = row.string(.video) else { return }
            known[DownloadKey(course: course, video: video)] = row.id
        }
        for added in plan?.changes.new ?? [] { new[added.key] = added.fields }
    }

    /// Whether nothing of this course may be touched.
    func isHeld(_ key: DownloadKey) -> Bool { held.contains(key.course) }

    /// Nil for a video that no row and no catalog has.
    func target(_ key: DownloadKey) throws(StoreError) -> MigrationTarget? {
        if let id = known[key] { return try store.downloads.record(id).map(MigrationTarget.init) }
        return new[key].map { fields in
            MigrationTarget(
                id: nil,
                reference: VideoReference(
                    course: key.course, chapter: fields.chapter, video: key.video, title: fields.title),
                state: .waiting, stem: fields.stem, source: fields.source, size: fields.expectedSize,
                sha256: fields.expectedSHA256)
        }
    }
}

extension MigrationTarget {
    init(_ record: DownloadRecord) {
        self.init(
            id: record.id, reference: record.reference, state: record.state, stem: record.catalog.stem,
            source: record.catalog.source, size: record.catalog.expectedSize, sha256: record.catalog.expectedSHA256)
        file = record.state == .finished ? record.file.map { ($0.size, $0.sha256) } : nil
        oldFile = record.state == .finished ? nil : record.file
        durableBytes = record.durableBytes
        kind = record.kind
        validatorFailures = record.validatorFailures
        startOvers = record.startOvers
    }
}
