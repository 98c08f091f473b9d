import Foundation

/// Whether libcurl may go through a proxy, by the variables that it obeys.
enum EnvironmentProxy {
    /// Read once: nothing here changes the environment.
    static let isSet = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { name in
        ProcessInfo.processInfo.environment[name]?.isEmpty == false
    }
}
