/// References of a presentation, each relative to the one of the element around it (RFC 3986 §5.2.3).
///
/// They stay relative to the presentation as long as they are written so: ``PlanDigest`` counts the whole of a relative
/// reference, and of an absolute one only what can't be a token.
enum PresentationReference {
    /// `reference`, which counts from `base`, as a reference from where `base` counts.
    static func joined(_ reference: String, to base: String) -> String {
        let written = reference.prefix { $0 != "#" }
        let bare = base.prefix { $0 != "#" }
        if written.isEmpty { return String(bare) }
        if base.isEmpty || hasScheme(written) || written.hasPrefix("//") { return String(written) }
        let path = bare.prefix { $0 != "?" }
        if written.hasPrefix("?") { return String(path + written) }
        let authority = authorityEnd(path)
        if written.hasPrefix("/") { return String(path[..<authority] + written) }
        guard let slash = path[authority...].lastIndex(of: "/") else {
            return authority == path.startIndex ? String(written) : "\(path)/\(written)"
        }
        return String(path[...slash] + written)
    }

    /// The end of scheme and host; the start of a reference without them.
    private static func authorityEnd(_ path: Substring) -> Substring.Index {
        var start = path.startIndex
        if hasScheme(path), let colon = path.firstIndex(of: ":") { start = path.index(after: colon) }
        guard path[start...].hasPrefix("//") else { return start }
        let host = path.index(start, offsetBy: 2)
        return path[host...].firstIndex(of: "/") ?? path.endIndex
    }

    /// RFC 3986 §3.1.
    private static func hasScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        let end = text.utf8.first { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: false
            default: true
            }
        }
        return end == UInt8(ascii: ":")
    }
}
