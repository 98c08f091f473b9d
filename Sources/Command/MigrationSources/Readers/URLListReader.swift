import Foundation

/// Reads a folder that wget filled: with its list of URLs (`-i`), or without, and then every file is a record by its
/// name.
package struct WgetReader: SourceReader {
    private let list: URLListReader

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        list = try URLListReader(place, options, of: .wget)
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws { try list.read(body) }

    package func storeFiles() throws -> [String] { list.storeFiles() }
}

/// The same for curl, whose list may also be a configuration file (`-K`).
package struct CurlReader: SourceReader {
    private let list: URLListReader

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        list = try URLListReader(place, options, of: .curl)
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws { try list.read(body) }

    package func storeFiles() throws -> [String] { list.storeFiles() }
}

/// What the two have in common.
struct URLListReader {
    /// The downloader: they differ in what they call a file.
    enum Program {
        case wget, curl

        fileprivate var usual: [String] {
            let lists = ["urls.txt", "list.txt", "downloads.txt", "wget-list", "input.txt"]
            return self == .wget ? lists : lists + ["curl.txt", "curl.conf", "curlrc"]
        }
    }

    private let place: SourceFolder
    private let program: Program
    private let list: String?

    init(_ place: SourceFolder, _ options: SourceOptions, of program: Program) throws(SourceProblem) {
        self.place = place
        self.program = program
        list = try place.list(options.list, among: program.usual)
        guard list == nil else { return }
        var isFound = false
        do {
            try place.walk { isFound = isFound || !MediaFileName.last($0).hasPrefix(".") && !Self.isLog($0) }
        } catch let problem as SourceProblem { throw problem } catch {
            throw .badFormat(path: place.path, .malformed)
        }
        guard isFound else { throw .nothingFound(path: place.path, expected: program.usual) }
    }

    func read(_ body: (SourceRecord) throws -> Void) throws {
        let files = try URLListFolder(place)
        guard let list else { return try files.records(isLeftOut: Self.isLog, body) }
        var keys: Set<String> = []
        func hand(_ record: SourceRecord) throws {
            var record = record
            if !keys.insert(record.key).inserted { record.fault = .repeated }
            try body(record)
        }
        func broken(_ fault: FormatFault, line: Int) -> SourceRecord {
            var record = SourceRecord(key: "#\(line)", state: .unfinished)
            record.fault = .unreadable(path: place.shown(list), fault)
            return record
        }
        switch program {
        case .wget:
            var lines = TextLines()
            func take(_ line: TextLines.Line) throws {
                if let fault = line.fault { return try hand(broken(fault, line: line.number)) }
                let url = line.text.trimmed
                guard !url.isEmpty, !url.hasPrefix("#") else { return }
                try hand(try files.record(url: url, line: line.number, names: Self.wgetNames))
            }
            try place.forEachPiece(of: list) { piece in
                try lines.feed(piece, take)
                return true
            }
            try lines.finish(take)
        case .curl:
            var config = CurlConfig()
            func take(_ transfer: CurlConfig.Transfer) throws {
                if let fault = transfer.fault { return try hand(broken(fault, line: transfer.line)) }
                try hand(
                    try files.record(
                        url: transfer.url, line: transfer.line, output: transfer.output, names: Self.curlNames))
            }
            try place.forEachPiece(of: list) { piece in
                try config.feed(piece, take)
                return true
            }
            try config.finish(take)
        }
    }

    func storeFiles() -> [String] { [list].compactMap(\.self) }

    private static func isLog(_ name: String) -> Bool { MediaFileName.last(name).hasPrefix("wget-log") }

    /// wget decodes the last component and keeps the query; with `-x` or `-r` folders stand for host and path.
    private static func wgetNames(_ address: SourceAddress) -> [String] {
        let last = [address.name ?? "index.html", address.encodedName].compactMap(\.self)
        let folders = (address.names ?? []).dropLast()
        var names: [String] = []
        for folder in [[], [address.host] + folders, Array(folders)] {
            for name in last {
                if let query = address.query {
                    names.append((folder + ["\(name)?\(query)"]).joined(separator: "/"))
                    if let decoded = query.removingPercentEncoding {
                        names.append((folder + ["\(name)?\(decoded)"]).joined(separator: "/"))
                    }
                }
                names.append((folder + [name]).joined(separator: "/"))
            }
        }
        return names
    }

    /// curl takes the last component as it is.
    private static func curlNames(_ address: SourceAddress) -> [String] {
        [address.encodedName, address.name].compactMap(\.self)
    }
}
