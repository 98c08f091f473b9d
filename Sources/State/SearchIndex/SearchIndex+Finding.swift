package import DownloadStore
import GRDB

extension SearchIndex {
    /// What matches a query.
    package struct Found: Sendable {
        /// The best ones, the best first; if too many match, the first ones in the order of the catalogs.
        package var documents: [Match] = []
        /// How many match, those that are gone included; at most ``SearchIndex/mostRanked`` + 1.
        package var count = 0
        /// Whether there are more videos than were asked for.
        package var hasMore = false
        /// Whether the best ones are known.
        package var isRanked: Bool { count <= SearchIndex.mostRanked }
    }

    /// A document that has all words.
    package struct Match: Sendable, Hashable {
        package var source: Source
        /// The subtitle file, relative to the library; nil for titles.
        package var path: String?
    }

    /// If more match, they aren't ranked: to look at each would take too long.
    package static let mostRanked = 10_000

    /// Finds the documents that have all words of a query, those of a video together where the best of them stands.
    /// Whether the words of a phrase follow each other isn't known here.
    ///
    /// - Parameters:
    ///   - videos: no more videos than these.
    ///   - most: no further video after so many documents.
    package func find(_ query: SearchQuery, videos: Int, atMost most: Int = .max) throws(StoreError) -> Found {
        let base = Self.expression(query.words.map(Self.quoted))
        return try read { db in
            var found = Found()
            var ids = try Int64.fetchAll(
                db, sql: "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", arguments: [base, Self.mostRanked + 1])
            found.count = ids.count
            if found.isRanked { ids = try Self.ranked(ids, by: query, base, db) }
            let ranks = Dictionary(zip(ids, ids.indices), uniquingKeysWith: { first, _ in first })
            let statement = try db.cachedStatement(
                sql: """
                    SELECT * FROM documents WHERE download = (SELECT download FROM documents WHERE id = ?)
                    """)
            var taken: Set<Int64> = []
            var count = 0
            for id in ids where !taken.contains(id) {
                let rows = try Row.fetchAll(statement, arguments: [id]).map(StoredRow.init)
                let matching = rows.compactMap { row in
                    row.integer("id").flatMap { id in ranks[id].map { (rank: $0, id: id, row: row) } }
                }
                // Of what is gone.
                guard !matching.isEmpty else { continue }
                guard count < videos, found.documents.count < most else {
                    found.hasMore = true
                    break
                }
                count += 1
                taken.formUnion(matching.map(\.id))
                found.documents += matching.sorted { $0.rank < $1.rank }.compactMap { Match($0.row) }
            }
            return found
        }
    }

    /// By the sum of the steps of its words; the earlier one of two with the same sum comes first.
    private static func ranked(
        _ ids: [Int64], by query: SearchQuery, _ base: String, _ db: Database
    ) throws -> [Int64] {
        guard ids.count > 1 else { return ids }
        var scores = Dictionary(ids.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
        let statement = try db.cachedStatement(sql: "SELECT rowid FROM words WHERE words MATCH ?")
        for word in query.words where !word.isPrefix {
            for step in 1...Document.titleStep {
                let marked = "\"\(Document.marked(word.text, step: step))\""
                let better = try Int64.fetchAll(statement, arguments: [expression([base, marked])])
                for id in better { scores[id]? += 1 }
                if better.isEmpty { break }
            }
        }
        if query.words.contains(where: \.isPrefix) {
            let titles = expression([base, "\"\(Document.titleMark)\""])
            for id in try Int64.fetchAll(statement, arguments: [titles]) { scores[id]? += Document.titleStep }
        }
        return ids.sorted { (scores[$1] ?? 0, $0) < (scores[$0] ?? 0, $1) }
    }

    /// In the language of FTS5. A word has letters, digits and marks only, so nothing in it ends the quotation.
    private static func quoted(_ word: SearchQuery.Word) -> String { "\"\(word.text)\"" + (word.isPrefix ? "*" : "") }

    private static func expression(_ parts: [String]) -> String { parts.joined(separator: " AND ") }
}

extension SearchIndex.Match {
    fileprivate init?(_ row: StoredRow) {
        guard let source = SearchIndex.Source(row) else { return nil }
        self.init(source: source, path: row.text("path"))
    }
}
