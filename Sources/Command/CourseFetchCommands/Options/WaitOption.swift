import ArgumentParser

/// The option of a command that waits for another one of the same user.
struct WaitOption: SettingOptions {
    @Option(\.wait) var wait: String?
}
