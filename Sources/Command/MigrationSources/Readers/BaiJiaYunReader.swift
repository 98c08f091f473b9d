import FileSystem
import Foundation

/// Reads the download root of BaiJiaYun's player: `PMDownload`, with complete files in `Cache`, begun ones in `Temp`,
/// and records in an archive of the app.
package struct BaiJiaYunReader: SourceReader {
    private static let rootName = "PMDownload"
    private static let endings = ["plist", "archive", "json", "data"]
    private static let sizeBound = 64 << 20
    /// No app's other lists have these.
    private static let knownBy: Set = ["videoFileName", "signalFileName", "classId", "vid"]

    private let place: SourceFolder
    /// Before each path: empty, or the root's name with a slash.
    private let prefix: String
    private let archives: [String]

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        guard place.file == nil else { throw .notAFolder(path: place.path) }
        self.place = place
        prefix = SourceEntry.hasFolder(Self.rootName, in: place) ? Self.rootName + "/" : ""
        if let list = options.list {
            guard let path = SourceFolder.relative(list), try place.facts(of: path) != nil else {
                throw .missing(path: place.shown(list))
            }
            archives = [path]
            return
        }
        let prefix = prefix
        let entries = try SourceEntry.all(in: String(prefix.dropLast()), of: place)
        archives = entries.filter { entry in
            !entry.isFolder && Self.endings.contains { entry.name.lowercased().hasSuffix("." + $0) }
        }.map { prefix + $0.name }
        guard !archives.isEmpty || entries.contains(where: { $0.isFolder && $0.name == "Cache" }) else {
            throw .nothingFound(path: place.path, expected: ["PMDownload/", "Cache/"] + Self.endings.map { "*." + $0 })
        }
    }

    package func storeFiles() throws -> [String] {
        // Other lists that lie there aren't the player's.
        try archives.filter { path in
            guard let data = try place.data(path, upTo: Self.sizeBound) else { return false }
            var hasRecord = false
            try? RecordList(Array(data), knownBy: Self.knownBy).forEach { _ in
                hasRecord = true
                throw CancellationError()
            }
            return hasRecord
        }
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        var keys = RepeatedKeys()
        var count = 0
        try forEachRecord { record in
            keys.note(record.key, count, isFinished: record.state == .finished && record.fault == nil)
            count += 1
        }
        guard count > 0 else { return try files(body) }
        var number = 0
        try forEachRecord { record in
            var record = record
            if record.fault == nil, keys.isRepeated(record.key, number) { record.fault = .repeated }
            number += 1
            try body(record)
        }
    }

    private func forEachRecord(_ body: (SourceRecord) throws -> Void) throws {
        for path in archives {
            var number = 0
            do {
                guard let data = try place.data(path, upTo: Self.sizeBound) else { continue }
                try RecordList(Array(data), knownBy: Self.knownBy).forEach { found in
                    number += 1
                    try body(record(found, "\(path)#\(number)", path))
                }
            } catch let fault as FormatFault {
                try body(Self.unreadable(path, path, fault))
            } catch SourceProblem.badFormat(_, let fault) {
                try body(Self.unreadable(path, path, fault))
            } catch SourceProblem.unreadable {
                try body(Self.unreadable(path, path, nil))
            }
        }
    }

    private static func unreadable(_ key: String, _ path: String, _ fault: FormatFault?) -> SourceRecord {
        var record = SourceRecord(key: key, state: .unfinished)
        record.fault = .unreadable(path: path, fault)
        return record
    }

    private func record(
        _ found: Result<RecordList.Fields, FormatFault>, _ place: String, _ path: String
    ) -> SourceRecord {
        switch found {
        case .failure(let fault): return Self.unreadable(place, path, fault)
        case .success(let fields):
            return BaiJiaYunRecord(fields).record(key: place, in: self.place, prefix: prefix)
        }
    }

    /// Without records: the complete files, by their names.
    private func files(_ body: (SourceRecord) throws -> Void) throws {
        for entry in try SourceEntry.all(in: prefix + "Cache", of: place)
        where !entry.isFolder && !entry.name.hasPrefix(".") {
            var record = SourceRecord(key: entry.name, state: .finished)
            record.names = SourceRecord.names(entry.name, SourceRecord.stem(entry.name))
            record.file = SourceFile(path: "\(prefix)Cache/\(entry.name)")
            try body(record)
        }
    }
}
