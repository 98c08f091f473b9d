/// A defect that makes a response unusable, whatever its status.
package enum BadResponse: Error, Sendable, Equatable, Hashable {
    /// A duplicate of a field that must be unique.
    case duplicateField(String)
    /// More than ``HeadLimits/fields`` fields.
    case tooManyFields
    /// More than ``HeadLimits/bytes``.
    case headTooLarge
    /// Not a status line of HTTP/1.
    case malformedStatus
    /// A line without colon, a control character, or a folded line that continues nothing or a field that frames the
    /// body.
    case malformedField
    /// A `Content-Length` that isn't a number.
    case malformedLength
    /// A length or total beyond ``HeadLimits/size``.
    case absurdLength
    /// More than ``HeadLimits/informational`` 1xx responses, or a change of protocol.
    case informational
    /// A content encoding although none was requested.
    case compressed
    /// A transfer encoding other than chunked.
    case transferEncoding
    /// 206 to a request without a range.
    case unaskedRange
    /// libcurl can't parse the response.
    case unreadable
}

package enum HeadLimits {
    package static let fields = 200
    /// Bytes of all headers of one response, trailers included.
    package static let bytes = 64 << 10
    /// Bytes that a file may have: a larger size isn't credible.
    package static let size: Int64 = 1 << 53
    /// 1xx responses before the final one.
    package static let informational = 8
}

/// A header as received: its status, and the fields that this room reads.
package struct RawHead: Sendable, Equatable, RedactedInPrint {
    /// Three digits.
    package var status: Int
    package var description: String { "RawHead(status: \(status))" }
    private var fields: [String: [String]] = [:]

    /// The names of the kept fields.
    private static let known = [
        "content-length", "content-range", "content-type", "content-encoding", "transfer-encoding", "etag",
        "last-modified", "date", "age", "retry-after", "location",
    ]
    private static let single: Set<String> = ["content-length", "content-range", "location"]
    /// Of these, those that may be repeated with the same value (RFC 9110 §8.6).
    private static let repeatable: Set<String> = ["content-length", "location"]

    /// A header without fields.
    package init(status: Int) {
        self.status = status
    }

    /// All values of a field, in order; `name` in lower case.
    package func values(_ name: String) -> [String] { fields[name] ?? [] }

    /// The value of a field; nil if it is missing or repeated.
    package func value(_ name: String) -> String? {
        let all = values(name)
        return all.count == 1 ? all.first : nil
    }

    /// The name in lower case if this room reads the field; nil for all others, without making a `String` of them.
    static func known(_ name: some Collection<UInt8>) -> String? {
        let length = name.count
        return known.first { $0.utf8.count == length && $0.utf8.elementsEqual(name.lazy.map(ASCII.lowercased)) }
    }

    /// Keeps a field if this room reads it; false if it must be unique and is repeated with another value.
    package mutating func add(_ name: String, _ value: String) -> Bool {
        guard Self.known.contains(name) else { return true }
        if let before = fields[name], Self.single.contains(name) {
            return Self.repeatable.contains(name) && before == [value]
        }
        fields[name, default: []].append(value)
        return true
    }
}

/// Parses headers, line by line from libcurl, and refuses defects that libcurl accepts.
package struct HeadParser: Sendable, RedactedInPrint {
    /// The result of a line.
    package enum Step: Sendable, Equatable {
        /// More lines are needed.
        case more
        /// This was the last line of a final header (not 1xx).
        case complete(RawHead)
        case refused(BadResponse)
    }

    private enum State: Sendable, Equatable { case status, fields, done }

    private enum Pending: Sendable, Equatable {
        /// No field of this header has been read.
        case none
        /// One that isn't kept.
        case unread
        case field(name: String, value: String)
    }

    private var state = State.status
    /// The field that the next line may continue.
    private var pending = Pending.none
    private var head = RawHead(status: 0)
    private var fieldCount = 0
    private var byteCount = 0
    private var informationalCount = 0

    /// Ready for a status line.
    package init() {}

    /// Takes one line with its end. Lines after a complete header are trailers: counted and ignored.
    package mutating func feed(_ line: some BidirectionalCollection<UInt8>) -> Step {
        byteCount += line.count
        guard byteCount <= HeadLimits.bytes else { return .refused(.headTooLarge) }
        var line = line.dropLast(0)
        if line.last == 0x0A { line = line.dropLast() }
        if line.last == 0x0D { line = line.dropLast() }
        switch state {
        case .status:
            return start(line)
        case .fields where line.isEmpty:
            return end()
        case .fields, .done:
            fieldCount += 1
            guard fieldCount <= HeadLimits.fields else { return .refused(.tooManyFields) }
            return state == .done ? .more : field(line)
        }
    }

    private mutating func start(_ line: some BidirectionalCollection<UInt8>) -> Step {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3,
            let status = ASCII.number(words[1]), status >= 100, status < 600
        else { return .refused(.malformedStatus) }
        head = RawHead(status: Int(status))
        fieldCount = 0
        pending = .none
        state = .fields
        return .more
    }

    private mutating func end() -> Step {
        if let refusal = settle() { return refusal }
        if head.status >= 200 {
            state = .done
            fieldCount = 0
            return .complete(head)
        }
        informationalCount += 1
        guard informationalCount <= HeadLimits.informational, head.status != 101 else {
            return .refused(.informational)
        }
        state = .status
        return .more
    }

    private mutating func field(_ line: some BidirectionalCollection<UInt8>) -> Step {
        if let first = line.first, ASCII.isBlank(first) { return continuation(line) }
        if let refusal = settle() { return refusal }
        guard let colon = line.firstIndex(of: 0x3A), colon != line.startIndex,
            line[..<colon].allSatisfy(ASCII.isTokenCharacter),
            Self.isText(line[colon...])
        else { return .refused(.malformedField) }
        if let name = RawHead.known(line[..<colon]) {
            pending = .field(name: name, value: Self.text(line[line.index(after: colon)...]))
        } else {
            pending = .unread
        }
        return .more
    }

    /// A folded line (RFC 9112 §5.2): the fold is replaced by a blank. Refused in the fields by which libcurl frames
    /// the body, since it reads only their first line.
    private mutating func continuation(_ line: some BidirectionalCollection<UInt8>) -> Step {
        guard Self.isText(line) else { return .refused(.malformedField) }
        switch pending {
        case .none, .field("content-length", _), .field("transfer-encoding", _): return .refused(.malformedField)
        case .unread: break
        case .field(let name, let value):
            let more = Self.text(line)
            pending = .field(name: name, value: value.isEmpty || more.isEmpty ? value + more : value + " " + more)
        }
        return .more
    }

    /// Keeps the pending field, which no further line continues.
    private mutating func settle() -> Step? {
        guard case .field(let name, let value) = pending else { return nil }
        pending = .unread
        return head.add(name, value) ? nil : .refused(.duplicateField(name))
    }

    private static func isText(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(ASCII.trimmed(String(decoding: bytes, as: UTF8.self)[...]))
    }
}
