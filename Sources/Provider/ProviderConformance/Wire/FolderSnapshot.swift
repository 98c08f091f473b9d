import Foundation

/// The names, sizes and times of the files in a folder. Python's `__pycache__` isn't counted.
struct FolderSnapshot: Sendable, Equatable {
    private struct Entry: Sendable, Equatable {
        var size: Int
        var changed: Date?
    }

    private var entries: [String: Entry] = [:]

    /// The present contents of a folder, at any depth; at most 20,000 entries.
    init(_ folder: String) {
        guard let names = FileManager.default.enumerator(atPath: folder) else { return }
        for case let name as String in names {
            if name.split(separator: "/").contains("__pycache__") { continue }
            let facts = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            let isFolder = facts?[.type] as? FileAttributeType == .typeDirectory
            entries[name] = Entry(
                size: isFolder ? 0 : facts?[.size] as? Int ?? 0,
                changed: isFolder ? nil : facts?[.modificationDate] as? Date)
            if entries.count == 20_000 { return }
        }
    }

    /// The files that were made, changed or removed between this snapshot and a later one.
    func changes(to later: FolderSnapshot) -> [String] {
        Set(entries.keys).union(later.entries.keys).filter { entries[$0] != later.entries[$0] }.sorted()
    }
}
