/// Bounds of the catalog format in addition to those of YAML.
enum CatalogBounds {
    /// Bytes of an id.
    static let identifier = 1024
    /// Bytes of what comes before the ids of a provider's courses.
    static let prefix = 64
    /// The greatest priority, and the negative of the least.
    static let priority = 1_000_000
    /// The greatest number of an episode or a season.
    static let number = 99_999_999
    /// Includes inside includes.
    static let depth = 8
    /// Listed videos of a course.
    static let newest = 200_000
    /// Files of a run.
    static let files = 1000
}
