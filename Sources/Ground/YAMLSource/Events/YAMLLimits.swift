/// The bounds of a YAML text.
package struct YAMLLimits: Sendable {
    /// Bytes of the text.
    package var bytes: Int
    /// Values after aliases are resolved.
    package var nodes: Int
    /// The depth of nested values.
    package var depth: Int
    package var scalarBytes: Int
    /// Bytes of memory of kept values, by the estimates of ``YAMLCost``.
    package var memory = Int.max
    /// Bytes of memory of one part (``YAMLEventReader/beginPart()``), by the same estimates.
    package var partMemory = Int.max

    /// The message if `bytes` is exceeded.
    package var tooLong: String
    /// The message if `nodes` is exceeded.
    package var tooMany: String
    /// The message if `memory` is exceeded.
    package var tooLarge = "this text takes too much memory"

    /// Bounds of a single text.
    package init(bytes: Int, nodes: Int, depth: Int, scalarBytes: Int) {
        (self.bytes, self.nodes, self.depth, self.scalarBytes) = (bytes, nodes, depth, scalarBytes)
        tooLong = "the file is longer than \(bytes) bytes"
        tooMany = "more than \(nodes) values once aliases are expanded; use fewer aliases"
    }

    /// The bounds of the catalog format.
    package static let catalog = catalog(parts: 1)

    /// The bounds of catalogs that are divided into parts, of which a run keeps one. What it keeps may be as much as
    /// without parts; the text that it reads may be as many times longer as there are parts, up to ``mostParts``.
    package static func catalog(parts: Int) -> YAMLLimits {
        let times = min(parts, mostParts)
        var limits = YAMLLimits(bytes: (256 << 20) * times, nodes: 10_000_000 * times, depth: 64, scalarBytes: 1 << 20)
        limits.tooLong = "the catalogs of a run can't be larger than \(limits.bytes >> 20) MiB in total"
        limits.memory = 128 << 20
        limits.partMemory = 64 << 20
        limits.tooLarge =
            parts == 1
            ? "the catalogs of a run take more than 128 MiB of memory up to here; split them into files and sync "
                + "each in its own run"
            : "one course takes more than 64 MiB of memory up to here, or all courses of this shard more than 128 MiB; "
                + "use more shards, or split the catalogs into files and sync each in its own run"
        return limits
    }

    /// How many times the text of a whole run its shards may read.
    private static let mostParts = 16
    /// Bounds for a manifest or a settings file.
    package static let smallFile = YAMLLimits(bytes: 1 << 20, nodes: 100_000, depth: 64, scalarBytes: 1 << 20)
}
