#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The proxies that libcurl uses according to its environment variables.
///
/// Related: https://curl.se/libcurl/c/libcurl-env.html
package struct EnvironmentProxy: Sendable {
    /// Of this process. Read once: nothing here changes the environment.
    package static let current = EnvironmentProxy(ProcessInfo.processInfo.environment)

    /// The schemes whose requests go to a proxy.
    private let schemes: Set<String>
    /// The names that are asked directly, in lower case and without dots at either end; nil for all.
    private let exempt: [Substring]?

    package init(_ environment: [String: String]) {
        func has(_ names: String...) -> Bool { names.contains { environment[$0]?.isEmpty == false } }
        // HTTP_PROXY isn't one of them: a CGI program would get it from the requester.
        let all = has("all_proxy", "ALL_PROXY")
        schemes = Set(
            [(all || has("http_proxy"), "http"), (all || has("https_proxy", "HTTPS_PROXY"), "https")]
                .filter(\.0).map(\.1))
        let text = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").lowercased()
        exempt =
            text == "*"
            ? nil : text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(Self.bare).filter { !$0.isEmpty }
    }

    /// Whether there is one for requests of any scheme.
    package var isSet: Bool { !schemes.isEmpty }

    /// Whether a request goes to a proxy, which resolves the name of its host itself.
    package func isUsed(scheme: String, host: String) -> Bool { schemes.contains(scheme) && !isExempt(host) }

    /// Whether the host is asked directly, whatever the proxy. Networks in `no_proxy` aren't understood: they are about
    /// addresses, which say themselves where they are.
    package func isExempt(_ host: String) -> Bool {
        guard let exempt else { return true }
        let host = Self.bare(host.lowercased()[...])
        return exempt.contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    private static func bare(_ name: Substring) -> Substring {
        var name = name.drop { $0 == "." }
        while name.last == "." { name.removeLast() }
        return name
    }
}
