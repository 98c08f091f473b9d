import DownloadStore
import Foundation
package import SyncFacts

/// The finished videos of a selection and where their files are, for what plays or copies them.
///
/// Made of a ``StatusReport``, in the order of the catalogs. Every file is looked for at its place: what isn't there is told
/// apart, since a path that leads nowhere helps nobody. Reads only.
package struct FinishedFiles: Sendable {
    /// A finished video and its file.
    package struct Item: Sendable {
        /// Which video.
        package var reference: VideoReference
        /// The file's absolute path.
        package var path: String
        /// In bytes.
        package var size: Int64
        /// Lower-case hex; nil where none is known.
        package var sha256: String?
    }

    /// Those whose files are there.
    package private(set) var items: [Item] = []
    /// Those whose files aren't where the state knows them.
    package private(set) var missing: [Item] = []
    /// Selected videos that aren't finished.
    package private(set) var unfinished = 0

    /// The page of a course, as an absolute path; nil where none was written.
    package static func page(
        of course: String, _ report: StatusReport,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String? {
        guard let library = report.library, let folder = report.folders[course] else { return nil }
        let path = "\(library)/\(folder)/index.html"
        return exists(path) ? path : nil
    }

    /// - Parameter exists: whether a file is there, by its absolute path.
    package init(
        _ report: StatusReport, _ selection: Selection,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) {
        for row in report.rows {
            let reference = row.reference
            guard selection.contains(reference, state: row.state) else { continue }
            guard row.state == .finished, let path = row.path, let library = report.library else {
                unfinished += 1
                continue
            }
            let item = Item(
                reference: reference, path: "\(library)/\(path)", size: row.size ?? 0, sha256: row.sha256)
            if exists(item.path) { items.append(item) } else { missing.append(item) }
        }
    }
}
