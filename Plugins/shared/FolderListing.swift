import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file in a folder that is listed as a course.
struct FolderFile: Sendable {
    /// The names from the course's folder down, the file's own last.
    var path: [String]
    var size: Int64?
    var modified: Date?
}

/// Files as a course: a folder is a chapter, a file is a video whose id is its path.
enum FolderListing {
    private static let idBound = 1024

    /// Subfolders as courses, in natural order.
    ///
    /// - Parameter parameters: of the course in a subfolder; nil for one whose name can't be used.
    static func courses(_ names: [String], parameters: (String) -> [String: JSONValue]?) -> CourseList {
        let sorted = names.map { (name: $0, order: NaturalOrder($0)) }.sorted { $0.order < $1.order }
        return CourseList(
            courses: sorted.compactMap { entry in
                parameters(entry.name).map { CourseList.Course(id: entry.name, parameters: $0) }
            })
    }

    /// The listing. Files and chapters are in natural order; those directly in the course's folder are directly in it.
    static func listing(_ files: [FolderFile]) -> Listing {
        var folders: [[String]: [FolderFile]] = [:]
        var tooLong = 0
        for file in files {
            if file.path.joined(separator: "/").utf8.count > idBound {
                tooLong += 1
            } else {
                folders[file.path.dropLast(), default: []].append(file)
            }
        }
        if tooLong > 0 { HostLog.write(.warning, "left out \(tooLong) files whose path has more than 1,024 bytes") }
        let sorted = folders.map { (path: $0.key, order: $0.key.map(NaturalOrder.init), files: $0.value) }
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }
        var listing = Listing()
        for folder in sorted {
            let videos = folder.files.map { (file: $0, order: NaturalOrder($0.path.last ?? "")) }
                .sorted { $0.order < $1.order }.map { video($0.file) }
            if folder.path.isEmpty {
                listing.videos = videos
            } else {
                // An object's key may begin with a slash: its folder has no name.
                let id = folder.path.joined(separator: "/")
                listing.chapters.append(
                    Listing.Chapter(
                        id: id.isEmpty ? "/" : id, title: folder.path.joined(separator: " / "), videos: videos))
            }
        }
        return listing
    }

    private static func video(_ file: FolderFile) -> Listing.Video {
        Listing.Video(
            id: file.path.joined(separator: "/"), title: MediaFiles.title(file.path.last ?? ""),
            publishedAt: file.modified, size: file.size)
    }

    /// The names of a video's id, as a path below the course's folder; nil for a way out of it.
    static func path(ofID id: String) -> [String]? {
        let names = id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return names.contains { $0.isEmpty || $0 == "." || $0 == ".." } ? nil : names
    }
}
