import MediaTransfer

/// A key of EXT-X-KEY or EXT-X-SESSION-KEY (RFC 8216 §4.3.2.4).
package struct PlaylistKey: Sendable, Equatable, RedactedInPrint {
    /// The method of encryption.
    package enum Method: Sendable, Equatable {
        /// Whole segments, AES-128 in CBC mode with PKCS#7 padding.
        case aes128
        /// Samples within segments.
        case sampleAES
        /// Samples within segments, in counter mode.
        case sampleAESCTR
        case unknown
    }

    /// The method of encryption.
    package var method: Method
    /// As written, with variables replaced; present for AES-128 of the ``identity`` format, optional for others.
    package var uri: String?
    /// 16 bytes; nil if the segment's sequence number is used.
    package var iv: [UInt8]?
    /// In lower case; ``identity`` if not given.
    package var format: String

    /// The format of a key whose data is the 16 bytes themselves.
    package static let identity = "identity"

    package init(method: Method, uri: String?, iv: [UInt8]? = nil, format: String = identity) {
        self.method = method
        self.uri = uri
        self.iv = iv
        self.format = format
    }

    /// Nil for `METHOD=NONE`.
    init?(
        _ line: PlaylistLine, _ range: Range<Int>, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) {
        let attributes = try AttributeList(line, range)
        guard let word = attributes.word("METHOD") else { throw line.error("the key has no METHOD") }
        switch word {
        case "NONE": return nil
        case "AES-128": method = .aes128
        case "SAMPLE-AES": method = .sampleAES
        case "SAMPLE-AES-CTR", "SAMPLE-AES-CENC": method = .sampleAESCTR
        default: method = .unknown
        }
        uri = try attributes.string("URI", &variables)
        format = try attributes.string("KEYFORMAT", &variables)?.lowercased() ?? Self.identity
        if let range = attributes.value("IV") {
            guard let bytes = line.initializationVector(range) else {
                throw line.error("the key's IV isn't a number of 128 bits", at: range.lowerBound)
            }
            iv = bytes
        }
        if method == .aes128, format == Self.identity, uri == nil { throw line.error("the key has no URI") }
    }
}
