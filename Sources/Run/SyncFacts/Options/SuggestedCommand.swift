import Synchronization

/// A command that a message suggests. Pasted, it acts on the same user, state, library and plugins as the command whose
/// message it is in.
package enum SuggestedCommand {
    /// The places of this process that a pasted command wouldn't have by itself.
    package struct Places: Sendable, Equatable {
        package var user: String?
        package var state: String?
        package var library: String?
        package var plugins: [String]
        /// As `2/8`.
        package var shard: String?
        package var localState: String?
        /// Whether the command is about all shards.
        package var takesAllShards = false

        package init(
            user: String? = nil, state: String? = nil, library: String? = nil, plugins: [String] = [],
            shard: String? = nil, localState: String? = nil
        ) {
            self.shard = shard
            self.localState = localState
            self.user = user
            self.state = state
            self.library = library
            self.plugins = plugins
        }
    }

    /// The commands without any of these options; all others have `--user`, `--state` and `--library`.
    package static let withoutPlaces: Set = [
        "check", "help", "init", "plugins list", "plugins check", "plugins install", "plugins new", "plugins remove",
        "catalog from-streams",
    ]
    /// The commands that have `--plugins`.
    package static let withPlugins: Set = [
        "add", "catalog from", "check", "doctor", "list", "login", "logout", "migrate", "plugins list", "resolve",
        "retry",
        "sync",
    ]

    /// The commands that have `--shard`.
    package static let withShard: Set = [
        "cancel", "copy", "doctor", "forget", "history", "library adopt", "library move", "open", "path", "pause",
        "prioritize", "remove", "resume", "retry", "search", "serve", "set", "status", "sync", "verify",
    ]

    /// The commands that have `--all-shards`.
    package static let withAllShards: Set = [
        "cancel", "copy", "doctor", "history", "logout", "path", "pause", "prioritize", "remove", "resume", "retry",
        "search", "serve", "status", "sync", "verify",
    ]

    /// One process is one command, so that its places hold for all of its messages.
    private static let given = Mutex(Places())
    /// Other places, for a part of the process.
    @TaskLocal package static var scoped: Places?

    /// Remembers places of this process; a command may read its options in several parts.
    package static func remember(_ places: Places) {
        given.withLock { given in
            given = Places(
                user: places.user ?? given.user, state: places.state ?? given.state,
                library: places.library ?? given.library,
                plugins: places.plugins.isEmpty ? given.plugins : places.plugins, shard: places.shard ?? given.shard,
                localState: places.localState ?? given.localState)
        }
    }

    /// Remembers that this process is about all shards.
    package static func rememberAllShards() { given.withLock { $0.takesAllShards = true } }

    /// What `body` words about one shard, while this process is about all of them: its commands are about that shard.
    package static func about<Result>(shard: String, _ body: () -> Result) -> Result {
        var places = scoped ?? given.withLock { $0 }
        (places.shard, places.takesAllShards) = (shard, false)
        return $scoped.withValue(places, operation: body)
    }

    /// `coursefetch`, these words, and the options for the places, unless the words have them already.
    package static func text(_ words: String) -> String {
        (["coursefetch", words] + options(for: words)).joined(separator: " ")
    }

    private static func options(for words: String) -> [String] {
        let places = scoped ?? given.withLock { $0 }
        var options: [(name: String, value: String)] = []
        if !begins(words, with: withoutPlaces) {
            options += [("user", places.user), ("state", places.state), ("library", places.library)]
                .compactMap { name, value in value.map { (name, $0) } }
        }
        // Its argument is the library.
        if begins(words, with: ["library move"]) { options.removeAll { $0.name == "library" } }
        if begins(words, with: withPlugins) { options += places.plugins.map { ("plugins", $0) } }
        if begins(words, with: withShard) {
            if let shard = places.shard, !places.takesAllShards { options.append(("shard", shard)) }
            if let folder = places.localState { options.append(("local-state", folder)) }
        }
        let flags = places.takesAllShards && begins(words, with: withAllShards) ? ["--all-shards"] : []
        return flags
            + options.filter { !" \(words) ".contains(" --\($0.name) ") }
            .map { "--\($0.name) \(ShellWord.quoted($0.value))" }
    }

    private static func begins(_ words: String, with commands: Set<String>) -> Bool {
        let parts = words.split(separator: " ")
        return commands.contains(parts.prefix(1).joined()) || commands.contains(parts.prefix(2).joined(separator: " "))
    }
}
