/// Reads a list that somebody wrote for this purpose: CSV with a header line, or JSON objects. Paths are relative to
/// the folder of the list.
package struct ManifestReader: SourceReader {
    private typealias Column = ManifestEntry.Column

    private enum Form {
        /// The column of each field; nil for one that isn't known.
        case csv([Column?])
        case json(JSONList.Start)
    }

    private let place: SourceFolder
    private let file: String
    private let form: Form

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        guard let file = place.file, let head = try place.beginning(of: file, upTo: JSONList.longest) else {
            throw .notAFile(path: place.path)
        }
        self.place = place
        self.file = file
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let first = head.dropFirst(head.starts(with: mark) ? 3 : 0).first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            let start: Result<JSONList.Start, FormatFault> = head.withUnsafeBytes { bytes in
                do throws(FormatFault) {
                    return .success(try JSONList.start(in: bytes, known: Self.known))
                } catch { return .failure(error) }
            }
            switch start {
            case .success(let start): form = .json(start)
            case .failure(let fault): throw .badFormat(path: place.path, fault)
            }
        } else {
            form = .csv(try Self.columns(head, path: place.path))
        }
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        var keys: Set<String> = []
        func hand(_ record: SourceRecord) throws {
            var record = record
            if !keys.insert(record.key).inserted { record.fault = .repeated }
            try body(record)
        }
        switch form {
        case .csv(let columns): try readRows(columns, hand)
        case .json(let start): try readObjects(start, hand)
        }
    }

    package func storeFiles() throws -> [String] { [file] }

    private static let known = Set(Column.allCases.map(\.rawValue))

    /// What the header line says. Without a column that tells which video or file is meant there can be no record.
    private static func columns(_ head: [UInt8], path: String) throws(SourceProblem) -> [Column?] {
        var first: CSV.Row?
        do {
            var csv = CSV()
            try head.withUnsafeBytes { try csv.feed($0) { first = first ?? $0 } }
            if first == nil { try csv.finish { first = $0 } }
        } catch { throw .badFormat(path: path, .malformed) }
        guard let row = first else { throw .missingField(path: path, "path") }
        if let fault = row.fault { throw .badFormat(path: path, fault) }
        let columns = row.fields.map { name in
            Column(
                rawValue: name.lowercased().split { $0 == " " || $0 == "_" || $0 == "-" }.joined(separator: "_"))
        }
        let found = columns.compactMap(\.self)
        guard found.contains(.path) || found.contains(.url) || (found.contains(.course) && found.contains(.video))
        else {
            throw .missingField(path: path, "path")
        }
        guard Set(found).count == found.count else { throw .badFormat(path: path, .line(row.line)) }
        return columns
    }

    private func readRows(_ columns: [Column?], _ hand: (SourceRecord) throws -> Void) throws {
        var csv = CSV()
        var isHeader = true
        func take(_ row: CSV.Row) throws {
            if isHeader { return isHeader = false }
            if row.fault == nil, row.fields.allSatisfy(\.isEmpty) { return }
            var entry = ManifestEntry(line: row.line, isText: true)
            guard row.fault == nil, row.fields.dropFirst(columns.count).allSatisfy(\.isEmpty) else {
                return try hand(broken(row.fault ?? .line(row.line), line: row.line))
            }
            for (column, text) in zip(columns, row.fields) {
                if let column, !text.isEmpty { entry.values[column] = .text(text) }
            }
            try hand(entry.record())
        }
        try place.forEachPiece(of: file) { piece in
            try csv.feed(piece, take)
            return true
        }
        try csv.finish(take)
    }

    private func readObjects(_ start: JSONList.Start, _ hand: (SourceRecord) throws -> Void) throws {
        var list = JSONList(start)
        func take(_ item: JSONList.Item) throws {
            switch item {
            case .fault(let fault, let line): try hand(broken(fault, line: line))
            case .object(let bytes, let line):
                var entry = ManifestEntry(line: line, isText: false)
                do throws(FormatFault) {
                    for (key, value) in try JSONFields.of(bytes, wanted: Self.known) {
                        if let column = Column(rawValue: key) { entry.values[column] = value }
                    }
                } catch { return try hand(broken(error, line: line)) }
                try hand(entry.record())
            }
        }
        try place.forEachPiece(of: file, from: start.offset) { piece in
            try list.feed(piece, take)
            return true
        }
        try list.finish(take)
    }

    private func broken(_ fault: FormatFault, line: Int) -> SourceRecord {
        var record = SourceRecord(key: "#\(line)", state: .unfinished)
        record.fault = .unreadable(path: place.path, fault)
        return record
    }
}
