package import DownloadStore
import GRDB

extension SearchIndex {
    /// What matches a query: ``SearchIndex/next(_:of:)`` reads it.
    package struct Matches: Sendable {
        /// The rows that have all words, in ascending order; at most ``SearchIndex/mostRanked`` + 1.
        fileprivate let ids: [Int64]
        /// Places in `ids`, the best first; if too many match, in the order of the catalogs.
        fileprivate let order: [Int]
        /// The position of each place in `order`.
        fileprivate let ranks: [Int]
        /// Of each place, whether it has been read.
        fileprivate var isRead: [Bool]
        fileprivate var position = 0

        fileprivate init(ids: [Int64], order: [Int]) {
            (self.ids, self.order) = (ids, order)
            var ranks = order
            for (rank, place) in order.enumerated() { ranks[place] = rank }
            self.ranks = ranks
            isRead = [Bool](repeating: false, count: ids.count)
        }

        /// How many match, those that are gone included; at most ``SearchIndex/mostRanked`` + 1.
        package var count: Int { ids.count }
        /// Whether the best ones are known.
        package var isRanked: Bool { count <= SearchIndex.mostRanked }

        /// The place of a row in `ids`.
        fileprivate func place(of id: Int64) -> Int? {
            var (low, high) = (0, ids.count)
            while low < high {
                let middle = (low + high) / 2
                if ids[middle] < id { low = middle + 1 } else { high = middle }
            }
            return low < ids.count && ids[low] == id ? low : nil
        }
    }

    /// A document that has all words.
    package struct Match: Sendable, Hashable {
        package var source: Source
        /// The subtitle file, relative to the library; nil for titles.
        package var path: String?
    }

    /// If more match, they aren't ranked: to look at each would take too long.
    package static let mostRanked = 10_000

    /// Finds the documents that have all words of a query. Whether the words of a phrase follow each other isn't known
    /// here.
    package func matches(_ query: SearchQuery) throws(StoreError) -> Matches {
        try read { db in
            let ids = try Int64.fetchAll(
                db, sql: "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid LIMIT ?",
                arguments: [Self.expression(query.words.map(Self.quoted)), Self.mostRanked + 1])
            guard ids.count > 1, ids.count <= Self.mostRanked else {
                return Matches(ids: ids, order: Array(ids.indices))
            }
            let scores = try Self.scores(of: ids, by: query, db)
            return Matches(ids: ids, order: ids.indices.sorted { (scores[$1], $0) < (scores[$0], $1) })
        }
    }

    /// The documents of the next videos: those of a video together, where the best of them stands. None at the end.
    package func next(_ videos: Int, of matches: inout Matches) throws(StoreError) -> [[Match]] {
        var next = matches
        defer { matches = next }
        return try read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT * FROM documents WHERE download = (SELECT download FROM documents WHERE id = ?)
                    """)
            var found: [[Match]] = []
            while next.position < next.order.count, found.count < videos {
                let best = next.order[next.position]
                next.position += 1
                if next.isRead[best] { continue }
                let rows = try Row.fetchAll(statement, arguments: [next.ids[best]]).map(StoredRow.init)
                var matching: [(rank: Int, match: Match)] = []
                for row in rows {
                    guard let place = row.integer("id").flatMap(next.place), let match = Match(row) else { continue }
                    next.isRead[place] = true
                    matching.append((next.ranks[place], match))
                }
                // None is left of what is gone.
                if !matching.isEmpty { found.append(matching.sorted { $0.rank < $1.rank }.map(\.match)) }
            }
            return found
        }
    }

    /// The sum of the steps of its words, for each document.
    private static func scores(of ids: [Int64], by query: SearchQuery, _ db: Database) throws -> [Int] {
        var scores = [Int](repeating: 0, count: ids.count)
        let statement = try db.cachedStatement(sql: "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid")
        /// Returns whether any have all parts.
        func add(_ points: Int, having parts: [String]) throws -> Bool {
            let better = try Int64.fetchCursor(statement, arguments: [expression(parts)])
            var (place, isAny) = (0, false)
            while let id = try better.next() {
                isAny = true
                while place < ids.count, ids[place] < id { place += 1 }
                if place < ids.count, ids[place] == id { scores[place] += points }
            }
            return isAny
        }
        let words = query.words.indices.filter { !query.words[$0].isPrefix }
        // One that very many have says little of which are the best, and takes long.
        let rare = query.words.count == 1 ? words : try words.filter { try isRare(query.words[$0], db) }
        for index in rare.isEmpty ? words : rare {
            // What has a word's step has the word.
            let others = rare.isEmpty ? query.words.indices.filter { $0 != index }.map { quoted(query.words[$0]) } : []
            for step in 1...Document.titleStep {
                let marked = "\"\(Document.marked(query.words[index].text, step: step))\""
                if try !add(1, having: others + [marked]) { break }
            }
        }
        if query.words.contains(where: \.isPrefix) {
            _ = try add(Document.titleStep, having: query.words.map(quoted) + ["\"\(Document.titleMark)\""])
        }
        return scores
    }

    private static func isRare(_ word: SearchQuery.Word, _ db: Database) throws -> Bool {
        try Int64.fetchOne(
            db, sql: "SELECT rowid FROM words WHERE words MATCH ? LIMIT 1 OFFSET ?",
            arguments: [quoted(word), mostRanked]) == nil
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
