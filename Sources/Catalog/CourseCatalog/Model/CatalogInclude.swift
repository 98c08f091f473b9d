/// An entry of `include`, looked up in the folder of its file.
struct CatalogInclude: Sendable, Hashable, Codable {
    let pattern: String
    let folder: String
}
