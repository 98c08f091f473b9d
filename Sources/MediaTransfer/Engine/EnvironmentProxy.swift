import Foundation

/// Whether libcurl may go through a proxy, by the variables that it obeys.
enum EnvironmentProxy {
    /// Read once: nothing here changes the environment.
    static let isSet = isSet(in: ProcessInfo.processInfo.environment)

    /// `HTTP_PROXY` isn't one of them: a CGI program would get it from whoever asks.
    static func isSet(in environment: [String: String]) -> Bool {
        ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { name in
            environment[name]?.isEmpty == false
        }
    }
}
