import Foundation

/// The proxy passed to plugins.
package enum ProxySetting {
    /// The first set one of the variables that libcurl uses, too, by the names documented in curl(1); nil if none is
    /// set. It may contain a password.
    package static var ofEnvironment: String? {
        let environment = ProcessInfo.processInfo.environment
        return ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
    }
}
