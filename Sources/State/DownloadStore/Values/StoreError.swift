/// The reason why the state can't be used. Nothing has been overwritten when one of these is thrown.
package enum StoreError: Error, Sendable, Equatable {
    /// The folder is missing, or the path is a folder, or permissions refuse it.
    case cannotOpen(path: String, detail: String)
    /// The file isn't an SQLite database, or is damaged.
    case corrupt(path: String, detail: String)
    /// Written by a newer coursefetch.
    case newerVersion(path: String)
    /// An incomplete new file: it is empty.
    case notMade(path: String)
    /// Written by an older one, and this process doesn't hold the lock that a migration needs.
    case needsMigration(path: String)
    /// Can't be written: a read-only file system or file.
    case readOnly(path: String)
    /// The disk is full.
    case full(path: String)
    /// Another process kept it locked for longer than 5 s.
    case busy(path: String)
    /// Reading or writing failed otherwise.
    case io(path: String, detail: String)
    /// A transition that the state table doesn't have: a bug.
    case refusedTransition(DownloadID, StateTransition, from: DownloadState?)
}

/// An unreadable row whose values must not be guessed.
struct DamagedRow: Error {
    /// A description for ``StoreError/corrupt(path:detail:)``.
    var what: String
}
