import ArgumentParser
import RunAccess
import SyncFacts

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
    @Option(\.localState, completion: .directory) var localState: String?
}

/// The option of commands that reach the shards of a user, and aren't about one of them.
struct ShardStatesOption: SettingOptions {
    @Option(\.localState, completion: .directory) var localState: String?
}

/// The option for what shards divide.
struct ShardUnitOption: SettingOptions {
    @Option(\.shardBy, completion: .list(["course", "video"])) var shardBy: String?
}

/// The option of commands that can be about all shards of a library.
struct AllShardsOption: ParsableArguments {
    @Flag(help: "All shards of the library as one, wherever their states are.")
    var allShards = false
}

extension SyncSettings {
    /// The location for commands that can be about all shards of a library.
    func location(of option: AllShardsOption) throws(ValidationError) -> StateLocation {
        var location = shardLocation
        if option.allShards {
            if self.shard.origin == .option {
                throw ValidationError("--shard and --all-shards can't be used together")
            }
            SuggestedCommand.rememberAllShards()
            location.shard = nil
            location.shardProblem = nil
            location.takesAllShards = true
        }
        return location
    }
}

/// The option for the credential helper.
struct HelperOptions: SettingOptions {
    @Option(\.credentialHelper) var credentialHelper: [String] = []
}

/// The option for the folders of provider plugins.
struct PluginOptions: SettingOptions {
    @Option(\.plugins, completion: .directory) var plugins: [String] = []
}
