package import FileSystem

/// How far a migration is.
package struct MigrationProgress: Sendable, Equatable {
    /// Records that are decided, and all of the source.
    package var records = 0
    package var allRecords = 0
    /// Bytes copied, and all bytes of finished files that an earlier run hasn't brought; 0 if they are linked.
    package var bytes: Int64 = 0
    package var allBytes: Int64 = 0

    package init() {}
}

/// What a running migration reports, each record when it is decided.
package enum MigrationEvent: Sendable {
    /// Another process of this user is waited for.
    case waiting(LockHolder?)
    case record(MigratedRecord)
    case progress(MigrationProgress)
}
