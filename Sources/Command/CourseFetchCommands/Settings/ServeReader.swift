import YAMLSource

/// What the settings file says about the page, below `serve`.
struct ServeSettings: Sendable, Equatable {
    var port: Int?
    var address: String?
    var base: String?
    var hosts: [String] = []
    var proxies: [String] = []
    var userHeader: String?
}

/// Reads `serve` of a settings file.
enum ServeReader {
    private static let keys = ["port", "address", "base", "hosts", "proxies", "user-header"]

    static func read(_ node: YAMLNode) throws(Diagnostic) -> ServeSettings {
        guard let mapping = node.mapping else {
            throw node.error("'serve' takes a mapping of \(keys.joined(separator: ", ")), not \(node.value.kind)")
        }
        var settings = ServeSettings()
        for entry in mapping {
            switch entry.key {
            case "port":
                guard let port = entry.value.int, (0...65535).contains(port) else {
                    throw entry.value.error("'port' is a number from 0 to 65535; 0 takes any that is free")
                }
                settings.port = Int(port)
            case "address": settings.address = try text(entry.value, "a numeric address, such as 127.0.0.1")
            case "base": settings.base = try base(entry.value)
            case "hosts": settings.hosts = try list(entry.value, "names as a browser asks for them")
            case "proxies": settings.proxies = try list(entry.value, "numeric addresses, such as 10.0.0.2 or ::1")
            case "user-header": settings.userHeader = try text(entry.value, "the name of a header, such as Remote-User")
            default:
                throw Diagnostic(
                    .error, at: entry.keyLocation,
                    "'serve' has no key '\(entry.key)'; it takes \(keys.joined(separator: ", "))",
                    suggestion: NearestName.suggestion(for: entry.key, among: keys))
            }
        }
        return settings
    }

    /// A path with a slash at both ends.
    static func base(of text: String) -> String? {
        guard text.hasPrefix("/"), !text.contains("//"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains(where: { "?#\"'<>\\;,".contains($0) })
        else { return nil }
        return text.hasSuffix("/") ? text : text + "/"
    }

    private static func base(_ node: YAMLNode) throws(Diagnostic) -> String {
        guard let base = node.string.flatMap(Self.base(of:)) else {
            throw node.error("'base' is a path, such as /courses/")
        }
        return base
    }

    private static func list(_ node: YAMLNode, _ what: String) throws(Diagnostic) -> [String] {
        var texts: [String] = []
        for item in node.sequence ?? [node] { texts.append(try text(item, what)) }
        return texts
    }

    private static func text(_ node: YAMLNode, _ what: String) throws(Diagnostic) -> String {
        guard let text = node.string, !text.isEmpty, !text.contains(where: \.isWhitespace) else {
            throw node.error("here belongs text: \(what)")
        }
        return text
    }
}
