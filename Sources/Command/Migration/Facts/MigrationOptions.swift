package import MigrationSources
package import SyncFacts

/// The input of `migrate`.
package struct MigrationOptions: Sendable {
    /// How the bytes of a finished file come into the library.
    package enum Method: String, Sendable, CaseIterable {
        /// Copied, and hashed on the way.
        case copy
        /// A second name of the same file; nothing is copied or hashed.
        case link
        /// Linked where that is possible, otherwise copied; the source is removed at the end.
        case move
    }

    package var kind: SourceKind
    /// A folder or a file, as given.
    package var source: String
    package var reading = SourceOptions()
    /// The catalogs, user, state, library, layout and wait of a sync.
    package var sync: SyncOptions
    package var method = Method.copy
    /// A file of names and videos, as given.
    package var map: String?
    /// A catalog to be written for what is in no catalog.
    package var writeCatalog: String?
    /// The server of the videos in that catalog, for stores that don't have it.
    package var endpoint: String?
    /// Whether what can't be adopted is downloaded anew.
    package var requeues = false
    /// Whether downloads that this migration queues are paused.
    package var pausesQueued = false
    /// Whether videos of which the source has no file, but says that it had them, are cancelled.
    package var skipsSeen = false
    /// Whether the source is removed once everything of it is in the library.
    package var removesSource = false
    /// Whether nothing is changed.
    package var isDryRun = false

    package init(kind: SourceKind, source: String, sync: SyncOptions) {
        self.kind = kind
        self.source = source
        self.sync = sync
    }
}
