import ProviderKit

/// A header field of HTTP, in its own spelling.
package struct MessageField: Sendable, Equatable, PrintsRedacted {
    var name: String
    var value: String

    func isCalled(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    /// A line `Name: value`; nil for any other.
    init?(_ line: some StringProtocol) {
        guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
        name = String(line[..<colon])
        value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
    }

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A request that came to the loopback server.
package struct ReceivedRequest: Sendable, PrintsRedacted {
    package var method: String
    /// Path and query.
    package var target: String
    var fields: [MessageField]
    var body: [UInt8] = []

    /// Parses the lines of a header without its last, empty one; nil if it isn't HTTP/1.
    init?(head: String) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        method = String(words[0])
        target = String(words[1])
        fields = lines.dropFirst().compactMap { MessageField($0) }
    }

    subscript(name: String) -> String? { fields.first { $0.isCalled(name) }?.value }
}

/// A response to send.
package struct ServedResponse: Sendable, PrintsRedacted {
    /// `200 OK`.
    var status: String
    var fields: [MessageField] = []
    var body: [UInt8] = []

    package init(status: String, fields: [MessageField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package static let notFound = ServedResponse(status: "404 Not Found")

    subscript(name: String) -> String? { fields.first { $0.isCalled(name) }?.value }

    /// Whether its body is text in which addresses can be replaced.
    var isText: Bool {
        let type = self["Content-Type"]?.lowercased() ?? ""
        if ["image/", "video/", "audio/mp", "application/octet-stream"].contains(where: type.hasPrefix) {
            return false
        }
        return !body.contains(0) && String(validating: body, as: UTF8.self) != nil
    }

    /// The message; without the body for HEAD, and none for statuses that have none.
    func bytes(for method: String) -> [UInt8] {
        let isBare = ["204", "304"].contains { status.hasPrefix($0) }
        let own = ["content-length", "transfer-encoding", "connection", "content-encoding"]
        var head = "HTTP/1.1 \(status)\r\n"
        for field in fields where !own.contains(field.name.lowercased()) { head += "\(field.name): \(field.value)\r\n" }
        if !isBare { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (method == "HEAD" || isBare ? [] : body)
    }
}
