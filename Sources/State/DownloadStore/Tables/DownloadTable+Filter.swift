import GRDB

/// The downloads of a ``DownloadFilter``.
extension DownloadTable {
    /// The downloads that are read in one transaction: a writer waits no longer.
    private static let page = 500

    /// Calls `body` with each download in catalog order. No transaction is open meanwhile: what changes while it is
    /// called is seen, and rows that were deleted are left out.
    package func each(
        _ filter: DownloadFilter = DownloadFilter(), _ body: (DownloadRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        try each(of: ids(filter), body)
    }

    /// Calls `body` with each of these downloads, in their order, as ``each(_:_:)`` does.
    package func each(
        of ids: [DownloadID], _ body: (DownloadRecord) throws(StoreError) -> Void
    ) throws(StoreError) {
        for start in stride(from: 0, to: ids.count, by: Self.page) {
            for record in try records(Array(ids[start..<min(start + Self.page, ids.count)])) { try body(record) }
        }
    }

    /// Their ids in catalog order.
    package func ids(_ filter: DownloadFilter) throws(StoreError) -> [DownloadID] {
        try file.read { db in
            let (condition, arguments) = filter.condition
            let sql = """
                SELECT downloads.id FROM downloads LEFT JOIN courses ON courses.id = downloads.course
                WHERE \(condition)
                ORDER BY courses.file, courses.ordinal, downloads.course, is_gone, downloads.ordinal, downloads.id
                """
            var ids: [DownloadID] = []
            try db.makeStatement(sql: sql).forEachRow(arguments) { ids.append(DownloadID(rawValue: $0.integer(0))) }
            return ids
        }
    }

    /// A video without its state.
    package struct Video: Sendable {
        package var id: DownloadID
        /// Course and video.
        package var key: DownloadKey
        /// The chapter's id; nil for a video directly under its course.
        package var chapter: String?
        package var title: String
    }

    /// Up to `limit` videos with a higher id than `last`, in the order of ids.
    package func videos(
        _ filter: DownloadFilter, after last: DownloadID? = nil, atMost limit: Int
    ) throws(StoreError) -> [Video] {
        try file.read { db in
            let (condition, arguments) = filter.condition
            let sql = """
                SELECT id, course, video, chapter, title FROM downloads WHERE (\(condition)) AND id > ?
                ORDER BY id LIMIT ?
                """
            var videos: [Video] = []
            let bounds: StatementArguments = [last?.rawValue ?? .min, limit]
            try db.makeStatement(sql: sql).forEachRow(arguments + bounds) { row in
                videos.append(
                    Video(
                        id: DownloadID(rawValue: row.integer(0)),
                        key: DownloadKey(course: row.string(1) ?? "", video: row.string(2) ?? ""),
                        chapter: row.string(3), title: row.string(4) ?? ""))
            }
            return videos
        }
    }
}

extension DownloadFilter {
    /// With more places SQLite's limits on an expression would be near.
    private static let mostPlaces = 200

    /// The condition of a WHERE clause.
    fileprivate var condition: (sql: String, arguments: StatementArguments) {
        var parts: [String] = []
        var arguments = StatementArguments()
        if !places.isEmpty, places.count <= Self.mostPlaces {
            let conditions = places.map(\.condition)
            parts.append(conditions.map { "(\($0.sql))" }.joined(separator: " OR "))
            for condition in conditions { arguments += condition.arguments }
        }
        if let states {
            var sql = "state IN (\(states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))"
            // The index of unfinished ones is used only if this is said.
            if !states.contains(.finished) { sql = "state <> 'finished' AND \(sql)" }
            if takesMissingSidecars {
                sql += " OR downloads.id IN (SELECT download FROM sidecars WHERE state <> 'stored')"
            }
            parts.append(sql)
        }
        return (parts.isEmpty ? "1" : parts.map { "(\($0))" }.joined(separator: " AND "), arguments)
    }
}

extension DownloadFilter.Place {
    fileprivate var condition: (sql: String, arguments: StatementArguments) {
        var parts: [String] = []
        var arguments = StatementArguments()
        for (column, name) in [("course", course), ("chapter", chapter), ("video", video)] {
            switch name {
            case .exactly(let id)?:
                parts.append("downloads.\(column) = ?")
                arguments += [id]
            case .beginning(let prefix)?:
                parts.append("downloads.\(column) >= ?")
                arguments += [prefix]
                guard let end = Self.end(of: prefix) else { continue }
                parts.append("downloads.\(column) < ?")
                arguments += [end]
            case nil: break
            }
        }
        if let asciiTitle {
            parts.append("(downloads.title LIKE ? ESCAPE '\\' OR downloads.title GLOB '*[^ -~]*')")
            arguments += [asciiTitle]
        }
        return (parts.isEmpty ? "1" : parts.joined(separator: " AND "), arguments)
    }

    /// The first text after all that begin with `prefix`, in the order of bytes; nil if there is none.
    private static func end(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates aren't scalars.
            guard last.value < 0x10FFFF, let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1)
            else { continue }
            scalars.append(next)
            var end = String.UnicodeScalarView()
            end.append(contentsOf: scalars)
            return String(end)
        }
        return nil
    }
}
