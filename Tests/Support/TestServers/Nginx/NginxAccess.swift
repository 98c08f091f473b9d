/// One answer of nginx, from its access log.
package struct NginxAccess: Sendable, Hashable {
    package var status: Int
    /// Bytes of the body that went out.
    package var bytes: Int
    /// The first byte that was asked for; nil without a range.
    package var rangeStart: Int?
    /// Without query.
    package var path: String
    /// Requests with the same number came over one connection.
    package var connection: Int
    package var ifRange: String?
    /// Whether the connection went on with a TLS session of an earlier one.
    package var isSessionReused: Bool

    init?(_ line: Substring) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count == 7, let status = Int(columns[0]), let bytes = Int(columns[1]),
            let connection = Int(columns[4])
        else { return nil }
        self.status = status
        self.bytes = bytes
        self.connection = connection
        path = String(columns[3])
        let range = columns[2]
        rangeStart = range.hasPrefix("bytes=") ? Int(range.dropFirst(6).prefix { $0 != "-" }) : nil
        ifRange = columns[6].isEmpty || columns[6] == "-" ? nil : String(columns[6])
        isSessionReused = columns[5] == "r"
    }
}
