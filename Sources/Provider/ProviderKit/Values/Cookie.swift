#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cookie of a browser's session, and the requests that it goes with.
///
/// Related: RFC 6265 §5.3, §5.4
public struct Cookie: Sendable, Hashable, PrintsRedacted {
    /// The host that it is of, in lower case and without a dot before it.
    public let domain: String
    /// Whether it also goes to the hosts below ``domain``. Never with an address or a name of one label.
    public let includesSubdomains: Bool
    /// It goes to this path and those below it; begins with a slash.
    public let path: String
    /// Whether it goes over https only.
    public let isSecure: Bool
    /// Whether scripts of pages don't see it.
    public let isHTTPOnly: Bool
    /// Nil for one that ends with the browser's session.
    public let expiresAt: Date?
    public let name: String
    public let value: String

    /// - Parameter domain: of the form `[::1]` for an address of IPv6; a dot before it is taken off.
    package init(
        _ name: String, _ value: String, domain: String, includesSubdomains: Bool = false, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, expiresAt: Date? = nil
    ) {
        let domain = (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain).lowercased()
        self.domain = domain
        // A browser takes no cookie for a whole top-level domain (RFC 6265 §5.3, step 5).
        self.includesSubdomains = includesSubdomains && domain.utf8.contains(0x2E) && !Self.isAddress(domain)
        // RFC 6265 §5.2.4
        self.path = path.hasPrefix("/") ? path : "/"
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expiresAt = expiresAt
        self.name = name
        self.value = value
    }

    /// Whether it is sent to a host at all (RFC 6265 §5.1.3).
    package func isOf(host: String) -> Bool {
        let host = host.lowercased()
        return host == domain || includesSubdomains && host.hasSuffix(".\(domain)") && !Self.isAddress(host)
    }

    /// Whether it is sent to a path (RFC 6265 §5.1.4).
    package func isOf(path other: String) -> Bool {
        let (own, other) = (Array(path.utf8), Array((other.isEmpty ? "/" : other).utf8))
        guard other.starts(with: own) else { return false }
        return other.count == own.count || own.last == 0x2F || other[own.count] == 0x2F
    }

    /// The same one of another host, over http, too.
    package func moved(to host: String) -> Cookie {
        Cookie(name, value, domain: host, path: path, isHTTPOnly: isHTTPOnly, expiresAt: expiresAt)
    }

    /// Whether its value may be a secret. Short words and numbers, such as `dark` or `1080`, are preferences, and
    /// would take parts out of ordinary texts.
    package var mayBeSecret: Bool {
        let bytes = value.utf8
        let hasLetters = bytes.contains { (0x41...0x5A).contains($0 & 0xDF) }
        let hasOthers = bytes.contains { !(0x41...0x5A).contains($0 & 0xDF) }
        let hasDigitsOnly = bytes.allSatisfy { (0x30...0x39).contains($0) }
        return bytes.count >= 8 || bytes.count >= 4 && hasOthers && (hasLetters || !hasDigitsOnly)
    }

    /// Whether a host's name is an address: of IPv6 in brackets, or one whose last label is a number.
    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        guard let last = host.split(separator: ".").last else { return false }
        return last.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
