import MediaTransfer
import Testing

@Suite struct HeadParserTests {
    /// Feeds lines, and an empty one; the first step that isn't `more`.
    private func parse(_ lines: [String], terminated: Bool = true) -> HeadParser.Step {
        var parser = HeadParser()
        for line in lines + (terminated ? [""] : []) {
            let step = parser.feed(Array((line + "\r\n").utf8))
            if step != .more { return step }
        }
        return .more
    }

    @Test("keeps the fields that this room reads, with names in any case and blanks around values")
    func fields() throws {
        let step = parse([
            "HTTP/1.1 206 Partial Content", "ETAG:  \"a\"\t", "Content-Length:5", "Set-Cookie: a=b", "X: y",
        ])
        guard case .complete(let head) = step else { return #expect(Bool(false), "\(step)") }
        #expect(head.status == 206)
        #expect(head.value("etag") == "\"a\"")
        #expect(head.value("content-length") == "5")
        #expect(head.values("set-cookie").isEmpty)
    }

    @Test("skips 1xx answers before the final one")
    func informational() {
        let step = parse(["HTTP/1.1 103 Early Hints", "Content-Length: 1", "", "HTTP/1.1 200 OK", "Content-Length: 2"])
        guard case .complete(let head) = step else { return #expect(Bool(false), "\(step)") }
        #expect(head.values("content-length") == ["2"])
    }

    @Test(
        "refuses a duplicate of a field that must be unique",
        arguments: ["Content-Length", "content-range", "LOCATION"])
    func duplicates(_ name: String) {
        let step = parse(["HTTP/1.1 200 OK", "\(name): 1", "\(name.lowercased()): 2"])
        #expect(step == .refused(.duplicateField(name.lowercased())))
    }

    @Test(
        "accepts a length or a location twice with one value, but not a range",
        arguments: [("Content-Length", true), ("Location", true), ("Content-Range", false)])
    func repetitions(_ name: String, _ isFine: Bool) {
        let lines = ["HTTP/1.1 200 OK", "\(name): 1", "\(name.lowercased()):  1 "]
        switch parse(lines) {
        case .complete(let head): #expect(isFine && head.value(name.lowercased()) == "1")
        case let step: #expect(!isFine && step == .refused(.duplicateField(name.lowercased())))
        }
        #expect(parse(lines + [" 2"]) != .more)
        if case .complete = parse(lines + [" 2"]) { Issue.record("the second one is another one") }
    }

    @Test("replaces a line fold by a blank, in the fields that are read and in others")
    func folds() throws {
        let step = parse([
            "HTTP/1.1 206 Partial Content", "X-Other: a", "\tb", "Content-Range: bytes", " 0-9/10", "Location: /a",
            "  ",
            "ETag:", "\t \"a\"",
        ])
        guard case .complete(let head) = step else { return #expect(Bool(false), "\(step)") }
        #expect(head.value("content-range") == "bytes 0-9/10")
        #expect(head.value("location") == "/a")
        #expect(head.value("etag") == "\"a\"")
    }

    @Test(
        "refuses a fold in fields by which libcurl frames the body, and one that continues nothing",
        arguments: [
            ["Content-Length: 1", " 0"], ["Content-Length:", " 10"], ["Transfer-Encoding:", "\tchunked"],
            [" folded"], ["\tfolded: x"], ["a: b", " c\u{0}"],
        ])
    func badFolds(_ lines: [String]) {
        #expect(parse(["HTTP/1.1 200 OK"] + lines) == .refused(.malformedField))
        let early = ["HTTP/1.1 103 Early Hints", "a: b", ""]
        #expect(parse(early + ["HTTP/1.1 200 OK"] + lines) == .refused(.malformedField))
    }

    @Test(
        "refuses invalid fields",
        arguments: [
            "no colon", ": no name", "bad name: x", "a: x\ry", "a: x\u{0}", "a\u{7F}: x",
        ])
    func malformed(_ line: String) {
        #expect(parse(["HTTP/1.1 200 OK", "a: b", line]) == .refused(.malformedField))
    }

    @Test(
        "refuses invalid status lines",
        arguments: ["", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000 x", "HTTP/1.1 099 x", "HTTP/1.1 +20 x", "ICY 200 OK"])
    func status(_ line: String) {
        #expect(parse([line], terminated: false) == .refused(.malformedStatus))
    }

    @Test("bounds the number of fields, of bytes and of 1xx answers")
    func bounds() {
        let fields = (0..<HeadLimits.fields).map { "x\($0): y" }
        guard case .complete = parse(["HTTP/1.1 200 OK"] + fields) else { return #expect(Bool(false)) }
        #expect(parse(["HTTP/1.1 200 OK"] + fields + ["one: more"]) == .refused(.tooManyFields))
        let long = "x: " + String(repeating: "y", count: HeadLimits.bytes)
        #expect(parse(["HTTP/1.1 200 OK", long]) == .refused(.headTooLarge))
        let early = Array(repeating: ["HTTP/1.1 100 Continue", ""], count: HeadLimits.informational + 1).flatMap(\.self)
        #expect(parse(early) == .refused(.informational))
        #expect(parse(["HTTP/1.1 101 Switching Protocols"]) == .refused(.informational))
    }

    @Test("counts trailers and ignores their contents")
    func trailers() {
        var parser = HeadParser()
        for line in ["HTTP/1.1 200 OK\r\n", "Content-Length: 1\r\n"] { _ = parser.feed(Array(line.utf8)) }
        guard case .complete = parser.feed(Array("\r\n".utf8)) else { return #expect(Bool(false)) }
        #expect(parser.feed(Array("Content-Length: 2\r\n".utf8)) == .more)
        for _ in 0..<HeadLimits.fields { _ = parser.feed(Array("a: b\r\n".utf8)) }
        #expect(parser.feed(Array("a: b\r\n".utf8)) == .refused(.tooManyFields))
    }
}
