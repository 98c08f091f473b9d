import DownloadStore
import Foundation
package import SyncFacts

/// The finished videos of a selection and their files, for programs that play or copy them.
///
/// Made from a ``StatusReport``, in catalog order. Every file is looked up in its place: missing ones are listed
/// separately. Only reads.
package struct FinishedFiles: Sendable {
    /// A finished video and its file.
    package struct Item: Sendable {
        package var reference: VideoReference
        /// The file's absolute path.
        package var path: String
        /// In bytes.
        package var size: Int64
        /// Lower-case hex; nil if unknown.
        package var sha256: String?
    }

    /// The files that exist.
    package private(set) var items: [Item] = []
    /// The files that are missing in their recorded places.
    package private(set) var missing: [Item] = []
    /// Selected videos that aren't finished.
    package private(set) var unfinished = 0

    /// The page of a course, as an absolute path; nil if there is none.
    package static func page(
        of course: String, _ report: StatusReport,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String? {
        guard let library = report.library, let folder = report.folders[course] else { return nil }
        let path = "\(library)/\(folder)/index.html"
        return exists(path) ? path : nil
    }

    /// What `open` opens: the page of a course that is named as a whole, else the only file. Nil if there is no page
    /// and no only file.
    package func path(toOpen selector: Selector, page: (String) -> String?) -> String? {
        let isCourse = selector.chapter == nil && selector.video == nil && selector.title == nil
        let courses = Set(items.map(\.reference.course))
        if isCourse, courses.count == 1, let page = courses.first.flatMap(page) { return page }
        return items.count == 1 ? items.first?.path : nil
    }

    /// - Parameter exists: whether a file exists at an absolute path.
    package init(
        _ report: StatusReport, _ selection: Selection,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) {
        for row in report.rows {
            let reference = row.reference
            guard selection.contains(reference, state: row.state) else { continue }
            // What is downloaded again has its former file until then.
            guard let path = row.path, let library = report.library,
                row.state == .finished || exists("\(library)/\(path)")
            else {
                unfinished += 1
                continue
            }
            let item = Item(
                reference: reference, path: "\(library)/\(path)", size: row.size ?? 0, sha256: row.sha256)
            if exists(item.path) { items.append(item) } else { missing.append(item) }
        }
    }
}
