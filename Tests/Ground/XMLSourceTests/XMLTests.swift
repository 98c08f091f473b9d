import Testing
import XMLSource

/// XML documents that would cost too much, that are in other encodings, and that were written without care.
@Suite struct XMLTests {
    private static func root(_ text: String, charset: String? = nil) throws(XMLMistake) -> XMLElement {
        try XMLReader.root(of: Array(text.utf8), charset: charset)
    }

    private static func repaired(_ text: String) throws(XMLMistake) -> (root: XMLElement, mistake: XMLMistake?) {
        try XMLReader.repairedRoot(of: Array(text.utf8))
    }

    @Test(
        "a document with an internal subset is refused where that begins, also if it would be repaired",
        arguments: [
            (0...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined(),
            "<!ENTITY l9 SYSTEM \"file:///etc/passwd\">", "<!ENTITY % p SYSTEM \"http://127.0.0.1:1/x.dtd\"> %p;",
            "<!ATTLIST x a CDATA \"\(String(repeating: "A", count: 1000))\">", "<!ELEMENT a ANY>", "",
        ])
    func subset(_ declarations: String) {
        let refused = XMLMistake("its DOCTYPE has declarations of its own, line 1", isRefusal: true)
        let text = "<!DOCTYPE a [\(declarations)]><a><x/><x/>&l9;</a>"
        #expect(throws: refused) { try Self.root(text) }
        #expect(throws: refused) { try Self.repaired(text) }
        #expect(throws: refused) { try Self.repaired("  <?xml version='1.0'?>" + text) }
        #expect(XMLElement(Array(text.utf8)) == nil)
    }

    @Test("a DOCTYPE that only names a definition elsewhere is read, and nothing is loaded")
    func doctype() throws {
        #expect(try Self.root("<!DOCTYPE rss SYSTEM \"http://127.0.0.1:1/rss.dtd\"><rss/>").name == "rss")
    }

    @Test("depth, elements and attributes are bounded", .timeLimit(.minutes(10)))
    func bounds() {
        let deep = String(repeating: "<a>", count: 1000)
        #expect(throws: XMLMistake("it is nested too deep, line 1", isRefusal: true)) { try Self.root(deep) }
        let many = XMLMistake("it has too many elements, line 1", isRefusal: true)
        #expect(throws: many) { try Self.root("<a>\(String(repeating: "<b/>", count: 800_000))</a>") }
        #expect(throws: many) { try Self.root("<a>\(String(repeating: "<b c=''/>", count: 400_000))</a>") }
    }

    @Test("prefixes take linear time, however many are declared and however deep", .timeLimit(.minutes(10)))
    func prefixes() throws {
        let declared = (0..<50_000).map { "xmlns:p\($0)='u\($0)'" }.joined(separator: " ")
        let inside = String(repeating: "<p1:a xmlns:q='v'/>", count: 100_000)
        let deep = String(repeating: "<d>", count: 150)
        let close = String(repeating: "</d>", count: 150)
        var root = try Self.root("<r \(declared)>\(deep)\(inside)\(close)</r>")
        while let child = root.children.first { root = child }
        #expect(root.name == "a" && root.namespace == "u1")
    }

    @Test(
        "documents are read in the encodings that browsers know",
        arguments: [
            ("windows-1252", [0xE4], "ä"), ("iso-8859-1", [0xEF], "ï"), ("ISO_8859-15", [0xA4], "€"),
            ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
            ("gb2312", [0xD6, 0xD0], "中"), ("GBK", [0x81, 0x40], "丂"), ("Big5", [0xA4, 0xA4], "中"),
            ("EUC-KR", [0xC7, 0xD1], "한"), ("koi8-r", [0xC1], "а"), ("x-sjis", [0x83, 0x41], "ア"),
            ("windows-1255", [0xE0], "א"), ("utf-8", [0xC3, 0xA4], "ä"), ("utf-16", [0xC3, 0xA4], "ä"),
        ] as [(String, [UInt8], String)])
    func encodings(_ name: String, _ bytes: [UInt8], _ text: String) throws {
        let declared = Array("<?xml version='1.0' encoding='\(name)'?><a>".utf8) + bytes + Array("</a>".utf8)
        #expect(try XMLReader.root(of: declared).text == text)
        guard name != "utf-16" else { return }
        let plain = Array("<a>".utf8) + bytes + Array("</a>".utf8)
        #expect(try XMLReader.root(of: plain, charset: name).text == text, "only Content-Type names it")
    }

    @Test("UTF-16 tells itself, with a mark and without", arguments: [true, false])
    func utf16(isMarked: Bool) throws {
        let text = (isMarked ? "\u{FEFF}" : "") + "<?xml version='1.0' encoding='utf-16'?><a>日😀</a>"
        let units = Array(text.utf16)
        #expect(try XMLReader.root(of: units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).text == "日😀")
        #expect(try XMLReader.root(of: units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }).text == "日😀")
    }

    @Test(
        "a document that was written without care is read, and its first mistake told",
        arguments: [
            ("<a>b</a>", "b", nil), (" \n<?xml version='1.0'?><a>b</a>", "b", "line 2"),
            ("\u{FEFF}\u{FEFF}\u{FEFF}<a>b</a>", "b", "line 1"),
            ("<a>b</a>\n<script>x", "b", "junk after document element, line 2"), ("<a>b</a>\u{0}", "b", "line 1"),
            ("<a>b & c &d; &amp; &#228;&#xE4;</a>", "b & c &d; & ää", "line 1"),
            ("<a>\n&nbsp;&auml;&hellip;&lt;</a>", "\u{A0}ä…<", "undefined entity, line 2"),
            ("<a>1 < 2 <= 3 <</a>", "1 < 2 <= 3 <", "line 1"),
            ("<a>b\u{0}\u{8}&#0;&#xFFFE;c\u{FFFE}</a>", "bc", "line 1"),
            ("<a>&x;<![CDATA[ & <b> &nbsp; ]]></a>", " & <b> &nbsp; ", "line 1"),
            ("<a>&x;<!-- & -- > <b> --></a>", "&x;", "line 1"),
        ] as [(String, String, String?)])
    func repairs(_ document: String, _ text: String, _ mistake: String?) throws {
        let read = try Self.repaired(document)
        #expect(read.root.text.hasSuffix(text), "\(read.root.text)")
        #expect(read.mistake?.message.hasSuffix(mistake ?? "?") == (mistake.map { _ in true }))
    }

    @Test("attributes are repaired like text")
    func attributes() throws {
        let root = try Self.repaired("<a href='x?b=1&c=2&amp;d' title=\"1 < 2 > &uuml; 'y'\"/>").root
        #expect(root.attributes == ["href": "x?b=1&c=2&d", "title": "1 < 2 > ü 'y'"])
    }

    @Test("of an encoding that can't be, the next that fits is taken")
    func guesses() throws {
        func text(_ name: String?, _ bytes: [UInt8], charset: String? = nil) throws -> String {
            let declaration = name.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
            let document = Array("\(declaration)<a>".utf8) + bytes + Array("</a>".utf8)
            return try XMLReader.repairedRoot(of: document, charset: charset).root.text
        }
        #expect(try text(nil, [0xE4]) == "ä", "nothing is said: Western Europe")
        #expect(try text("utf-8", [0xE4]) == "\u{FFFD}")
        #expect(try text("utf-8", [0xE4], charset: "iso-8859-1") == "ä")
        #expect(try text("klingon", [0xC3, 0xA4]) == "ä")
        #expect(try text("shift_jis", [0xC3, 0xA4]) == "\u{FF83}\u{FF64}", "its own word counts before what fits, too")
    }

    @Test(
        "what is no XML is no feed for anybody",
        arguments: ["", "a", "<a>", "<a><b></a>", "<a b=c/>", "{}", "<a>\n&nbsp;<b>", "<"])
    func broken(_ text: String) { #expect(throws: XMLMistake.self) { try Self.repaired(text) } }

    @Test(
        "repairs take linear time", .timeLimit(.minutes(10)),
        arguments: ["<a ", "<!--", "<![CDATA[", "&", "<", "<?", "&#1", "<a b='", "]]", "--"])
    func linear(_ piece: String) {
        let text = String(repeating: piece, count: (512 << 10) / piece.utf8.count)
        #expect(throws: XMLMistake.self) { try Self.repaired("<r>" + text) }
    }
}
