import ProviderHost
import ProviderKit

/// The lines that come while some requests are open.
struct Inbound: PrintsRedacted {
    /// An answer.
    struct Entry: PrintsRedacted {
        var line: [UInt8]
        var raw: [String: JSONValue]
        var reply: AnswerLine.Reply?
        var after: Duration
    }

    /// Something that a line isn't supposed to be.
    enum Notice: Equatable {
        case violation(String)
        /// An answer whose id is null.
        case nullID
        case wrongID(String, expected: Int)
        case stray(String)
        case second(Int)
        /// A secret of this name in a log message.
        case leak(String)

        /// Whether the ids of answers are wrong.
        var isAboutIDs: Bool {
            switch self {
            case .wrongID, .stray: true
            case .violation, .nullID, .second, .leak: false
            }
        }
    }

    let methods: [Int: AnswerLine.Method?]
    private(set) var answered: [Int: Entry] = [:]
    private var open: Set<Int>
    private var done: Set<Int>

    /// `done` are the ids of earlier answers of the same process.
    init(ids: [Int], methods: [AnswerLine.Method?], done: Set<Int>) {
        self.methods = Dictionary(zip(ids, methods)) { $1 }
        self.done = done
        open = Set(ids)
    }

    /// Whether every request has its answer.
    var isComplete: Bool { open.isEmpty }

    mutating func take(_ line: [UInt8], after: Duration, secrets: SecretWatch) -> [Notice] {
        let raw = (try? JSONReader.value(of: line))?.object
        if let raw, let id = raw["id"], raw["method"] == nil {
            if id == .null { return [.nullID] }
            guard let wire = id.int.flatMap({ Int(exactly: $0) }) else {
                return misnumbered(line, raw: raw, id: id, after: after)
            }
            if open.contains(wire) {
                accept(wire, line: line, raw: raw, after: after)
                return []
            }
            if done.contains(wire) { return [.second(wire)] }
            return misnumbered(line, raw: raw, id: id, after: after)
        }
        let decoded = line.withUnsafeBytes { AnswerDecoder { _ in nil }.decode($0) }
        switch decoded {
        case .violation(let reason): return [.violation(reason)]
        case .log(_, let message): return secrets.leak(in: message).map { [.leak($0)] } ?? []
        case .reply, .stray, .ignored: return []
        }
    }

    /// An answer with an id of another type or value: taken for that of the one request that is open.
    private mutating func misnumbered(
        _ line: [UInt8], raw: [String: JSONValue], id: JSONValue, after: Duration
    ) -> [Notice] {
        let meant = id.string.flatMap { Int($0) }.flatMap { open.contains($0) ? $0 : nil }
        guard let expected = meant ?? (open.count == 1 ? open.first : nil) else { return [.stray(id.text)] }
        let mended = CheckRequest.line(raw.merging(["id": .int(Int64(expected))]) { $1 })
        accept(expected, line: line, raw: raw, after: after, mended: mended)
        return [.wrongID(id.text, expected: expected)]
    }

    private mutating func accept(
        _ id: Int, line: [UInt8], raw: [String: JSONValue], after: Duration, mended: [UInt8]? = nil
    ) {
        open.remove(id)
        done.insert(id)
        var reply: AnswerLine.Reply?
        if let method = methods[id] ?? nil {
            let decoded = (mended ?? line).withUnsafeBytes { bytes in
                AnswerDecoder { _ in method }.decode(bytes)
            }
            if case .reply(_, let decoded) = decoded { reply = decoded }
            // Nested too deep, for example.
            if case .violation(let reason) = decoded { reply = .wrong(reason) }
        }
        answered[id] = Entry(line: line, raw: raw, reply: reply, after: after)
    }
}

extension JSONValue {
    /// An id as it came.
    fileprivate var text: String {
        switch self {
        case .string(let text): "\"\(text.prefix(40))\""
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .null, .bool, .array, .object: typeName
        }
    }
}
