import FileSystem
import Foundation

/// Reads the root folder of LYFDownloader: complete files in `downloadFile`, and for what isn't complete property lists
/// in `resumeData`, both by the keys that the app gave.
package struct LYFDownloaderReader: SourceReader {
    private static let files = "downloadFile"
    private static let lists = "resumeData"
    private static let sizeBound = 4 << 20

    private let place: SourceFolder

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        guard place.file == nil else { throw .notAFolder(path: place.path) }
        guard SourceEntry.hasFolder(Self.files, in: place) || SourceEntry.hasFolder(Self.lists, in: place) else {
            throw .nothingFound(path: place.path, expected: [Self.files + "/", Self.lists + "/"])
        }
        self.place = place
    }

    package func storeFiles() throws -> [String] { try names(in: Self.lists).map { "\(Self.lists)/\($0)" } }

    private func names(in folder: String) throws(SourceProblem) -> [String] {
        try SourceEntry.all(in: folder, of: place).filter { !$0.isFolder && !$0.name.hasPrefix(".") }.map(\.name)
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        let complete = try names(in: Self.files)
        let begun = try names(in: Self.lists)
        let alsoBegun = Set(begun)
        for key in complete {
            var record = Self.record(key, .finished)
            record.file = SourceFile(path: "\(Self.files)/\(key)")
            if alsoBegun.contains(key) { record.url = (try? resume(key))?.address }
            try body(record)
        }
        let known = Set(complete)
        // The file came after the list, which was forgotten.
        for key in begun where !known.contains(key) { try body(try unfinished(key)) }
    }

    private static func record(_ key: String, _ state: SourceRecord.State) -> SourceRecord {
        var record = SourceRecord(key: key, state: state)
        record.names = SourceRecord.names(key, SourceRecord.stem(key))
        return record
    }

    private func unfinished(_ key: String) throws -> SourceRecord {
        var record = Self.record(key, .unfinished)
        do {
            let resume = try resume(key)
            record.url = resume.address
            record.partial = resume.partial(
                in: place, folders: ["tmp", Self.lists, Self.files, "."], total: nil)
        } catch let fault as FormatFault {
            record.fault = .unreadable(path: "\(Self.lists)/\(key)", fault)
        } catch SourceProblem.badFormat(_, let fault) {
            record.fault = .unreadable(path: "\(Self.lists)/\(key)", fault)
        } catch SourceProblem.unreadable {
            record.fault = .unreadable(path: "\(Self.lists)/\(key)", nil)
        }
        return record
    }

    private func resume(_ key: String) throws -> ResumeData {
        guard let data = try place.data("\(Self.lists)/\(key)", upTo: Self.sizeBound) else {
            throw FormatFault.truncated
        }
        return try ResumeData(Array(data))
    }
}
