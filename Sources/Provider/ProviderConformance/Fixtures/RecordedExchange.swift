import ProviderKit

/// An exchange of a `*.http` file: the request that it is for, and the response.
struct RecordedExchange: Sendable, PrintsRedacted {
    /// Not an exchange, with the number of the wrong line, from 1.
    struct Mistake: Error, Equatable {
        var line: Int
    }

    /// Matches any value of a header or query field.
    static let any = "*"

    var method: String
    /// Path and query.
    var target: String
    /// The headers that a request must have.
    var fields: [MessageField]
    var response: ServedResponse

    init(method: String, target: String, fields: [MessageField], response: ServedResponse) {
        self.method = method
        self.target = target
        self.fields = fields
        self.response = response
    }

    /// The exchange in the bytes of a file. Lines end with LF or CRLF.
    init(_ bytes: [UInt8]) throws(Mistake) {
        var lines = HeadLines(bytes: bytes)
        let words = lines.next()?.split(separator: " ").map(String.init) ?? []
        // `GET /path`, also with the version behind it.
        guard words.count == 2 || words.count == 3, words[1].hasPrefix("/") else { throw Mistake(line: lines.number) }
        (method, target) = (words[0], words[1])
        fields = try lines.fields()
        guard let status = lines.next(), status.hasPrefix("HTTP/") else { throw Mistake(line: lines.number) }
        let code = status.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        guard (200...599).contains(Int(code.prefix(3)) ?? 0) else { throw Mistake(line: lines.number) }
        response = ServedResponse(status: code, fields: try lines.fields())
        response.body = Array(lines.rest)
    }

    /// The bytes of its file.
    var bytes: [UInt8] {
        var head = "\(method) \(target)\n"
        for field in fields { head += "\(field.name): \(field.value)\n" }
        head += "\nHTTP/1.1 \(response.status)\n"
        for field in response.fields { head += "\(field.name): \(field.value)\n" }
        return Array((head + "\n").utf8) + response.body
    }

    /// How well it fits a request: more for each header, and more for a value than for any; nil if it doesn't fit.
    func score(_ request: ReceivedRequest) -> Int? {
        guard method == request.method, Self.path(target) == Self.path(request.target),
            Self.fits(Self.query(target), Self.query(request.target))
        else { return nil }
        var score = 0
        for field in fields {
            guard let value = request[field.name] else { return nil }
            if field.value == Self.any {
                score += 1
            } else if field.value == value {
                score += 2
            } else {
                return nil
            }
        }
        return score
    }

    private static func path(_ target: String) -> Substring { target.prefix { $0 != "?" } }

    /// The query's fields, sorted.
    private static func query(_ target: String) -> [(name: Substring, value: Substring)] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return target[target.index(after: mark)...].split(separator: "&").map { field in
            let name = field.prefix { $0 != "=" }
            return (name, field.dropFirst(name.count + 1))
        }.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }

    private static func fits(
        _ own: [(name: Substring, value: Substring)], _ other: [(name: Substring, value: Substring)]
    ) -> Bool {
        own.count == other.count
            && zip(own, other).allSatisfy { $0.name == $1.name && ($0.value == any || $0.value == $1.value) }
    }
}

/// The lines of two headers, and what is behind them.
private struct HeadLines {
    var rest: ArraySlice<UInt8>
    /// Of the line that was taken last, from 1.
    private(set) var number = 0

    init(bytes: [UInt8]) { rest = bytes[...] }

    mutating func next() -> String? {
        number += 1
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix { $0 != 0x0A }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }

    /// Up to an empty line.
    mutating func fields() throws(RecordedExchange.Mistake) -> [MessageField] {
        var fields: [MessageField] = []
        while let line = next(), !line.isEmpty {
            guard let field = MessageField(line) else { throw .init(line: number) }
            fields.append(field)
        }
        return fields
    }
}
