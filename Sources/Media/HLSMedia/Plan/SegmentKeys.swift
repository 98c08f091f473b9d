import MediaTransfer

/// The effect of the active keys on a download.
enum SegmentKeys: Equatable, RedactedInPrint {
    /// The segment isn't encrypted.
    case clear
    /// AES-128 with a key to be fetched from `uri`; a nil `iv` stands for the segment's number.
    case aes128(uri: String, iv: [UInt8]?)

    /// Throws unless the segment isn't encrypted or `keys` contains a key of the `identity` format for AES-128.
    init(_ keys: [PlaylistKey]) throws(StreamRefusal) {
        if keys.isEmpty {
            self = .clear
            return
        }
        if let key = keys.first(where: { $0.method == .aes128 && $0.format == PlaylistKey.identity }),
            let uri = key.uri, !Self.isFairPlay(uri)
        {
            self = .aes128(uri: uri, iv: key.iv)
            return
        }
        throw Self.refusal(keys)
    }

    /// Names the known system first, so that the user learns what protects the stream.
    private static func refusal(_ keys: [PlaylistKey]) -> StreamRefusal {
        for key in keys {
            if let system = systems[key.format] { return .drm(system: system) }
            if let uri = key.uri, isFairPlay(uri) { return .drm(system: "FairPlay") }
        }
        for key in keys {
            switch key.method {
            case .sampleAES: return .drm(system: "SAMPLE-AES")
            case .sampleAESCTR: return .drm(system: "SAMPLE-AES-CTR")
            case .unknown: return .drm(system: "a non-standard encryption method")
            case .aes128: continue
            }
        }
        return .drm(system: "keys in a proprietary format")
    }

    private static func isFairPlay(_ uri: String) -> Bool { uri.prefix(6).lowercased() == "skd://" }

    /// By KEYFORMAT, or the scheme of a presentation, in lower case.
    private static let systems = [
        "com.apple.streamingkeydelivery": "FairPlay",
        "urn:uuid:94ce86fb-07ff-4f43-adb8-93d2fa968ca2": "FairPlay",
        "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed": "Widevine",
        "com.widevine": "Widevine",
        "com.microsoft.playready": "PlayReady",
        "urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95": "PlayReady",
        PlaylistKey.commonEncryption: "Common Encryption",
    ]
}
