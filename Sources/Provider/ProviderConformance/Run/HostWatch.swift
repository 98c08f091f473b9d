/// What a server that replays exchanges has seen of the plugin under check.
package struct HostWatch: Sendable {
    /// How many requests came.
    package var requests: @Sendable () -> Int
    /// How many of them may change something: neither GET nor one of those that only read.
    package var writes: @Sendable () -> Int
    /// The requests without an exchange since the last call.
    package var takeMissing: @Sendable () -> [MissingExchange]
    /// The requests with a cookie that isn't for this server.
    package var strays: @Sendable () -> [String]
    /// The files of the exchanges that no request has got.
    package var unused: @Sendable () -> [String]

    package init(
        requests: @escaping @Sendable () -> Int, writes: @escaping @Sendable () -> Int,
        takeMissing: @escaping @Sendable () -> [MissingExchange], strays: @escaping @Sendable () -> [String],
        unused: @escaping @Sendable () -> [String]
    ) {
        self.requests = requests
        self.writes = writes
        self.takeMissing = takeMissing
        self.strays = strays
        self.unused = unused
    }
}
