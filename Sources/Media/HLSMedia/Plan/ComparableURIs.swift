/// URIs of one playlist, reduced to the part that doesn't change when the playlist is downloaded again; see
/// ``PlanDigest``.
struct ComparableURIs {
    /// Of the paths that begin at the root.
    private let commonFolder: Int

    init(_ uris: some Sequence<String>) {
        var common: [UInt8]?
        for uri in uris {
            guard let path = Self.path(uri) else { continue }
            guard let folder = common else {
                common = Self.folder(path)
                continue
            }
            var length = 0
            for (left, right) in zip(folder, path) {
                guard left == right else { break }
                length += 1
            }
            if length < folder.count { common = Self.folder(folder[..<length]) }
        }
        commonFolder = common?.count ?? 0
    }

    /// `.` and the reference if it is relative, `/` and the rest of the path if it begins at the root.
    func comparable(_ uri: String) -> [UInt8] {
        if let path = Self.path(uri) { return [0x2F] + path.dropFirst(commonFolder) }
        return [0x2E] + Self.bare(uri)
    }

    /// The path of a URI with a host or from the root; nil if it is relative.
    private static func path(_ uri: String) -> ArraySlice<UInt8>? {
        let bytes = bare(uri)
        let authority: Int
        if bytes.starts(with: [0x2F, 0x2F]) {
            authority = 2
        } else if bytes.first == 0x2F {
            return bytes
        } else if let colon = bytes.firstIndex(where: { !isSchemeByte($0) }), colon > 0,
            bytes[colon...].starts(with: [0x3A, 0x2F, 0x2F])
        {
            authority = colon + 3
        } else {
            return nil
        }
        return bytes[(bytes[authority...].firstIndex(of: 0x2F) ?? bytes.endIndex)...]
    }

    /// Without query and fragment.
    private static func bare(_ uri: String) -> ArraySlice<UInt8> {
        Array(uri.utf8).prefix { $0 != 0x3F && $0 != 0x23 }
    }

    /// Up to and including the last slash.
    private static func folder(_ path: ArraySlice<UInt8>) -> [UInt8] {
        Array(path[..<(path.lastIndex(of: 0x2F).map { $0 + 1 } ?? path.startIndex)])
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }
}
