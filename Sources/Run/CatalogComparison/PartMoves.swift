import DownloadStore
import MediaLibrary

/// Where the files beside a video's own one go when that gets another stem, or its views get other names.
struct PartMoves {
    private let old: String
    private let new: String
    private let id: String
    private let names: ViewNames
    /// The present stems of the other views, by their roles.
    private let views: [String: String]

    init(_ parts: [PartPath], from old: String, to new: String, id: String, _ names: ViewNames) {
        (self.old, self.new, self.id, self.names) = (old, new, id, names)
        views = Dictionary(
            parts.compactMap { part in
                guard part.isView, let role = part.role else { return nil }
                return (role, String(part.path[..<(part.path.lastIndex(of: ".") ?? part.path.endIndex)]))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The new path of a file.
    func path(_ part: PartPath) -> String {
        guard let role = part.role, let view = views[role], names.areOfLayout || !view.hasPrefix(old + " (") else {
            return Reconciler.following(part.path, from: old, to: new, extensions: 1)
        }
        let stem = names.stem(of: role, beside: new, id: id)
        return Reconciler.following(part.path, from: view, to: stem, extensions: 1)
    }
}
