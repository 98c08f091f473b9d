import ArgumentParser

/// Catalogs as they are named on the command line.
enum CatalogArgument {
    /// Refuses what names no file: a shell variable that isn't set leaves an empty word.
    static func check(_ catalogs: [String]) throws {
        guard !catalogs.contains("") else { throw ValidationError("the name of a catalog is empty") }
    }
}
