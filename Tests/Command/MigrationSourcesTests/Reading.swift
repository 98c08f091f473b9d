import Foundation
import MigrationSources
import SystemPackage
import TestSupport

/// Readers of sources in a temporary folder.
enum Reading {
    /// All records of a source.
    static func records(
        _ reader: any SourceReader.Type, _ folder: TemporaryFolder, _ path: String = "",
        _ options: SourceOptions = SourceOptions()
    ) throws -> [SourceRecord] {
        var records: [SourceRecord] = []
        try open(reader, folder, path, options).read { records.append($0) }
        return records
    }

    /// The reader of a source.
    static func open(
        _ reader: any SourceReader.Type, _ folder: TemporaryFolder, _ path: String = "",
        _ options: SourceOptions = SourceOptions()
    ) throws -> any SourceReader {
        try reader.init(try SourceFolder(path.isEmpty ? folder.path.string : folder.at(path).string), options)
    }
}

extension TemporaryFolder {
    /// Writes bytes to a file in it.
    func write(_ bytes: some Sequence<UInt8>, to relative: String) throws {
        try make(relative.split(separator: "/").dropLast().joined(separator: "/"))
        try Data(bytes).write(to: URL(filePath: at(relative).string))
    }
}
