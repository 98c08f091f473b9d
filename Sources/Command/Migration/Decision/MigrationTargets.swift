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
    /// Rows in progress are read again when they are needed; of the others one scan has everything.
    private enum Row {
        case known(MigrationTarget)
        case inProgress(DownloadID)
    }

    private var rows: [DownloadKey: Row] = [:]
    private let store: DownloadStore
    private let held: Set<String>

    /// - Parameter plan: in a dry run, the comparison whose changes aren't written.
    init(_ store: DownloadStore, held: [HeldCourse], plan: Reconciliation?) throws {
        self.store = store
        self.held = Set(held.map(\.course))
        try store.downloads.scan { row in
            guard let course = row.string(.course), let video = row.string(.video) else { return }
            rows[DownloadKey(course: course, video: video)] =
                MigrationTarget(row, course: course, video: video).map(Row.known) ?? .inProgress(row.id)
        }
        for added in plan?.changes.new ?? [] { rows[added.key] = .known(MigrationTarget(added.key, added.fields)) }
    }

    /// Whether nothing of this course may be touched.
    func isHeld(_ key: DownloadKey) -> Bool { held.contains(key.course) }

    /// Nil for a video that no row and no catalog has.
    func target(_ key: DownloadKey) throws(StoreError) -> MigrationTarget? {
        switch rows[key] {
        case .known(let target): target
        case .inProgress(let id): try store.downloads.record(id).map(MigrationTarget.init)
        case nil: nil
        }
    }

    /// Its row changes from now on.
    mutating func begin(_ key: DownloadKey) {
        if case .known(let target) = rows[key], let id = target.id { rows[key] = .inProgress(id) }
    }
}

extension MigrationTarget {
    /// Nil for a row of which more has to be known: one with bytes, or with an older file.
    init?(_ row: ScannedDownload, course: String, video: String) {
        let state = row.state
        guard state == .finished || (row.isNull(.path) && row.integer(.durableBytes) == 0) else { return nil }
        self.init(
            id: row.id,
            reference: VideoReference(
                course: course, chapter: row.string(.chapter), video: video, title: row.string(.title) ?? video),
            state: state, stem: row.string(.stem) ?? "", source: row.digest(.source) ?? [],
            size: row.isNull(.expectedSize) ? nil : row.integer(.expectedSize), sha256: row.digest(.expectedSHA256))
        if state == .finished { file = (row.integer(.size), row.digest(.sha256)) }
        kind = row.string(.kind).map { DownloadKind(rawValue: $0) }
    }

    /// One that the state doesn't have yet.
    init(_ key: DownloadKey, _ fields: CatalogFields) {
        self.init(
            id: nil,
            reference: VideoReference(
                course: key.course, chapter: fields.chapter, video: key.video, title: fields.title),
            state: .waiting, stem: fields.stem, source: fields.source, size: fields.expectedSize,
            sha256: fields.expectedSHA256)
    }

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
