import ArgumentParser

/// Limits, waiting and notifications of a sync: for unattended runs.
struct UnattendedOptions: SettingOptions {
    @Option(\.maxDuration) var maxDuration: String?
    @Option(\.until) var until: String?
    @Option(\.between) var between: String?
    @Option(\.maxTransfer) var maxTransfer: String?
    @Option(\.minFreeSpace) var minFreeSpace: String?
    @Option(\.wait) var wait: String?
    @Flag(\.watch) var watch: Bool?
    @Option(\.every) var every: String?
    @Option(\.report, completion: .file(extensions: ["json"])) var report: String?
    @Option(\.metricsFile, completion: .file(extensions: ["prom"])) var metricsFile: String?
    @Option(\.onFinish) var onFinish: String?
}
