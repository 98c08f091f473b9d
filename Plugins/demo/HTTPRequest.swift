/// The header of an HTTP/1.1 request, as far as a file server needs it.
struct HTTPRequest {
    /// The requested bytes of the representation.
    enum Range: Equatable {
        case all
        case part(Swift.Range<Int>)
        case unsatisfiable
    }

    var method: String
    /// The path without its first slash and without the query.
    var path: String
    var query: [String: String]
    /// By lowercased names; of equal ones the last counts.
    var headers: [String: String]

    /// Parses the lines of a header; nil if it isn't an HTTP/1 request.
    init?(head: String) {
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        guard let words = lines.popFirst()?.split(separator: " "), words.count == 3, words[2].hasPrefix("HTTP/1."),
            words[1].hasPrefix("/")
        else { return nil }
        method = String(words[0])
        let target = words[1].dropFirst().split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = [:]
        for field in target.dropFirst().first?.split(separator: "&") ?? [] {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        headers = [:]
        for line in lines where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers[line[..<colon].lowercased()] = String(value)
        }
    }

    /// The range of `Range` and `If-Range` for a file with this size and strong validator.
    ///
    /// Related: RFC 9110 §13.1.5, §14.2
    func range(size: Int, etag: String) -> Range {
        guard let range = headers["range"], range.hasPrefix("bytes="), headers["if-range"].map({ $0 == etag }) ?? true
        else { return .all }
        let bounds = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        // Several ranges may be answered with the whole file.
        guard bounds.count == 2, !range.contains(",") else { return .all }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, nil) where bounds[1].isEmpty: return first < size ? .part(first..<size) : .unsatisfiable
        case (let first?, let last?) where first <= last:
            return first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        case (nil, let suffix?) where bounds[0].isEmpty:
            return suffix > 0 ? .part(max(0, size - suffix)..<size) : .unsatisfiable
        default: return .all
        }
    }
}
