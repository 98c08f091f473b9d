import ProviderKit

/// A folder of a storage of the user's rclone: `nas:lectures/physics`.
///
/// Only storages that are set up by name: rclone's other forms let a catalog give options, and some of these run
/// commands.
struct RcloneRemote: Hashable, Sendable {
    /// The name of the storage.
    let name: String
    /// The remote as rclone expects it: storage, colon, path.
    let text: String

    /// Reads the parameter `remote`.
    init(_ parameters: [String: JSONValue]) throws(ProviderError) {
        guard let text = parameters["remote"]?.string else {
            throw ProviderError(.invalidParameters, "remote is missing", parameter: "remote")
        }
        let name = text.prefix { $0 != ":" }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "_.+@ -".utf8.contains(byte)
            }
        }
        guard name.count < text.count, isName, let first = name.first, first != "-", first != " ",
            !text.split(separator: "/").contains(".."), !text.dropFirst(name.count + 1).hasPrefix("../"),
            !text.hasSuffix(":.."), !text.utf8.contains(0)
        else {
            throw ProviderError(
                .invalidParameters, "remote isn't the name of a storage, a colon and a path, such as nas:lectures",
                parameter: "remote")
        }
        self.name = String(name)
        self.text = text
    }

    private init(name: String, text: String) { (self.name, self.text) = (name, text) }

    /// The folder at a path in it.
    func beneath(_ path: [String]) -> RcloneRemote {
        guard !path.isEmpty else { return self }
        let base = text.hasSuffix(":") || text.hasSuffix("/") ? text : text + "/"
        return RcloneRemote(name: name, text: base + path.joined(separator: "/"))
    }

    /// The storage, or the root of its file system where the path begins there, and the names from it to the folder.
    var storage: (remote: RcloneRemote, path: [String]) {
        let path = text.dropFirst(name.count + 1)
        let root = RcloneRemote(name: name, text: "\(name):\(path.hasPrefix("/") ? "/" : "")")
        return (root, path.split(separator: "/").map(String.init).filter { $0 != "." })
    }
}
