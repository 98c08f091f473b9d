import Testing

@testable import MigrationSources

@Suite("CSV")
struct CSVTests {
    private func rows(_ text: some StringProtocol, pieces: Int = .max) throws -> [CSV.Row] {
        try rows(Array(text.utf8), pieces: pieces)
    }

    private func rows(_ bytes: [UInt8], pieces: Int = .max) throws -> [CSV.Row] {
        var csv = CSV()
        var rows: [CSV.Row] = []
        var index = 0
        while index < bytes.count {
            let end = min(bytes.count, index + min(pieces, bytes.count))
            try bytes[index..<end].withUnsafeBytes { try csv.feed($0) { rows.append($0) } }
            index = end
        }
        try csv.finish { rows.append($0) }
        return rows
    }

    @Test("quotes, line breaks in fields, CRLF and the byte order mark are as in RFC 4180")
    func quotes() throws {
        let text = "\u{FEFF}a,b\r\n\"x \"\"y\"\"\",\"1\r\n2\"\r\n\r\n,\nlast,\"\""
        let expected: [CSV.Row] = [
            .init(line: 1, fields: ["a", "b"]), .init(line: 2, fields: ["x \"y\"", "1\r\n2"]),
            .init(line: 5, fields: ["", ""]), .init(line: 6, fields: ["last", ""]),
        ]
        #expect(try rows(text) == expected)
    }

    @Test("the pieces in which it comes make no difference", arguments: 1...5)
    func pieces(length: Int) throws {
        let text = "\u{FEFF}a;b\r\n\"x;\"\"y\"\"\";\"1\r\n2\"\r\né;\"z\" \n;\r;"
        #expect(try rows(text, pieces: length) == rows(text))
        #expect(try rows(text).count == 5)
    }

    @Test(
        "the first line tells what is between the fields",
        arguments: [
            ("a,b;c\n1,2\n", ["1", "2"]), ("a;b;\"c,,,\"\n1;2,3\n", ["1", "2,3"]), ("a\tb\n1\t2;\n", ["1", "2;"]),
        ])
    func delimiters(text: String, fields: [String]) throws {
        #expect(try rows(text).last?.fields == fields)
    }

    @Test("a row that can't be read doesn't affect the next one")
    func faults() throws {
        let bytes = Array("a,b\n\"x\"y,2\n3,".utf8) + [0xFF] + Array("\n4,5\" disk\n\"6".utf8)
        let expected: [CSV.Row] = [
            .init(line: 1, fields: ["a", "b"]), .init(line: 2, fault: .line(2)), .init(line: 3, fault: .notText),
            .init(line: 4, fields: ["4", "5\" disk"]), .init(line: 5, fault: .truncated),
        ]
        #expect(try rows(bytes) == expected)
    }

    @Test("a quote that is never closed takes no more than a field's bytes with it")
    func endless() throws {
        let lines = (1...20_000).map { "\($0),x\n" }.joined()
        let rows = try rows("a,b\n\"" + lines)
        #expect(rows[1] == .init(line: 2, fault: .tooLarge))
        #expect(rows.count > 5000)
        #expect(rows.last?.fields == ["20000", "x"])
    }

    @Test("too many fields and too long ones are refused")
    func bounds() throws {
        let rows = try rows(
            "a\n" + String(repeating: ",", count: 5000) + "\n" + String(repeating: "x", count: 70_000) + "\nb")
        #expect(rows.map(\.fault) == [nil, .tooLarge, .tooLarge, nil])
    }
}
