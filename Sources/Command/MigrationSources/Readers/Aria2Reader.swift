import FileSystem
import Foundation
import SystemPackage

/// Reads what aria2 leaves: a saved session or an input file, and the control files beside files that aren't complete.
/// If a folder is given, every medium in it is a record, since a session has nothing that is finished.
package struct Aria2Reader: SourceReader {
    private static let usual = ["aria2.session", "session.txt", "input.txt", "downloads.txt"]
    /// What else lists of addresses are called.
    private static let others = ["urls.txt", "list.txt", "aria2.txt"]

    private let place: SourceFolder
    private let list: String?
    /// What an absolute path of a file in the folder begins with.
    private let roots: [String]

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        self.place = place
        list = try place.list(options.list, among: Self.usual)
        let folder = place.file == nil ? FilePath(place.path) : FilePath(place.path).removingLastComponent()
        let real = URL(filePath: folder.isEmpty ? "." : folder.string).resolvingSymlinksInPath().path
        roots = Array(Set([folder.string, real].filter { $0.hasPrefix("/") }))
        guard list == nil else { return }
        var isFound = false
        do {
            try place.walk { isFound = isFound || Self.isControl($0) || MediaFileName.rank($0) != nil }
        } catch let problem as SourceProblem { throw problem } catch {
            throw .badFormat(path: place.path, .malformed)
        }
        guard isFound else { throw .nothingFound(path: place.path, expected: ["*.aria2"] + Self.usual) }
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        let files = try FileIndex(of: place)
        var keys: Set<String> = []
        var claimed: Set<String> = []
        func hand(_ record: SourceRecord) throws {
            var record = record
            if !keys.insert(record.key).inserted { record.fault = .repeated }
            try body(record)
        }
        if let list {
            var entries = Aria2List()
            func take(_ entry: Aria2List.Entry) throws {
                var entry = Aria2Entry(entry: entry, place: place, roots: roots)
                let record = try entry.record(files)
                if let path = entry.path { claimed.insert(path) }
                try hand(record)
            }
            try place.forEachPiece(of: list) { piece in
                try entries.feed(piece, take)
                return true
            }
            try entries.finish(take)
        }
        guard place.file == nil else { return }
        let listed = try listed(files)
        try place.walk { path in
            let isControl = Self.isControl(path)
            let target = isControl ? String(path.dropLast(6)) : path
            guard isControl || (MediaFileName.rank(path) != nil && files.path(path + ".aria2") == nil),
                !claimed.contains(target)
            else { return }
            var record = SourceRecord(key: target, state: .unfinished)
            record.names = Aria2Entry.names(target)
            if let entry = listed[target] {
                record.url = entry.url
                for name in entry.names where !record.names.contains(name) { record.names.append(name) }
            }
            try Aria2Entry.fill(&record, path: target, files: files, in: place)
            try hand(record)
        }
    }

    /// What the lists beside the session say of files in the folder: a session has nothing that is finished.
    private func listed(_ files: FileIndex) throws -> [String: SourceRecord] {
        var found: [String: SourceRecord] = [:]
        for name in Self.usual + Self.others where name != list {
            guard let path = files.path(name) else { continue }
            var entries = Aria2List()
            func take(_ entry: Aria2List.Entry) throws {
                var entry = Aria2Entry(entry: entry, place: place, roots: roots)
                let record = try entry.record(files)
                if let path = entry.path, record.url != nil, found[path] == nil { found[path] = record }
            }
            try place.forEachPiece(of: path) { piece in
                try entries.feed(piece, take)
                return true
            }
            try entries.finish(take)
        }
        return found
    }

    package func storeFiles() throws -> [String] {
        var paths = [list].compactMap(\.self)
        try place.walk { if Self.isControl($0), place.file == nil { paths.append($0) } }
        return paths
    }

    private static func isControl(_ path: String) -> Bool {
        path.hasSuffix(".aria2") && MediaFileName.last(path).utf8.count > 6
    }
}
