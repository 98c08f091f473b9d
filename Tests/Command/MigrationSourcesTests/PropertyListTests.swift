import Foundation
import MigrationSources
import SeededGenerator
import SystemPackage
import TestSupport
import Testing

@Suite("property lists")
struct PropertyListTests {
    /// What every writer below writes.
    private static let sample = PropertyList.dictionary([
        "text": .string("a"), "wide": .string("中文 😀"), "long": .string(String(repeating: "x", count: 5000)),
        "small": .integer(200), "large": .integer(1 << 40), "negative": .integer(-7), "real": .real(1.5),
        "yes": .boolean(true), "no": .boolean(false), "data": .data(Data([0, 1, 255])),
        "date": .date(Date(timeIntervalSince1970: 1_700_000_000)),
        "array": .array([.integer(1), .array([]), .dictionary([:])]),
    ])

    private static let python = """
        import plistlib, sys, datetime
        d = {"text": "a", "wide": "中文 😀", "long": "x" * 5000, "small": 200, "large": 1 << 40, "negative": -7,
             "real": 1.5, "yes": True, "no": False, "data": bytes([0, 1, 255]),
             "date": datetime.datetime(2023, 11, 14, 22, 13, 20), "array": [1, [], {}]}
        form = plistlib.FMT_XML if sys.argv[2] == "xml" else plistlib.FMT_BINARY
        plistlib.dump(d, open(sys.argv[1], "wb"), fmt=form)
        """

    static func bytes(_ object: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
        Array(try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0))
    }

    private static var foundationObject: [String: Any] {
        [
            "text": "a", "wide": "中文 😀", "long": String(repeating: "x", count: 5000), "small": 200, "large": 1 << 40,
            "negative": -7, "real": 1.5, "yes": true, "no": false, "data": Data([0, 1, 255]),
            "date": Date(timeIntervalSince1970: 1_700_000_000), "array": [1, [Any](), [String: Any]()] as [Any],
        ]
    }

    @Test(
        "what Foundation writes is read in both forms",
        arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func foundation(format: PropertyListSerialization.PropertyListFormat) throws {
        #expect(try PropertyList(Self.bytes(Self.foundationObject, format)) == Self.sample)
    }

    @Test("what Python's plistlib writes is read in both forms", arguments: ["xml", "binary"])
    func plistlib(form: String) async throws {
        let folder = TemporaryFolder()
        let path = folder.at("list").string
        let ending = try await Tool(name: "python3", package: "python3").run(["-c", Self.python, path, form])
        #expect(ending.isSuccess, "\(ending.output)")
        let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
        #expect(try PropertyList(bytes) == Self.sample)
    }

    @Test("old-style text is read as descriptions print it, with escapes and comments")
    func oldStyle() throws {
        let text = """
            // first
            {
                a = 1; /* second */
                "b c" = "\\U4e2d\\U6587 \\Ud83d\\Ude00 \\"q\\" \\\\ \\101\\n";
                l = (1, "2 3", (), );
                d = <0fbd 77>;
                e = {f = http://h/x;}
            }
            """
        #expect(
            try PropertyList(Array(text.utf8))
                == .dictionary([
                    "a": .string("1"), "b c": .string("中文 😀 \"q\" \\ A\n"),
                    "l": .array([.string("1"), .string("2 3"), .array([])]), "d": .data(Data([0x0f, 0xbd, 0x77])),
                    "e": .dictionary(["f": .string("http://h/x")]),
                ]))
        #expect(try PropertyList(Array("<0fbd77>".utf8)) == .data(Data([0x0f, 0xbd, 0x77])))
        #expect(try PropertyList(Array("\u{FEFF}{a=b;}".utf8)) == .dictionary(["a": .string("b")]))
        let utf16 = "\u{FEFF}{a=\"中\";}".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(try PropertyList(utf16) == .dictionary(["a": .string("中")]))
    }

    @Test(
        "old-style text that breaks off or isn't any is refused",
        arguments: [
            ("", FormatFault.truncated), ("{a = 1;", .truncated), ("{a = \"x", .truncated), ("(1, 2", .truncated),
            ("{a 1;}", .malformed), ("{a = 1; } x", .malformed), ("<0f0>", .malformed), ("\"\\Ud83d\"", .notText),
            ("\"\\Ude00\"", .notText), ("/* x", .truncated), ("%", .malformed), ("\"\\U00", .truncated),
            (String(repeating: "(", count: 100_000), .tooDeep), (String(repeating: "{a=", count: 100_000), .tooDeep),
        ])
    func brokenText(text: String, fault: FormatFault) {
        #expect(throws: fault) { try PropertyList(Array(text.utf8)) }
    }

    /// A binary list of arrays, each of which has the next one twice.
    private static func doubling(_ levels: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for level in 0..<levels {
            offsets.append(UInt8(bytes.count))
            bytes += [0xA2, UInt8(level + 1), UInt8(level + 1)]
        }
        offsets.append(UInt8(bytes.count))
        bytes += [0x09]
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(levels + 1), 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return bytes
    }

    @Test("shared collections count each time, so that a small file can't become a large value")
    func doublings() throws {
        #expect(
            try PropertyList(Self.doubling(2))
                == .array([.array([.boolean(true), .boolean(true)]), .array([.boolean(true), .boolean(true)])]))
        #expect(throws: FormatFault.tooLarge) { try PropertyList(Self.doubling(40)) }
    }

    @Test("an array that contains itself is refused")
    func cycle() {
        var bytes = Array("bplist00".utf8) + [0xA1, 0x00, 8, 0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(1), 0, 10] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        #expect(throws: FormatFault.tooDeep) { try PropertyList(bytes) }
    }

    @Test("XML that multiplies itself, is deep or isn't a list is refused")
    func brokenXML() throws {
        let entities = "<?xml version='1.0'?><!DOCTYPE p [<!ENTITY a 'b'>]><plist><string>&a;</string></plist>"
        let deep =
            "<plist>" + String(repeating: "<array>", count: 90) + String(repeating: "</array>", count: 90) + "</plist>"
        let attributes =
            "<!DOCTYPE plist [<!ATTLIST true a CDATA '\(String(repeating: "A", count: 100))'>]><plist><true/></plist>"
        #expect(throws: FormatFault.malformed) { try PropertyList(Array(entities.utf8)) }
        #expect(throws: FormatFault.malformed) { try PropertyList(Array(attributes.utf8)) }
        #expect(throws: FormatFault.tooDeep) { try PropertyList(Array(deep.utf8)) }
        for content in [
            "", "<dict><key>a</key></dict>", "<integer>1x</integer>", "<integer>99999999999999999999</integer>",
            "<real>x</real>",
            "<date>2023-13-01T00:00:00Z</date>", "<date>2023</date>", "<data>%</data>", "<what/>", "<true/><true/>",
        ] {
            #expect(throws: FormatFault.malformed, "\(content)") {
                try PropertyList(Array("<plist>\(content)</plist>".utf8))
            }
        }
        #expect(try PropertyList(Array("<plist><integer>-0x10</integer></plist>".utf8)) == .integer(-16))
        let uid = "<plist><dict><key>CF$UID</key><integer>3</integer></dict></plist>"
        #expect(try PropertyList(Array(uid.utf8)) == .uid(3))
    }

    @Test("every truncation of a binary list is refused, and changed bytes are read or refused")
    func mutations() throws {
        let whole = try Self.bytes(["a": [1, 2.5, "x", Data([1])], "b": ["中": true]] as [String: Any], .binary)
        for length in 8..<whole.count {
            #expect(throws: FormatFault.self) { try PropertyList(Array(whole.prefix(length))) }
        }
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<600 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? PropertyList(bytes)
        }
    }
}
