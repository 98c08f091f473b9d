package import Foundation
import GRDB

/// What logging in and the list of users need of the downloads.
extension DownloadStore {
    /// Lets the downloads wait again that were suspended because their provider wanted a login. Under the user's lock.
    ///
    /// Returns how many there were.
    @discardableResult
    package func resumeDownloads(ofProvider provider: String, at now: Date = Date()) throws(StoreError) -> Int {
        try write { db in
            let sql = "SELECT id FROM downloads WHERE state = 'suspended' AND reason = 'auth' AND provider = ?"
            let ids = try Int64.fetchAll(db, sql: sql, arguments: [provider])
            for id in ids {
                try Self.apply(.steer(DownloadID(rawValue: id), .resume), now.timeIntervalSince1970, db)
            }
            return ids.count
        }
    }

    /// How many downloads there are in each state; what is gone from its catalog counts, too.
    package func counts() throws(StoreError) -> [DownloadState: Int] {
        try read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT state, count(*) AS number FROM downloads GROUP BY state")
            return rows.map(StoredRow.init).reduce(into: [:]) { counts, row in
                counts[DownloadState(stored: row.text("state")), default: 0] += row.count("number")
            }
        }
    }
}
