/// A request as the fault host has received it, and what came of it.
package struct FaultRequest: Sendable, Hashable {
    /// In the order of arrival, from 0.
    package var number = 0
    /// Which connection it came over, from 0.
    package var connection: Int
    package var method: String
    /// `/path?query`, or an absolute URL where the host is used as a proxy.
    package var target: String
    /// Names in lower case.
    package var fields: [String: String]
    /// What came behind the header.
    package var body: [UInt8] = []
    /// The status of the answer.
    package var status = 0
    /// Bytes of the body that the system has taken.
    package var served = 0

    /// Without query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The items of the query, decoded.
    package var query: [String: String] {
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        var items: [String: String] = [:]
        for item in target[target.index(after: mark)...].split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1)
            items[String(parts[0])] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
        return items
    }

    /// The first byte that is asked for; nil without a range.
    package var rangeStart: Int? {
        guard let range = fields["range"], range.hasPrefix("bytes=") else { return nil }
        return Int(range.dropFirst(6).prefix { $0 != "-" })
    }

    /// The last byte that is asked for; nil without a bound.
    package var rangeEnd: Int? {
        fields["range"].flatMap { range in range.firstIndex(of: "-").flatMap { Int(range[range.index(after: $0)...]) } }
    }

    /// Nil for what is no request.
    init?(_ text: String, connection: Int) {
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        self.connection = connection
        method = String(words[0])
        target = String(words[1])
        fields = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
