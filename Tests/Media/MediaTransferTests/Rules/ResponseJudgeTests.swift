import Foundation
import MediaTransfer
import Testing

@Suite struct ResponseJudgeTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:36 GMT"

    private func decide(
        _ status: Int, _ fields: [String: String], at offset: Int64 = 0, total: Int64? = nil,
        _ condition: ResumeCondition = .checksum, expected: Int64? = nil, maxSize: Int64? = nil,
        maxUnsized: Int64? = nil, allowsMarkup: Bool = false, allowsHTML: Bool = true, isRedirected: Bool = false
    ) throws -> ResponseDecision {
        var raw = RawHead(status: status)
        for (name, value) in fields { _ = raw.add(name, value) }
        var request = TransferRequest(url: "http://h/")
        request.start = .resume(at: offset, total: total, condition: condition)
        (request.expectedSize, request.maxSize, request.allowsMarkup) = (expected, maxSize, allowsMarkup)
        (request.allowsHTML, request.maxUnsized) = (allowsHTML, maxUnsized)
        let head = try ResponseHead(raw, origin: #require(Origin(url: "http://h/")), receivedAt: Date())
        return ResponseJudge(request: request, isRedirected: isRedirected).decide(raw, head)
    }

    private func plan(
        _ start: Int64, _ whole: Int64?, _ limit: Int64, _ reason: TooLong = .promised,
        _ framing: ResponseHead.Framing = .length
    ) -> ResponseDecision {
        .accept(BodyPlan(start: start, whole: whole, limit: limit, limitReason: reason, framing: framing))
    }

    @Test("accepts a whole file")
    func whole() throws {
        #expect(try decide(200, ["content-length": "10"]) == plan(0, 10, 10))
        #expect(try decide(200, ["content-length": "10"], expected: 10) == plan(0, 10, 10))
        #expect(try decide(200, [:]) == plan(0, nil, .max, .promised, .untilClose))
        #expect(try decide(200, [:], expected: 10) == plan(0, 10, 10, .expected, .untilClose))
        #expect(try decide(200, [:], maxSize: 9) == plan(0, nil, 9, .maximum, .untilClose))
    }

    @Test("the largest size of what nobody knows the size of isn't for anything else")
    func unsized() throws {
        #expect(try decide(200, [:], maxUnsized: 9) == plan(0, nil, 9, .maximum, .untilClose))
        #expect(try decide(200, [:], expected: 10, maxUnsized: 9) == plan(0, 10, 10, .expected, .untilClose))
        #expect(try decide(200, ["content-length": "10"], maxUnsized: 9) == plan(0, 10, 10))
    }

    @Test("refuses a size that is not the expected one before a byte is written")
    func sizes() throws {
        #expect(
            try decide(200, ["content-length": "11"], expected: 10)
                == .refuse(.sizeMismatch(expected: 10, announced: 11)))
        #expect(try decide(200, ["content-length": "11"], maxSize: 10) == .refuse(.tooLong(.maximum)))
        #expect(
            try decide(206, ["content-range": "bytes 5-10/11"], at: 5, expected: 10)
                == .refuse(.sizeMismatch(expected: 10, announced: 11)))
    }

    @Test("200 to a range writes nothing")
    func rangeIgnored() throws {
        #expect(try decide(200, ["content-length": "10"], at: 5) == .refuse(.rangeIgnored))
    }

    @Test("206 without a range is refused")
    func unasked() throws {
        #expect(
            try decide(206, ["content-range": "bytes 0-9/10"]) == .refuse(.badResponse(.unaskedRange)))
    }

    @Test(
        "206 has to begin where the partial ends, and to have the same total",
        arguments: [
            ("bytes 5-9/10", 10, nil),
            ("bytes 6-9/10", 10, .rangeMismatch(.otherOffset)), ("bytes 0-9/10", 10, .rangeMismatch(.otherOffset)),
            ("bytes 5-10/11", 10, .identityChanged(.total)), ("bytes 5-9/*", 10, nil),
            ("bytes 5-8/*", 10, nil), ("bytes 5-10/*", 10, .identityChanged(.total)), ("bytes 5-8/10", 10, nil),
            ("bytes 5-9/*", nil, .identityChanged(.total)), ("bytes 5-", 10, .rangeMismatch(.malformed)),
            ("bytes */10", 10, .rangeMismatch(.malformed)),
        ] as [(String, Int64?, TransferFailure?)])
    func offsets(_ range: String, _ total: Int64?, _ failure: TransferFailure?) throws {
        let decision = try decide(206, ["content-range": range], at: 5, total: total)
        if let failure {
            #expect(decision == .refuse(failure))
        } else {
            guard case .accept(let plan) = decision else { return #expect(Bool(false), "\(decision)") }
            #expect(plan.start == 5)
            #expect(plan.whole == 10)
            #expect(plan.limit == (range.contains("8") ? 9 : 10))
        }
    }

    @Test("206 without a total covers only a part, unless the size is known otherwise")
    func unknownTotal() throws {
        let fields = ["content-range": "bytes 5-9/*", "etag": "\"a\""]
        let part = BodyPlan(
            start: 5, whole: nil, partEnd: 10, limit: 10, limitReason: .promised, framing: .untilClose)
        #expect(try decide(206, fields, at: 5, .etag("\"a\"")) == .accept(part))
        #expect(try decide(206, fields, at: 5, .etag("\"a\""), expected: 10) == plan(5, 10, 10, .promised, .untilClose))
        #expect(try decide(206, fields, at: 5, .etag("\"a\""), expected: 20) == plan(5, 20, 10, .promised, .untilClose))
    }

    @Test("206 with contradicting lengths, with several parts, or without a range")
    func contradictions() throws {
        #expect(
            try decide(206, ["content-range": "bytes 5-9/10", "content-length": "6"], at: 5)
                == .refuse(.rangeMismatch(.contradictoryLength)))
        #expect(
            try decide(206, ["content-type": "multipart/byteranges; boundary=x"], at: 5)
                == .refuse(.rangeMismatch(.multipart)))
        #expect(
            try decide(206, ["content-type": "Multipart/ByteRanges", "content-range": "bytes 5-9/10"], at: 5)
                == .refuse(.rangeMismatch(.multipart)))
        #expect(try decide(206, [:], at: 5) == .refuse(.rangeMismatch(.noContentRange)))
    }

    @Test(
        "206 has to have the same validator",
        arguments: [
            (.etag("\"a\""), ["etag": "\"a\""], nil), (.etag("\"a\""), ["etag": "\"b\""], .etag),
            (.etag("\"a\""), ["etag": "W/\"a\""], .etag), (.etag("\"a\""), [:], .etag),
            (.lastModified(Self.modified), ["last-modified": Self.modified], nil),
            (.lastModified(Self.modified), ["last-modified": "Sun, 06 Nov 1994 08:49:37 GMT"], .lastModified),
            (.lastModified(Self.modified), [:], nil),
            (.checksum, ["etag": "\"whatever\""], nil),
        ] as [(ResumeCondition, [String: String], IdentityChange?)])
    func validators(_ condition: ResumeCondition, _ fields: [String: String], _ change: IdentityChange?) throws {
        // Behind a date all five bytes that are there come again.
        let first = if case .lastModified = condition { 0 } else { 5 }
        let fields = fields.merging(["content-range": "bytes \(first)-9/10"]) { $1 }
        let decision = try decide(206, fields, at: 5, total: 10, condition)
        #expect(decision == change.map { .refuse(.identityChanged($0)) } ?? plan(5, 10, 10, .promised, .untilClose))
    }

    @Test("206 may omit the date, as RFC 9110 §15.3.7 says, if it has the known total")
    func omittedDate() throws {
        let condition = ResumeCondition.lastModified(Self.modified)
        let change = ResponseDecision.refuse(.identityChanged(.lastModified))
        #expect(try decide(206, ["content-range": "bytes 0-9/*"], at: 5, total: 10, condition) == change)
        #expect(try decide(206, ["content-range": "bytes 0-9/10"], at: 5, condition) == change)
        #expect(
            try decide(206, ["content-range": "bytes 0-9/11"], at: 5, total: 10, condition)
                == .refuse(.identityChanged(.total)))
        #expect(try decide(416, ["content-range": "bytes */5"], at: 5, condition) == change)
    }

    @Test(
        "206 with a date as validator has to repeat existing bytes and to go beyond them, unless they are the whole file",
        arguments: [
            ("bytes 83616-199999/200000", nil), ("bytes 83616-99999/100000", nil),
            ("bytes 100000-199999/200000", .rangeMismatch(.otherOffset)),
            ("bytes 83616-99999/200000", .rangeMismatch(.otherOffset)),
            ("bytes 83616-99999/*", .rangeMismatch(.otherOffset)),
            ("bytes 83616-90000/100000", .rangeMismatch(.otherOffset)),
            ("bytes 83616-90000/90001", .identityChanged(.total)),
        ] as [(String, TransferFailure?)])
    func overlap(_ range: String, _ failure: TransferFailure?) throws {
        let fields = ["content-range": range, "last-modified": Self.modified]
        let decision = try decide(206, fields, at: 100_000, .lastModified(Self.modified))
        guard let failure else {
            guard case .accept(let plan) = decision else { return #expect(Bool(false), "\(decision)") }
            return #expect(plan.start == 100_000 && plan.limit >= plan.start && plan.limit == plan.whole)
        }
        #expect(decision == .refuse(failure))
    }

    @Test(
        "416 is complete only if size and validator are ours",
        arguments: [
            ("bytes */10", "\"a\"", .complete), ("bytes */11", "\"a\"", .refuse(.identityChanged(.total))),
            ("bytes */10", "\"b\"", .refuse(.identityChanged(.etag))),
            ("bytes */10", nil, .refuse(.identityChanged(.etag))),
            (nil, "\"a\"", .refuse(.rangeMismatch(.unsatisfiable))),
            ("bytes 0-9/10", "\"a\"", .refuse(.rangeMismatch(.unsatisfiable))),
        ] as [(String?, String?, ResponseDecision)])
    func unsatisfied(_ range: String?, _ etag: String?, _ expected: ResponseDecision) throws {
        var fields: [String: String] = [:]
        fields["content-range"] = range
        fields["etag"] = etag
        #expect(try decide(416, fields, at: 10, .etag("\"a\"")) == expected)
    }

    @Test("416 with a checksum needs the size only; without a range it is a status")
    func unsatisfiedOtherwise() throws {
        #expect(try decide(416, ["content-range": "bytes */10"], at: 10, .checksum) == .complete)
        #expect(try decide(416, ["content-range": "bytes */10"]) == .refuse(.status(416, retryAfter: nil)))
        #expect(
            try decide(416, ["content-range": "bytes */10"], at: 10, expected: 12)
                == .refuse(.sizeMismatch(expected: 12, announced: 10)))
    }

    @Test(
        "a page where media was expected is a refused URL",
        arguments: [
            ("text/html", true), ("Text/HTML; charset=utf-8", true), ("application/json", true),
            ("application/problem+json", true), ("application/xml", true), ("application/xhtml+xml", true),
            ("video/mp4", false), ("text/plain", false), ("application/octet-stream", false), ("image/svg+xml", false),
        ])
    func pages(_ type: String, _ isPage: Bool) throws {
        let fields = ["content-type": type, "content-length": "10"]
        let bare = String(type.lowercased().prefix { $0 != ";" })
        #expect(try decide(200, fields) == (isPage ? .refuse(.refused(status: 200, .page(bare))) : plan(0, 10, 10)))
        #expect(try decide(200, fields, allowsMarkup: true) == plan(0, 10, 10))
        if isPage {
            #expect(try decide(200, fields, isRedirected: true) == .refuse(.refused(status: 200, .login)))
            #expect(try decide(200, fields, at: 5) == .refuse(.refused(status: 200, .page(bare))))
        }
    }

    @Test(
        "a document may be JSON or XML, and is HTML only where that is wanted",
        arguments: [
            ("text/html; charset=utf-8", false), ("application/xhtml+xml", false), ("application/json", true),
            ("text/xml", true), ("application/pdf", true),
        ])
    func documents(_ type: String, _ isGood: Bool) throws {
        let fields = ["content-type": type, "content-length": "10"]
        let bare = String(type.prefix { $0 != ";" })
        let decision = try decide(200, fields, allowsMarkup: true, allowsHTML: false)
        #expect(decision == (isGood ? plan(0, 10, 10) : .refuse(.refused(status: 200, .page(bare)))))
        #expect(try decide(200, fields, allowsMarkup: true) == plan(0, 10, 10))
    }

    @Test(
        "HTML is recognized by its first bytes, whatever its type",
        arguments: [
            ("<!DOCTYPE html><html>", true), ("\u{FEFF}\n  <HTML lang=en>", true),
            ("<!-- saved -->\n<!doctype HTML>", true), ("<html", true), ("<!-- never ends", false), ("%PDF-1.7", false),
            ("<?xml version=\"1.0\"?><tt>", false), ("# Notes with <html>", false), ("", false), ("{\"a\": 1}", false),
        ])
    func pageSigns(_ text: String, _ isHTML: Bool) {
        #expect(WebPageSignature.isHTML(Array(text.utf8)) == isHTML)
        #expect(!WebPageSignature.isHTML([0xFF, 0xD8, 0xFF] + Array(text.utf8)))
    }

    @Test("text is recognized by its first bytes, in any encoding; media aren't")
    func text() {
        let texts = [
            "{\"error\": \"expired\"}", "[]", "<?xml version=\"1.0\"?><Error/>", "Your session has expired.\r\n",
            "\u{FEFF}Zugang verweigert: für Gäste", "#EXTM3U\n", " ", String(repeating: "é日本 ", count: 700),
        ]
        for text in texts {
            #expect(TextDetector.begins(Array(text.utf8)), "\(text)")
            let units = Array(text.utf16)
            #expect(
                TextDetector.begins([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }), "\(text)")
            #expect(
                TextDetector.begins([0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }), "\(text)")
            let scalars = text.unicodeScalars.map(\.value)
            #expect(TextDetector.begins([0xFF, 0xFE, 0, 0] + scalars.flatMap { Self.wide($0) }), "\(text)")
            #expect(TextDetector.begins([0, 0, 0xFE, 0xFF] + scalars.flatMap { Self.wide($0).reversed() }), "\(text)")
        }
        for order in [false, true] {
            let denied = "Access denied, please log in".unicodeScalars.map { Array(Self.wide($0.value)) }
            #expect(TextDetector.begins(denied.flatMap { order ? [$0[0], 0] : [0, $0[0]] }))
            #expect(TextDetector.begins(denied.flatMap { order ? $0 : $0.reversed() }))
        }
        // "ungültig" in Latin-1, Chinese in GBK.
        #expect(TextDetector.begins(Array("{\"error\":\"ung".utf8) + [0xFC] + Array("ltig\"}".utf8)))
        #expect(TextDetector.begins([0xC7, 0xEB, 0xCF, 0xC8, 0xB5, 0xC7, 0xC2, 0xBC]))
        let page = Array("\n<html><body>Bitte anmelden".utf16)
        #expect(TextDetector.begins(page.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
        #expect(TextDetector.begins(page.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
        let latin =
            Array("<p>Zugriff verweigert f".utf8) + [0xFC]
            + Array("r alle, die sich nicht angemeldet haben oder es waren.".utf8)
        #expect(TextDetector.begins(latin))
        let media: [[UInt8]] = [
            [], [0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70, 0x6D, 0x70, 0x34, 0x32], [0x1A, 0x45, 0xDF, 0xA3, 0x9F],
            [0x47, 0x40, 0, 0x10, 0], Array("ID3".utf8) + [3, 0], [0xFF, 0xFB, 0x90, 0x64, 0],
            [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC], [0x47, 0, 0x11, 0x10] + Array(repeating: 0xFF, count: 600),
            Array("OggS".utf8) + [0, 2], Array("RIFF".utf8) + [0x24, 8, 0, 0] + Array("WAVEfmt ".utf8),
            Array("fLaC".utf8) + [0, 0, 0, 0x22], [0xFF, 0xFE] + (0..<600).map { UInt8(truncatingIfNeeded: $0 * 37) },
        ]
        for bytes in media { #expect(!TextDetector.begins(bytes), "\(bytes.prefix(12))") }
    }

    private static func wide(_ value: UInt32) -> [UInt8] {
        [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value >> 16 & 0xFF), 0]
    }

    @Test("HTML is recognized in UTF-16 and UTF-32, and after many blanks")
    func widePages() {
        let page =
            String(repeating: " \n", count: 1500) + "<!-- x --><!DOCTYPE html><title>Bitte anmelden für mehr</title>"
        let units = page.unicodeScalars.map { Self.wide($0.value) }
        for mark in [[UInt32](), [0xFEFF]] {
            let marked = mark.map { Self.wide($0) } + units
            #expect(WebPageSignature.isHTML(marked.flatMap { [$0[0], $0[1]] }))
            #expect(WebPageSignature.isHTML(marked.flatMap { [$0[1], $0[0]] }))
            #expect(WebPageSignature.isHTML(marked.flatMap { $0 }))
            #expect(WebPageSignature.isHTML(marked.flatMap { $0.reversed() }))
        }
        #expect(WebPageSignature.isHTML(Array(page.utf8)))
        #expect(!WebPageSignature.isHTML(Array("%PDF-1.7".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
    }

    @Test("a compressed answer is refused, whole or in part")
    func compressed() throws {
        for (status, offset) in [(200, 0), (206, 5)] as [(Int, Int64)] {
            let fields = ["content-encoding": "gzip", "content-range": "bytes 5-9/10"]
            #expect(try decide(status, fields, at: offset) == .refuse(.badResponse(.compressed)))
        }
        for coding in ["identity", "none", "None", "", "identity, none"] {
            #expect(try decide(200, ["content-encoding": coding, "content-length": "1"]) == plan(0, 1, 1))
        }
        #expect(try decide(200, ["content-encoding": "identity, br"]) == .refuse(.badResponse(.compressed)))
    }

    @Test("statuses are distinguished", arguments: [401, 403, 404, 410])
    func refusals(_ status: Int) throws {
        #expect(try decide(status, [:]) == .refuse(.refused(status: status, .status)))
    }

    @Test("redirects are followed, other 3xx are statuses")
    func redirects() throws {
        for status in [301, 302, 303, 307, 308] {
            #expect(try decide(status, ["location": "/x"]) == .redirect("/x"))
        }
        for status in [300, 304, 305] {
            #expect(try decide(status, ["location": "/x"]) == .refuse(.status(status, retryAfter: nil)))
        }
        #expect(try decide(302, [:]) == .redirect(nil))
        #expect(try decide(503, ["retry-after": "9"]) == .refuse(.status(503, retryAfter: .seconds(9))))
    }
}
