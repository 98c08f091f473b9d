import Foundation
import Testing
import TextFormats

/// Valid JSON, and the values it becomes.
@Suite struct JSONReaderTests {
    private func value(_ text: String) -> JSONValue? { try? JSONReader.value(of: text.utf8) }

    @Test(
        "each kind of value is recognized",
        arguments: [
            ("null", nil), (" true\t", true), ("false", false), ("0", 0), ("-0", 0),
            ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("1.5e1", 15), ("1.25", 1.25), ("1E-2", 0.01), (#""""#, ""),
            (#""a\"\\\/\b\f\n\r\té\ud83c\udfacé""#, .string("a\"\\/\u{8}\u{C}\n\r\té🎬é")), ("[]", []), ("{}", [:]),
            (#"[1, "a" ,[null]]"#, [1, "a", [nil]]), (#"{"a":{"b":[]}, "c" : 2}"#, ["a": ["b": []], "c": 2]),
            ("\u{FEFF}1", 1),
        ] as [(String, JSONValue)])
    func values(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONReader.value(of: text.utf8) == value)
    }

    @Test(
        "texts that RFC 8259 doesn't allow are refused",
        arguments: [
            "", " ", "nul", "True", "01", "+1", "1.", ".5", "-", "1e", "0x1", "NaN", "Infinity", "1e999", "'a'", "\"a",
            "\"\t\"", #""\x""#, #""\u12g4""#, #""\ud800""#, #""\ud800A""#, #""\udc00""#, "[1,]", "[,1]", "[1 2]", "[",
            "]", "{\"a\":1,}", "{a:1}", "{\"a\"}", "{\"a\":}", "{\"a\":1", "1 2", "[1]x", "/**/1", "{\"a\":1}}",
        ])
    func refused(_ text: String) { #expect(value(text) == nil) }

    @Test("bytes that aren't UTF-8 are refused")
    func notUTF8() {
        #expect(throws: JSONReader.Fault.notUTF8) { try JSONReader.value(of: [0x22, 0xE9, 0x22]) }
        #expect(throws: JSONReader.Fault.notUTF8) {
            try JSONReader.value(of: Array("{}".utf16).flatMap { [UInt8($0), 0xFF] })
        }
    }

    @Test("of equal keys the last one counts, also in a decoded type")
    func lastCounts() throws {
        #expect(value(#"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
        struct Subtitle: Decodable {
            var lang: String
        }
        let subtitle = try JSONReader.decode(Subtitle.self, from: #"{"lang":"de","url":"u","lang":"en"}"#.utf8)
        #expect(subtitle.lang == "en")
    }

    @Test(
        "too deep nesting is refused before it is read; allowed nesting is read, however long the text"
    )
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let bound = JSONReader.depthBound
        #expect(value(nested(bound)) != nil)
        #expect(throws: JSONReader.Fault.tooDeep) { try JSONReader.value(of: nested(bound + 1).utf8) }
        #expect(throws: JSONReader.Fault.tooDeep) {
            try JSONReader.value(of: String(repeating: "[", count: 1 << 20).utf8)
        }
        #expect(throws: JSONReader.Fault.tooDeep) {
            try JSONReader.value(of: String(repeating: "{\"a\":", count: 500).utf8)
        }
        // Each list was once decoded by trying everything else first, each try with the whole path.
        let wide = "[" + Array(repeating: nested(bound - 1), count: 4000).joined(separator: ",") + "]"
        struct Wrapped: Decodable {
            var value: JSONValue

            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(JSONValue.self) }
        }
        let wrapped = try JSONReader.decode(Wrapped.self, from: wide.utf8)
        #expect(wrapped.value.array?.count == 4000)
    }

    @Test("a decoded type gets the values that Foundation would give it")
    func types() throws {
        struct Everything: Codable, Equatable {
            enum Choice: Codable, Equatable {
                case plain
                case pair(Int, [String])
            }

            var text: String
            var flag: Bool
            var small: UInt8
            var number: Double
            var list: [Int?]
            var words: [String: String]
            var nothing: String?
            var choices: [Choice]
            var any: JSONValue
        }
        let all = Everything(
            text: "é", flag: true, small: 255, number: 1.5, list: [1, nil, 3], words: ["a": "b"], nothing: nil,
            choices: [.plain, .pair(7, ["x"])], any: ["deep": [1, [2, ["three": nil]]]])
        let bytes = try JSONEncoder().encode(all)
        #expect(try JSONReader.decode(Everything.self, from: bytes) == all)
        #expect(throws: DecodingError.self) { try JSONReader.decode(UInt8.self, from: "256".utf8) }
        #expect(throws: DecodingError.self) { try JSONReader.decode(Int.self, from: "1.5".utf8) }
        #expect(throws: DecodingError.self) { try JSONReader.decode(String.self, from: "1".utf8) }
        #expect(throws: DecodingError.self) { try JSONReader.decode([Int].self, from: "[null]".utf8) }
        #expect(throws: DecodingError.self) { try JSONReader.decode(Everything.self, from: "{}".utf8) }
    }
}
