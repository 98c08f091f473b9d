import ArgumentParser

/// The user and the locations: options of every command that opens a user's state.
struct LocationOptions: SettingOptions {
    @Option(\.user, completion: .users) var user: String?
    @Option(\.library, completion: .directory) var library: String?
    @Option(\.state, completion: .directory) var state: String?
}

/// The same for commands that may be about one shard.
struct ShardLocationOptions: SettingOptions {
    @Option(\.user, completion: .users) var user: String?
    @Option(\.library, completion: .directory) var library: String?
    @Option(\.state, completion: .directory) var state: String?
    @Option(\.shard) var shard: String?
    @Option(\.shards) var shards: String?
}

/// The option for the credential helper.
struct HelperOptions: SettingOptions {
    @Option(\.credentialHelper) var credentialHelper: [String] = []
}

/// The option for the folders of provider plugins.
struct PluginOptions: SettingOptions {
    @Option(\.plugins, completion: .directory) var plugins: [String] = []
}
