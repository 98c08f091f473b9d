import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The secrets and checksums of an answer.
extension ResolutionCheck {
    /// The mistake in the tokens of a resolution, or nil.
    static func tokensFault(_ resolution: Resolution) -> String? {
        if let token = resolution.token {
            if !resolution.tokens.isEmpty { return "its answer has 'token' and 'tokens'; one of them says everything" }
            if token.urlPrefix != nil { return "'token' in its answer has a 'url_prefix'; only one of 'tokens' has it" }
            if let fault = tokenFault(token) { return "'token' in its answer \(fault)" }
        }
        if resolution.tokens.count > headerBound { return "'tokens' in its answer has more than \(headerBound) items" }
        for token in resolution.tokens {
            if let fault = tokenFault(token) { return "one of the 'tokens' in its answer \(fault)" }
            if token.urlPrefix != nil, !token.origins.isEmpty {
                return
                    "one of the 'tokens' in its answer has 'origins' and 'url_prefix'; one of them says where it goes"
            }
        }
        return nil
    }

    static func tokenFault(_ token: Token) -> String? {
        if token.value.isEmpty || token.value.utf8.count > headerBytes { return "has a 'value' of a wrong length" }
        switch token.placement {
        case .header:
            if let fault = headerFault(token.name, token.prefix + token.value) { return fault }
        case .cookie:
            let isClean =
                isHeaderName(token.name)
                && (token.prefix + token.value).utf8.allSatisfy {
                    (0x21...0x7E).contains($0) && !"\",;\\".utf8.contains($0)
                }
            if !isClean { return "isn't a valid cookie" }
        case .query:
            if token.name.isEmpty || token.name.utf8.count > 256 { return "has a 'name' of a wrong length" }
        }
        if let prefix = token.urlPrefix, let fault = prefixFault(prefix) { return "has a 'url_prefix' that \(fault)" }
        if token.origins.count > headerBound { return "has more than \(headerBound) 'origins'" }
        for origin in token.origins {
            if let fault = urlFault(origin) { return "has an origin that \(fault)" }
            guard let url = URL(string: origin), ["", "/"].contains(url.path()), url.query() == nil,
                url.fragment() == nil
            else { return "has an origin with a path; an origin is scheme, host and port" }
        }
        return nil
    }

    private static func prefixFault(_ prefix: String) -> String? {
        if let fault = urlFault(prefix) { return fault }
        return prefix.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ? "has a query" : nil
    }

    /// The mistake in checksums, or nil.
    static func checksumsFault(_ checksums: Checksums) -> String? {
        for (name, text, digits) in [
            ("md5", checksums.md5, 32), ("sha1", checksums.sha1, 40), ("crc32", checksums.crc32, 8),
        ] {
            guard let text, !(text.utf8.count == digits && text.utf8.allSatisfy(isHexDigit)) else { continue }
            return "has a '\(name)' that isn't \(digits) hexadecimal digits"
        }
        return nil
    }
}
