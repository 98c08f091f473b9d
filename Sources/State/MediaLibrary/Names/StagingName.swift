import Crypto
import FileSystem
import TextFormats

/// The name of an incomplete copy, beside its final place: names in a library never begin with a dot, so it is ours.
package enum StagingName {
    private static let prefix = ".coursefetch-"

    /// The copy's name for a file's; the same at every call.
    static func of(_ name: String) -> String { prefix + SHA256.hash(data: Array(name.utf8)).hex.prefix(24) }

    /// Whether a path's last component is such a name.
    package static func isOne(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        let digits = name.dropFirst(prefix.count)
        return name.hasPrefix(prefix) && digits.utf8.count == 24 && digits.allSatisfy(\.isHexDigit)
    }
}
