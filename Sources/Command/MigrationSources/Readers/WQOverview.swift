import GRDB

/// What only all rows of `local_video` together tell.
struct WQOverview {
    /// Rows whose key another row has that is taken: a finished one, else the first.
    var repeated: Set<Int64> = []
    /// Rows of one user whose key a row of another user has.
    var otherwiseKeyed: Set<Int64> = []
    /// Whether the rows belong to more than one user, and nobody said which is meant.
    var hasSeveralUsers = false

    /// - Parameter user: whose rows are meant; nil for the only one.
    init(_ db: Database, columns: Set<String>, user: String?) throws {
        let owner = columns.contains("user_id") ? "CAST(user_id AS TEXT)" : "NULL"
        if user == nil, columns.contains("user_id") {
            let users = try Int.fetchOne(
                db, sql: "SELECT count(DISTINCT \(owner)) FROM local_video WHERE \(owner) <> ''")
            hasSeveralUsers = (users ?? 0) > 1
        }
        guard columns.contains("video_hash") else { return }
        let rows = """
            SELECT _rowid_ AS number, CAST(video_hash AS TEXT) AS name, \(owner) AS owner,
                CAST(download_state AS INTEGER) = 4 AS done
            FROM local_video WHERE name <> '' AND (?1 IS NULL OR owner IS NULL OR owner = '' OR owner = ?1)
            """
        let cursor = try Row.fetchCursor(
            db,
            sql: """
                WITH keyed AS (\(rows))
                SELECT number, name, owner FROM keyed
                WHERE name IN (SELECT name FROM keyed GROUP BY name HAVING count(*) > 1)
                ORDER BY name, \(hasSeveralUsers ? "owner, " : "")done DESC, number
                """, arguments: [user])
        var last: (name: String?, owner: String?)?
        while let row = try cursor.next() {
            let values = Array(row.databaseValues)
            guard values.count == 3, case .int64(let number) = values[0].storage else { continue }
            let (name, owner) = (String.fromDatabaseValue(values[1]), String.fromDatabaseValue(values[2]))
            if let last, last.name == name {
                if !hasSeveralUsers || last.owner == owner {
                    repeated.insert(number)
                } else {
                    otherwiseKeyed.insert(number)
                }
            }
            last = (name, owner)
        }
    }
}
