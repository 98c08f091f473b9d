import XMLSource

extension XMLElement {
    /// What this element says its media is protected with. Related: ISO/IEC 23009-1 §5.8.4.1.
    var protection: [PlaylistKey] {
        parts("ContentProtection").prefix(PlaylistLimit.keys).map { part in
            let scheme = part.attributes["schemeIdUri"].map { $0.prefix(128).lowercased() } ?? ""
            return PlaylistKey(method: .unknown, uri: nil, format: scheme)
        }
    }
}

extension PlaylistKey {
    /// The scheme that only says that some system is used.
    static let commonEncryption = "urn:mpeg:dash:mp4protection:2011"

    /// Each once, those that name a system first, so that a refusal names it.
    static func namedFirst(_ keys: [PlaylistKey]) -> [PlaylistKey] {
        var known: [PlaylistKey] = []
        for key in keys where known.count < PlaylistLimit.keys && !known.contains(key) { known.append(key) }
        return known.filter { $0.format != commonEncryption } + known.filter { $0.format == commonEncryption }
    }
}
