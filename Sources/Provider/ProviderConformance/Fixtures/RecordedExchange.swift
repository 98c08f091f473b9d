import ProviderKit

/// An exchange of a `*.http` file: the request that it is for, and the response.
struct RecordedExchange: Sendable, PrintsRedacted {
    /// Not an exchange, with the number of the wrong line, from 1.
    struct Mistake: Error, Equatable {
        var line: Int
    }

    /// Matches any value of a header, of a field of a query or form, or of a member of JSON.
    static let any = "*"

    var method: String
    /// Path and query.
    var target: String
    /// The headers that a request must have.
    var fields: [MessageField]
    /// The body that a request must have; without one, it may have any.
    var body: [UInt8] = []
    var response: ServedResponse
    /// The name of its file.
    var name = ""

    init(method: String, target: String, fields: [MessageField], body: [UInt8] = [], response: ServedResponse) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
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
        body = lines.body()
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
        let own = body.isEmpty ? [] : body + Array("\n\n".utf8)
        var answer = "HTTP/1.1 \(response.status)\n"
        for field in response.fields { answer += "\(field.name): \(field.value)\n" }
        return Array((head + "\n").utf8) + own + Array((answer + "\n").utf8) + response.body
    }

    /// In what it differs from a request; nothing if it fits.
    func differences(from request: ReceivedRequest) -> [ExchangeDifference] {
        var found: [ExchangeDifference] = []
        if method != request.method {
            found.append(ExchangeDifference(.method, recorded: method, sent: request.method))
        }
        if Self.path(target) != Self.path(request.target) {
            found.append(
                ExchangeDifference(
                    .path, recorded: String(Self.path(target)), sent: String(Self.path(request.target))))
        }
        var rest = Self.query(request.target)
        for field in Self.query(target) {
            if let index = rest.firstIndex(where: {
                $0.name == field.name && (field.value == Self.any || $0.value == field.value)
            }) {
                rest.remove(at: index)
            } else {
                let index = rest.firstIndex { $0.name == field.name }
                let sent = index.map { String(rest.remove(at: $0).value) }
                found.append(
                    ExchangeDifference(.query(String(field.name)), recorded: String(field.value), sent: sent))
            }
        }
        found += rest.map { ExchangeDifference(.query(String($0.name)), recorded: nil, sent: String($0.value)) }
        for field in fields where field.value != request[field.name] {
            guard field.value != Self.any || request[field.name] == nil else { continue }
            found.append(ExchangeDifference(.header(field.name), recorded: field.value, sent: request[field.name]))
        }
        return found + RequestBody(body).differences(from: request.body)
    }

    /// How well it fits a request: more for each header, and more for a value than for any; nil if it doesn't fit.
    func score(_ request: ReceivedRequest) -> Int? {
        guard method == request.method, Self.path(target) == Self.path(request.target),
            differences(from: request).isEmpty
        else { return nil }
        let own = body.isEmpty ? 0 : RequestBody(body) == .any ? 1 : 2
        return fields.reduce(own) { $0 + ($1.value == Self.any ? 1 : 2) }
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

    /// What is before the response: up to an empty line that the response's first line follows. Nothing if that is
    /// next, or if no response follows.
    mutating func body() -> [UInt8] {
        let http = Array("HTTP/".utf8)
        guard !rest.starts(with: http) else { return [] }
        for end in ["\n\n", "\r\n\r\n"] {
            let mark = Array(end.utf8)
            guard let range = rest.firstRange(of: mark + http) else { continue }
            let body = Array(rest[..<range.lowerBound])
            number += body.count { $0 == 0x0A } + 2
            rest = rest[(range.lowerBound + mark.count)...]
            return body
        }
        return []
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
