import Foundation

/// The proxy that plugins are told of.
package enum ProxySetting {
    /// The first of the variables that libcurl obeys too, by the names that curl(1) documents; nil without one. It may hold
    /// a password.
    package static var ofEnvironment: String? {
        let environment = ProcessInfo.processInfo.environment
        return ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
    }
}
