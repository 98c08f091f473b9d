import ArgumentParser

/// The catalogs of a command; none means those of the settings.
struct CatalogArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Catalog files, - for standard input, or http(s) addresses (default: catalogs in the settings).",
            valueName: "catalog"),
        completion: .file(extensions: ["yaml", "yml"]))
    var catalogs: [String] = []

    /// For ``SettingLayers``.
    var texts: [String: [String]] { catalogs.isEmpty ? [:] : ["catalogs": catalogs] }

    func validate() throws { try Self.check(catalogs) }

    /// Refuses empty names: an unset shell variable leaves an empty word.
    static func check(_ catalogs: [String]) throws {
        guard !catalogs.contains("") else { throw ValidationError("the name of a catalog is empty") }
    }
}
