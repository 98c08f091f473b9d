import Foundation
import ProviderKit
import Testing

@testable import ProviderHost

/// The line that is written by hand says what the request says.
@Suite struct RequestLineTests {
    private struct Line: Decodable {
        var jsonrpc: String
        var id: Int
        var method: String
        var params: ResolveRequest
    }

    private static let plain = ResolveRequest(
        user: "alice", now: Date(timeIntervalSince1970: 1_795_000_000.25), video: .init(id: "v", title: "V"),
        course: .init(id: "c", title: "C"), quality: [])

    private static let texts = [
        "", "plain", "quote \" backslash \\ slash /", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}",
        "é \u{2028} 漢字 🎬 e\u{301}", "\\u0041", "{\"a\":1}",
    ]

    @Test("its output is decoded as the same request", arguments: texts)
    func roundTrip(text: String) throws {
        var request = Self.plain
        request.user = text
        request.dataFolder = text
        request.credentials = Secret(["token": .string(text), "nested": [1, nil, [text.isEmpty ? true : false]]])
        request.settings = HostSettings(userAgent: text, proxy: text, caFile: text)
        request.video = .init(id: text, title: text, parameters: [text: .string(text), "b": 1.5, "c": -7, "d": 1e300])
        request.course = .init(id: text, title: text)
        request.chapter = .init(id: text, title: text)
        request.quality = [text, "best"]
        request.previous = .init(reason: .rejected, status: 410, bytes: 1 << 40)
        try check(request)
        request.previous = .init(reason: .expired, bytes: 0)
        request.settings.proxy = nil
        try check(request)
    }

    @Test("every key is there, and in one order")
    func golden() throws {
        var request = Self.plain
        request.video.parameters = ["b": [2, 3.0], "a": ["y": nil, "x": false]]
        let line = try RequestLine(request, wire: 7)
        let expected = """
            {"id":7,"jsonrpc":"2.0","method":"resolve","params":{"chapter":null,"course":{"id":"c","title":"C"},\
            "credentials":null,"data_folder":null,"now":"2026-11-18T11:06:40.250Z","previous":null,"quality":[],"settings":{},\
            "user":"alice","video":{"id":"v","parameters":{"a":{"x":false,"y":null},"b":[2,3]},"title":"V"}}}

            """
        #expect(String(decoding: line.bytes, as: UTF8.self) == expected)
    }

    @Test("numbers that JSON doesn't have are refused", arguments: [Double.infinity, -.infinity, .nan])
    func unwritable(number: Double) {
        var request = Self.plain
        request.video.parameters = ["n": [.double(number)]]
        #expect(throws: RequestLine.UnwritableNumber.self) { try RequestLine(request, wire: 1) }
    }

    private func check(_ request: ResolveRequest) throws {
        let bytes = try RequestLine(request, wire: 12).bytes
        #expect(bytes.last == 0x0A)
        #expect(!bytes.dropLast().contains(0x0A))
        let line = try JSONDecoder().decode(Line.self, from: Data(bytes))
        #expect(line.jsonrpc == "2.0")
        #expect(line.id == 12)
        #expect(line.method == "resolve")
        #expect(line.params == request)
    }
}
