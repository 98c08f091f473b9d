import ArgumentParser

/// Whose downloads, and where they are: the options that every command takes that opens a user's state.
struct PlaceOptions: SettingOptions {
    @Option(\.user, completion: .users) var user: String?
    @Option(\.library, completion: .directory) var library: String?
    @Option(\.state, completion: .directory) var state: String?
}

/// Who keeps the secrets of logins.
struct HelperOptions: SettingOptions {
    @Option(\.credentialHelper) var credentialHelper: [String] = []
}

/// Where provider plugins are looked for.
struct PluginOptions: SettingOptions {
    @Option(\.plugins, completion: .directory) var plugins: [String] = []
}
