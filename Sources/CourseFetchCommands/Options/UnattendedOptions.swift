import ArgumentParser

/// What a sync may use up, whom it waits for and whom it tells: for runs that nobody watches.
struct UnattendedOptions: SettingOptions {
    @Option(\.maxDuration) var maxDuration: String?
    @Option(\.until) var until: String?
    @Option(\.maxTransfer) var maxTransfer: String?
    @Option(\.minFreeSpace) var minFreeSpace: String?
    @Option(\.wait) var wait: String?
    @Flag(\.watch) var watch: Bool?
    @Option(\.every) var every: String?
    @Option(\.report, completion: .file(extensions: ["json"])) var report: String?
    @Option(\.onFinish) var onFinish: String?
}
