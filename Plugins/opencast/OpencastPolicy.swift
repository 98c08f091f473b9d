import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When a signed address ends, which its query says.
///
/// Related: docs/guides/admin/docs/configuration/stream-security.md of Opencast
enum OpencastPolicy {
    /// Nil for an address that isn't signed.
    static func end(of address: WebAddress) -> Date? {
        guard
            let field = address.query?.split(separator: "&").first(where: { $0.hasPrefix("policy=") }),
            var text = PercentEncoding.decoded(field.dropFirst(7))
        else { return nil }
        text = text.replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text), let policy = try? JSONReader.value(of: Array(data)),
            let end = policy["Statement"]?["Condition"]?["DateLessThan"]?.number
        else { return nil }
        return Date(seconds: .double(end / 1000))
    }
}
