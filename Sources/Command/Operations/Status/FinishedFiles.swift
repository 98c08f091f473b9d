import DownloadStore
import FileSystem
import Foundation
package import SyncFacts

/// The finished videos of a selection and their files, for programs that play or copy them.
///
/// Takes rows one by one, and looks each file up in its place. Only reads.
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
        /// Which view of the video it is, or belongs to; nil if its provider has no word for it.
        package var stream: String?
    }

    private let exists: @Sendable (String) -> Bool
    /// The number of files that exist, and the first of them.
    package private(set) var count = 0
    package private(set) var first: Item?
    /// The number of files that are missing in their recorded places, and the first of them.
    package private(set) var missing = 0
    package private(set) var firstMissing: Item?
    /// Selected videos that aren't finished.
    package private(set) var unfinished = 0
    private var hasSeveralCourses = false

    /// - Parameter exists: whether a file exists at an absolute path.
    package init(exists: @escaping @Sendable (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }) {
        self.exists = exists
    }

    /// Takes a row of the selection. Returns its file if it exists.
    ///
    /// - Parameter library: the folder of its path; nil if the state knows none.
    package mutating func add(_ row: StatusRow, library: String?) -> Item? {
        // What is downloaded again has its former file until then.
        guard let path = row.path, let library, row.state == .finished || exists("\(library)/\(path)") else {
            unfinished += 1
            return nil
        }
        let item = Item(
            reference: row.reference, path: "\(library)/\(path)", size: row.size ?? 0, sha256: row.sha256,
            stream: row.role)
        guard exists(item.path) else {
            missing += 1
            firstMissing = firstMissing ?? item
            return nil
        }
        count += 1
        if let first, first.reference.course != item.reference.course { hasSeveralCourses = true }
        first = first ?? item
        return item
    }

    /// The files that belong to a row's video beside its own one, as far as they exist.
    package mutating func addParts(of row: StatusRow, library: String?) -> [Item] {
        guard let library, row.state == .finished else { return [] }
        let items = row.parts.map { part in
            Item(
                reference: row.reference, path: "\(library)/\(part.path)", size: part.size, sha256: part.sha256?.hex,
                stream: part.viewOfPart ?? row.role)
        }
        return items.filter { item in
            guard exists(item.path) else {
                missing += 1
                firstMissing = firstMissing ?? item
                return false
            }
            return true
        }
    }

    /// What `open` opens.
    package enum Target: Sendable {
        case file(Item)
        /// The page of a course.
        case page(course: String, path: String)

        package var path: String {
            switch self {
            case .file(let item): item.path
            case .page(_, let path): path
            }
        }
    }

    /// The page of a course that is named as a whole, else the only file. Nil if there is no page and no only file.
    package func target(of selector: Selector, page: (String) -> String?) -> Target? {
        let isCourse = selector.chapter == nil && selector.video == nil && selector.title == nil
        if isCourse, !hasSeveralCourses, let course = first?.reference.course, let path = page(course) {
            return .page(course: course, path: path)
        }
        return count == 1 ? first.map(Target.file) : nil
    }
}
