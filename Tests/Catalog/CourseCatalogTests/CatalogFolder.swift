import CourseCatalog
import Foundation
import YAMLSource

/// A folder with catalog files that lasts as long as a test.
final class CatalogFolder {
    let path: String

    init(_ files: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "coursefetch-catalog-\(UUID().uuidString)")
        path = folder.path(percentEncoded: false)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    /// A folder with one catalog: `text` below a line of version.
    convenience init(catalog text: String) throws { try self.init(["catalog.yaml": "version: 1\n" + text]) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        let file = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func read(_ names: String..., limits: YAMLLimits = .catalog) -> CatalogReading {
        CatalogReader.read((names.isEmpty ? ["catalog.yaml"] : names).map { "\(path)/\($0)" }, limits: limits)
    }

    /// A reading's report with the folder's own name left out.
    func report(_ reading: CatalogReading) -> String { reading.report.replacingOccurrences(of: path + "/", with: "") }

    /// `line:column: message` of each diagnostic, the folder's own name left out.
    func messages(_ reading: CatalogReading) -> [String] {
        reading.diagnostics.map { diagnostic in
            let severity = diagnostic.severity == .warning ? "warning: " : ""
            return "\(diagnostic.line):\(diagnostic.column): \(severity)\(diagnostic.summary)"
                .replacingOccurrences(of: path, with: "FOLDER")
        }
    }
}

extension Catalog {
    /// The videos of all courses in order, those of a course itself first.
    var videos: [Video] { courses.flatMap { Array($0.videos) + $0.chapters.flatMap { Array($0.videos) } } }
}
