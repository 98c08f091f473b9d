package import Foundation

/// The result for a record of another downloader's store.
package enum MigrationCode: String, Sendable, CaseIterable, Codable {
    /// Its file is in the library, or the video was queued at the user's wish.
    case added
    /// The library had its video already.
    case duplicate
    /// The record itself can't be used.
    case invalidRecord = "invalid_record"
    /// The other downloader hadn't finished it.
    case uncompleted
    /// The other downloader had finished it, but its file is missing, or isn't the one that it should be.
    case fileLost = "file_lost"
    /// Something is needed first.
    case notReady = "not_ready"
    /// An error of this machine prevented it.
    case failed

    /// Whether nothing is left to do for the record.
    package var isIn: Bool { self == .added || self == .duplicate }
}

/// A record's entry in the journal of migrations.
package struct MigrationEntry: Sendable, Equatable {
    /// A digest of the record's key: keys may be addresses with secrets.
    package var record: Data
    package var code: MigrationCode
    package var key: DownloadKey?

    package init(record: Data, code: MigrationCode, key: DownloadKey?) {
        self.record = record
        self.code = code
        self.key = key
    }
}
