import Foundation
import ProviderHTTP

/// A http or https URL that a store has, and the file names that downloaders make of it.
package struct SourceAddress: Sendable, Hashable {
    /// As the store has it.
    package let text: String
    /// The host, with its port if that isn't the scheme's own.
    package let host: String
    /// The path's components, percent-encoded.
    package let components: [String]
    /// Percent-encoded; nil if there is none.
    package let query: String?

    /// Nil for anything but an absolute http or https URL without a user name.
    package init?(_ text: String) {
        guard text.utf8.count <= 16 << 10, let address = WebAddress(text) else { return nil }
        self.text = text
        host = address.host
        components = address.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        query = address.query
    }

    /// The last component of the path as it is in the URL; nil if the path ends in a slash.
    package var encodedName: String? { components.last.flatMap { $0.isEmpty ? nil : $0 } }

    /// The same without percent-encoding; nil if that makes no file name.
    package var name: String? { encodedName.flatMap(Self.fileName) }

    /// The path's components without percent-encoding; nil if one of them makes no file name.
    package var names: [String]? {
        let names = components.compactMap(Self.fileName)
        return names.count == components.count ? names : nil
    }

    private static func fileName(_ encoded: String) -> String? {
        guard let name = encoded.removingPercentEncoding, !name.isEmpty, name != ".", name != "..", !name.contains("/"),
            !name.utf8.contains(0)
        else { return nil }
        return name
    }
}
