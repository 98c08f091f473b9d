/// All changes that a sync found between catalogs, state and library. Written in one transaction.
package struct ReconcileChanges: Sendable {
    /// A download that the state doesn't know yet.
    package struct New: Sendable {
        /// At least ``DownloadTable/nextID()``, each used once.
        package var id: DownloadID
        /// Course and video.
        package var key: DownloadKey
        /// The catalog's facts about it.
        package var fields: CatalogFields

        package init(id: DownloadID, key: DownloadKey, fields: CatalogFields) {
            self.id = id
            self.key = key
            self.fields = fields
        }
    }

    /// A download whose catalog entry has changed.
    package struct Updated: Sendable {
        package var id: DownloadID
        /// The catalog's facts about it.
        package var fields: CatalogFields
        /// Its partial is of another source, and is forgotten unless a SHA-256 decides at the end; or its file is no
        /// longer the wanted one.
        package var sourceChanged: Bool

        package init(id: DownloadID, fields: CatalogFields, sourceChanged: Bool) {
            self.id = id
            self.fields = fields
            self.sourceChanged = sourceChanged
        }
    }

    /// New or changed courses.
    package var courses: [CourseRecord] = []
    /// New or changed chapters.
    package var chapters: [ChapterRecord] = []
    /// Downloads that the state doesn't know yet.
    package var new: [New] = []
    /// Downloads whose entry has changed.
    package var updated: [Updated] = []
    /// Their state is none: they wait.
    package var damaged: [DownloadID] = []
    /// No longer in their catalogs.
    package var gone: [DownloadID] = []
    /// Finished, but their files are missing.
    package var lost: [DownloadID] = []
    /// Finished, but not as the catalog wants; their files stay until their successors are complete.
    package var refetched: [DownloadID] = []
    /// Those of ``refetched`` whose files are as the catalog wants: only something beside them is missing.
    package var keptFiles: Set<DownloadID> = []
    /// Unfinished, although their files are what the catalog wants again.
    package var finished: [DownloadID] = []
    /// Failed, and to be tried again.
    package var revived: [DownloadID] = []
    /// Missing sidecars that failed, and are to be tried before their time.
    package var retried: [MissingSidecar] = []
    /// Files with new paths.
    package var moves: [RecordedMove] = []
    /// The names of the files of ``updated``.
    package var stems: [DownloadID: String] {
        Dictionary(updated.map { ($0.id, $0.fields.stem) }, uniquingKeysWith: { $1 })
    }

    package init() {}

    /// Whether there is nothing to write.
    package var isEmpty: Bool {
        courses.isEmpty && chapters.isEmpty && new.isEmpty && updated.isEmpty && gone.isEmpty && lost.isEmpty
            && damaged.isEmpty && finished.isEmpty && refetched.isEmpty && revived.isEmpty && retried.isEmpty
            && moves.isEmpty
    }
}
