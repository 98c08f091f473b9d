import Foundation

/// Whether libcurl may use a proxy, according to its environment variables.
enum EnvironmentProxy {
    /// Read once: nothing here changes the environment.
    static let isSet = isSet(in: ProcessInfo.processInfo.environment)

    /// `HTTP_PROXY` isn't one of them: a CGI program would get it from the requester.
    static func isSet(in environment: [String: String]) -> Bool {
        ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { name in
            environment[name]?.isEmpty == false
        }
    }
}
