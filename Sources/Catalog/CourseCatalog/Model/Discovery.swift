package import YAMLSource

/// What a course takes of its provider's listing, and how often the provider is asked. An object: most courses have
/// none, and a catalog may have 200,000.
package final class Discovery: Sendable {
    /// A pattern on titles, as written.
    package struct Pattern: Sendable, Hashable {
        /// `*` and `?` stand for other characters; letter case doesn't matter.
        package let text: String
        package let location: SourceLocation
    }

    /// Only listed videos whose titles match one of them; all, if there are none.
    package let include: [Pattern]
    /// No listed videos whose titles match one of them.
    package let exclude: [Pattern]
    /// Only this number of the newest ones; nil for all.
    package let newest: Int?
    /// The shortest time between two requests; nil for one at each sync.
    package let every: Duration?

    /// The other providers that the listing may name for its videos.
    package let handOver: [ProviderReference]

    /// Takes everything, at each sync, without arguments.
    init(
        include: [Pattern] = [], exclude: [Pattern] = [], newest: Int? = nil, every: Duration? = nil,
        handOver: [ProviderReference] = []
    ) {
        self.include = include
        self.exclude = exclude
        self.newest = newest
        self.every = every
        self.handOver = handOver
    }
}
