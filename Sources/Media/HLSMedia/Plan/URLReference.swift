package import MediaTransfer
import TextFormats

/// References in playlists, resolved against the playlist's own URL (RFC 3986 §5).
package enum URLReference {
    /// The absolute URL, without fragment and user information; nil unless it is http or https.
    ///
    /// Characters not allowed in a URI are percent-encoded: spaces, text that isn't ASCII, and a few marks.
    package static func resolve(_ reference: String, against base: ParsedURL) -> String? {
        let written = reference.prefix { $0 != "#" }
        guard !written.isEmpty else { return base.text }
        let bytes = Array(written.utf8)
        let scheme = schemeLength(bytes)
        // libcurl would take `g:1` as a host and its port, and `https:///g` as the host `g`.
        if scheme > 0 {
            guard isWeb(bytes[..<scheme]), bytes[(scheme + 1)...].starts(with: [0x2F, 0x2F]) else { return nil }
        }
        let authority = scheme > 0 ? scheme + 3 : bytes.starts(with: [0x2F, 0x2F]) ? 2 : 0
        guard authority == 0 || (authority < bytes.count && bytes[authority] != 0x2F) else { return nil }
        guard let resolved = base.resolving(encoded(bytes, authority)), resolved.origin.isHTTP else { return nil }
        return resolved.text
    }

    /// Encodes everything after the host, which begins at `authority`; libcurl checks the host. A path with a colon
    /// gets a `./`, so that it isn't taken for a scheme (RFC 3986 §4.2).
    private static func encoded(_ bytes: [UInt8], _ authority: Int) -> String {
        guard authority > 0 else {
            let first = bytes.prefix { $0 != 0x2F && $0 != 0x3F }
            let text = PercentEncoding.repaired(String(decoding: bytes, as: UTF8.self))
            return first.contains(UInt8(ascii: ":")) ? "./" + text : text
        }
        let end = bytes[authority...].firstIndex { $0 == 0x2F || $0 == 0x3F } ?? bytes.count
        let rest = String(decoding: bytes[end...], as: UTF8.self)
        return String(decoding: bytes[..<end], as: UTF8.self) + PercentEncoding.repaired(rest)
    }

    /// 0 if the reference has no scheme (RFC 3986 §3.1).
    private static func schemeLength(_ bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: ":"): return index
            case 0x41...0x5A, 0x61...0x7A: continue
            case 0x30...0x39, 0x2B, 0x2D, 0x2E: if index == 0 { return 0 }
            default: return 0
            }
        }
        return 0
    }

    private static func isWeb(_ scheme: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        return name == "http" || name == "https"
    }
}
