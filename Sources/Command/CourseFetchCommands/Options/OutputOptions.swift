import ArgumentParser

/// Options for the output of a sync.
struct OutputOptions: SettingOptions {
    @Flag(\.quiet) var quiet: Bool?
    @Flag(\.verbose) var verbose: Bool?
    @Flag(\.trace) var trace = false
    @Flag(\.json) var json = false
    @Flag(\.progress) var progress: Bool?
}
