/// An entry of `include`, looked up in the folder of its file.
struct CatalogInclude: Sendable, Hashable, Codable {
    let pattern: String
    let folder: String
    /// What it named when it was read, in this order.
    var names: [ResolvedPath] = []
}

/// A path, and what it is without links.
struct ResolvedPath: Sendable, Hashable, Codable {
    let path: String
    let real: String
}
