import ArgumentParser

/// How a sync transfers, what it may delete, and its limits.
struct TransferOptions: SettingOptions {
    @Option(\.layout) var layout: String?
    @Option(\.jobs) var jobs: String?
    @Option(\.limitRate) var limitRate: String?
    @Option(\.bwlimit) var bwlimit: String?
    @Option(\.maxConnectionsPerHost) var maxConnectionsPerHost: String?
    @Option(\.connectionsPerFile) var connectionsPerFile: String?
    @Option(\.segmentsPerDownload) var segmentsPerDownload: String?
    @Option(\.ffmpeg, completion: .file()) var ffmpeg: String?
    @Option(\.container, completion: .list(["file", "package"])) var container: String?
    @Option(\.retries) var retries: String?
    @Option(\.maxWait) var maxWait: String?
    @Option(\.maxSize) var maxSize: String?
    @Option(\.caFile, completion: .file(extensions: ["pem", "crt"])) var caFile: String?
    @Option(\.shardBy, completion: .list(["course", "video"])) var shardBy: String?
    @Flag(\.limitsPerShard) var limitsPerShard: Bool?
    @Flag(\.checksum) var checksum: Bool?
    @Option(\.only, completion: .selectors) var only: [String] = []
    @Flag(\.discover) var discover: Bool?
    @Flag(\.acceptListing) var acceptListing = false
    @Flag(\.prune) var prune: Bool?
    @Option(\.maxDelete) var maxDelete: String?
    @Flag(\.refetchLost) var refetchLost: Bool?
    @Flag(\.retryFailed) var retryFailed: Bool?
    @Flag(\.dryRun) var dryRun = false
    @Flag(\.list) var list = false
}
