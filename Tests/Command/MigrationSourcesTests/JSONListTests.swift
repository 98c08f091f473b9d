import MigrationSources
import Testing

@Suite("JSON lists")
struct JSONListTests {
    private enum Found: Equatable {
        case object([String: FieldValue], line: Int)
        case fault(FormatFault, line: Int)
    }

    private func items(_ text: String, pieces: Int = .max) throws -> [Found] {
        let bytes = Array(text.utf8)
        let start = try bytes.withUnsafeBytes { try JSONList.start(in: $0, known: ["a"]) }
        var list = JSONList(start)
        var items: [Found] = []
        func take(_ item: JSONList.Item) {
            switch item {
            case .fault(let fault, let line): items.append(.fault(fault, line: line))
            case .object(let bytes, let line):
                do throws(FormatFault) {
                    items.append(.object(try JSONFields.of(bytes, wanted: ["a"]), line: line))
                } catch { items.append(.fault(error, line: line)) }
            }
        }
        var index = start.offset
        while index < bytes.count {
            let end = index + min(pieces, bytes.count - index)
            try bytes[index..<end].withUnsafeBytes { try list.feed($0, take) }
            index = end
        }
        try list.finish(take)
        return items
    }

    private static let three: [FieldValue] = [.integer(1), .text("}\"{é😀"), .composite]

    @Test(
        "an array, an array in an object, and lines are the same list",
        arguments: [
            #"[{"a":1},{"a":"}\"{é\ud83d\ude00","b":[{}]},{"a":{"a":2}}]"#,
            #"{"version":1,"b":{"c":[]},"list":[{"a":1},{"a":"}\"{é😀"},{"a":[1,[2]]}],"note":"[]","c":{"d":[]}}"#,
            "\u{FEFF}{\"a\":1}\n\n{\"a\":\"}\\\"{é😀\"}\r\n{\"a\":[\n {}\n]}",
            "[\n{\n\"a\"\n:\n1},{\"a\":\"}\\\"{é😀\"},\n{\"a\":[]}\n]\n",
        ])
    func forms(text: String) throws {
        let items = try items(text)
        #expect(
            items.map { (item) -> FieldValue? in if case .object(let fields, _) = item { fields["a"] } else { nil } }
                == Self.three)
        for length in 1...3 { #expect(try self.items(text, pieces: length) == items) }
    }

    @Test("an object with a known key is a record, even with arrays in it")
    func single() throws {
        #expect(try items(#"{"a":1,"b":[{"c":1}]}"#) == [.object(["a": .integer(1)], line: 1)])
        #expect(try items("{\"c\":1}\n{\"b\":2}") == [.object([:], line: 1), .object([:], line: 2)])
    }

    @Test("what isn't an object, or is a broken one, doesn't affect the others")
    func faults() throws {
        #expect(
            try items("[{\"a\":1},\n5,\n{\"a\":},\n{\"a\":2}]") == [
                .object(["a": .integer(1)], line: 1), .fault(.line(2), line: 2), .fault(.malformed, line: 3),
                .object(["a": .integer(2)], line: 4),
            ])
        #expect(
            try items("{\"a\":1}\nnonsense\n{\"a\":\n{\"a\":\"x\n{\"a\":2}") == [
                .object(["a": .integer(1)], line: 1), .fault(.line(2), line: 2), .fault(.line(3), line: 3),
                .fault(.line(4), line: 4), .object(["a": .integer(2)], line: 5),
            ])
    }

    @Test(
        "a list that ends in the middle says so, and so does one with something behind it",
        arguments: [
            ("[{\"a\":1}", [FormatFault.truncated]), ("[{\"a\":1},{\"a\":", [.truncated]),
            ("[{\"a\":1}],", [.malformed]),
            ("{\"l\":[{\"a\":1}],\"m\":[{\"a\":2}]}", [.malformed]), ("[{\"a\":1}{\"a\":2}]", [.line(1)]),
        ])
    func ends(text: String, faults: [FormatFault]) throws {
        let found = try items(text)
        #expect(found.first == .object(["a": .integer(1)], line: 1))
        #expect(found.dropFirst().compactMap { if case .fault(let fault, _) = $0 { fault } else { nil } } == faults)
    }

    @Test("deep nesting and long objects are refused, and what follows isn't")
    func bounds() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let long = String(repeating: "x", count: JSONList.longest)
        #expect(
            try items("[{\"a\":\(deep)},{\"a\":\"\(long)\"},{\"a\":1}]") == [
                .fault(.tooDeep, line: 1), .fault(.tooLarge, line: 1), .object(["a": .integer(1)], line: 1),
            ])
    }

    @Test(
        "numbers keep their value or are refused",
        arguments: [
            ("9223372036854775807", FieldValue.integer(.max)),
            ("9223372036854775808", .real(9_223_372_036_854_775_808)),
            ("-0.5e1", .integer(-5)), ("1.25", .real(1.25)), ("1e999", nil), ("01", nil), ("NaN", nil), ("-", nil),
        ])
    func numbers(text: String, value: FieldValue?) throws {
        let found = try? Array("{\"a\":\(text)}".utf8).withUnsafeBytes { try JSONFields.of($0, wanted: ["a"])["a"] }
        #expect(found == value)
    }
}
