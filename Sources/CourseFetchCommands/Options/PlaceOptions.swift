import ArgumentParser

/// Whose downloads, and where they are: the options that every command takes that opens a user's state.
struct PlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Whose downloads (default: your account's name).", valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp(
            "Folder that finished media live in; {user} is replaced (default: ~/coursefetch/NAME).", valueName: "folder"
        ),
        completion: .directory)
    var library: String?

    @Option(
        help: ArgumentHelp(
            "Folder that the state lives in (default: ~/.local/state/coursefetch).", valueName: "folder"),
        completion: .directory)
    var state: String?

    /// The texts given, by the names of their settings.
    var texts: [String: [String]] {
        ["user": user, "library": library, "state": state].compactMapValues { $0.map { [$0] } }
    }
}

/// Where provider plugins are looked for.
struct PluginOptions: ParsableArguments {
    @Option(
        name: .customLong("plugins"), parsing: .singleValue,
        help: ArgumentHelp(
            "Folder to look for provider plugins in, before all others; may be given several times.",
            valueName: "folder"),
        completion: .directory)
    var folders: [String] = []

    /// The texts given, by the names of their settings.
    var texts: [String: [String]] { folders.isEmpty ? [:] : ["plugins": folders] }
}
