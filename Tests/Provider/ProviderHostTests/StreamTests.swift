import Testing

@testable import ProviderHost

/// How bytes become lines.
@Suite struct StreamTests {
    private func split(_ pieces: [String], limit: Int = 100) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            try Array(piece.utf8).withUnsafeBytes { bytes in
                try splitter.feed(bytes) { lines.append(String(decoding: $0, as: UTF8.self)) }
            }
        }
        return lines
    }

    @Test("lines end at LF only, however the bytes are split")
    func lines() throws {
        #expect(try split(["a\nb\n"]) == ["a", "b"])
        #expect(
            try split(["a", "b", "\n", "\nc\r\nd\u{2028}e\u{0B}\n", "rest"]) == ["ab", "", "c\r", "d\u{2028}e\u{0B}"])
        #expect(try split(["ab\nc", "d\nef", "\n"]) == ["ab", "cd", "ef"])
    }

    @Test("a line may be as long as the limit and no longer, ended or not")
    func limit() throws {
        let full = String(repeating: "x", count: 100)
        #expect(try split([full + "\n", full, "\n"]) == [full, full])
        #expect(throws: LineSplitter.LineTooLong.self) { try split([full + "x\n"]) }
        #expect(throws: LineSplitter.LineTooLong.self) { try split([full, "x"]) }
    }

    private func feed(_ log: inout StderrLog, _ text: String, at seconds: Double = 0) -> [String] {
        Array(text.utf8).withUnsafeBytes { log.feed($0, now: .seconds(seconds)) }
    }

    @Test("a burst reaches the log, then a bounded rate; the rest is counted")
    func rate() {
        var log = StderrLog()
        let lines = feed(&log, (0..<1000).map { "line \($0)\n" }.joined())
        #expect(lines.count == StderrLog.burst)
        #expect(lines.last == "line 199")
        let later = feed(&log, (1000..<1100).map { "line \($0)\n" }.joined(), at: 1)
        #expect(later.count == 51)
        #expect(later.first == "… 800 lines left out …")
        #expect(later[1] == "line 1000")
        #expect(log.finish() == ["… 50 lines left out …"])
    }

    @Test("lines are cut, made printable, and joined from pieces")
    func text() {
        var log = StderrLog()
        #expect(feed(&log, "be") == [])
        #expect(feed(&log, "fore\u{1B}[31m\n\n") == ["before␛[31m"])
        #expect(feed(&log, String(repeating: "x", count: 5000) + "\n").map(\.count) == [2048])
        #expect(feed(&log, "the end") == [])
        #expect(log.finish() == ["the end"])
        #expect(log.lastLines(2).last == "the end")
    }

    @Test("only output without an answer in between counts as a flood")
    func flood() {
        var log = StderrLog()
        let block = String(repeating: "x", count: 1 << 20)
        for _ in 0..<64 { _ = feed(&log, block) }
        #expect(!log.isFlood)
        log.answered()
        for _ in 0..<64 { _ = feed(&log, block) }
        #expect(!log.isFlood)
        _ = feed(&log, "x")
        #expect(log.isFlood)
    }
}
