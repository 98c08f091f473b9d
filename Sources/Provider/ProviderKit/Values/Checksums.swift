/// Checksums of a file that its host publishes, in hexadecimal. They tell a damaged file from a whole one; two files
/// with the same ones may still differ. For SHA-256 there is a field of its own.
public struct Checksums: Sendable, Hashable, Codable {
    /// 32 digits. Related: RFC 1321
    public var md5: String?
    /// 40 digits. Related: RFC 3174
    public var sha1: String?
    /// 8 digits, as zip, gzip and PNG have it. Related: RFC 1952 §8
    public var crc32: String?

    public init(md5: String? = nil, sha1: String? = nil, crc32: String? = nil) {
        self.md5 = md5
        self.sha1 = sha1
        self.crc32 = crc32
    }
}
