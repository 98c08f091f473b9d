import Foundation
import Testing

@testable import ProviderKit

/// What goes over the wire.
@Suite struct MessageTests {
    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func parse<Value: Decodable>(_ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    @Test("a title has at most 1,024 bytes, whole characters of them")
    func longTitles() throws {
        for character in ["a", "é", "日", "😀", "e\u{301}"] {
            let long = String(repeating: character, count: 1000)
            let short = String(repeating: character, count: 100)
            let listing = Listing(
                title: long, chapters: [.init(id: "c", title: long, videos: [.init(id: "v", title: long)])],
                videos: [.init(id: "w", title: short)])
            let got: Listing = try parse(try text(listing))
            for title in [got.title, got.chapters[0].title, got.chapters[0].videos[0].title] {
                let title = try #require(title)
                #expect((1000...1024).contains(title.utf8.count) && title.hasPrefix(short))
                #expect(title == long || title.hasSuffix("…"))
            }
            #expect(got.videos[0].title == short)
        }
    }

    @Test("a request is complete: every key is there, sorted")
    func request() throws {
        let request = ResolveRequest(
            user: "anna", now: Date(timeIntervalSince1970: 1_795_215_600),
            video: .init(id: "v", title: "T/1", parameters: ["b": 1, "a": [true, nil]]), course: .init(id: "c"))
        #expect(
            try text(request) == """
                {"chapter":null,"course":{"id":"c","title":"c"},"credentials":null,"data_folder":null,\
                "now":"2026-11-20T23:00:00Z",\
                "previous":null,"quality":["best"],"settings":{},"user":"anna",\
                "video":{"id":"v","parameters":{"a":[true,null],"b":1},"title":"T/1"}}
                """)
        var full = request
        full.credentials = Secret(["t": "s"])
        full.chapter = .init(id: "k", title: "K")
        full.settings = HostSettings(userAgent: "u", proxy: "http://p", caFile: "/ca.pem")
        full.previous = .init(reason: .rejected, status: 410, bytes: 1_048_576)
        #expect(try parse(try text(full)) as ResolveRequest == full)
    }

    @Test("a resolution has only its necessary keys, and reads back unchanged")
    func resolution() throws {
        #expect(try text(Resolution(url: "https://h/v")) == #"{"kind":"file","url":"https://h/v"}"#)
        let full = Resolution(
            url: "https://h/v", kind: .hls, token: .bearer("s", origins: ["https://o"]),
            expiresAt: Date(timeIntervalSince1970: 1.5), headers: ["A": "b"], size: .max, sha256: "00",
            fileExtension: "mp4", mediaType: "video/mp4", duration: 1.25, singleUse: true, extendable: true,
            subtitles: [.init(lang: "en", url: "u")], attachments: [.init(title: "t", url: "u")], cover: "c",
            credentials: Secret(.null),
            tracks: [
                .init(
                    .audio, url: "u", lang: "de", title: "T", isDefault: true, token: .bearer("x"), headers: ["A": "b"],
                    expiresAt: Date(timeIntervalSince1970: 1.5), size: 1, sha256: "00", checksums: Checksums(md5: "0")),
                .init(.subtitle, url: "u"),
            ],
            role: "combined",
            streams: [
                .init(
                    "slides", url: "u", kind: .dash, token: .bearer("x"), headers: ["A": "b"],
                    expiresAt: Date(timeIntervalSince1970: 1.5), size: 1, sha256: "00", checksums: Checksums(md5: "0"),
                    fileExtension: "mp4", mediaType: "video/mp4", tracks: [.init(.audio, url: "u")]),
                .init("screen", url: "u"),
            ])
        var back: Resolution = try parse(try text(full))
        // A null is as if it weren't there.
        #expect(back.credentials == nil)
        back.credentials = full.credentials
        #expect(back == full)
    }

    @Test("listings and logins read back unchanged; a video may be a bare id")
    func others() throws {
        let listing: Listing = try parse(
            #"{"chapters":[{"id":"k","season":2,"videos":["a",{"id":"b","subtitle_files":[{"lang":"en","url":"u"}],"description":"d","#
                + #""published_at":"2026-10-05T08:00:00+02:00","duration":61.5,"episode":31}]}],"next":"2","known":"e"}"#
        )
        #expect(listing.chapters[0].videos[0] == .init(id: "a"))
        #expect(listing.chapters[0].videos[1].subtitleFiles == [.init(lang: "en", url: "u")])
        #expect(listing.chapters[0].videos[1].publishedAt == Date(timeIntervalSince1970: 1_791_180_000))
        #expect(listing.chapters[0].videos[1].duration == 61.5)
        #expect(listing.chapters[0].season == 2 && listing.chapters[0].videos.map(\.episode) == [nil, 31])
        #expect(listing.known == "e" && !listing.unchanged)
        #expect(try parse(try text(listing)) as Listing == listing)
        #expect(try text(Listing(unchanged: true)) == #"{"unchanged":true}"#)
        let login = Login(credentials: ["a": 1], expiresAt: Date(timeIntervalSince1970: 60))
        #expect(try text(login) == #"{"credentials":{"a":1},"expires_at":"1970-01-01T00:01:00Z"}"#)
        #expect(try parse(try text(login)) as Login == login)
        let request = LoginRequest(user: "u", now: Date(timeIntervalSince1970: 0), secrets: ["p": "s"])
        #expect(try parse(try text(request)) as LoginRequest == request)
        let list = ListRequest(user: "u", now: Date(timeIntervalSince1970: 0), course: .init(id: "c"), known: "e")
        #expect(try parse(try text(list)) as ListRequest == list)
    }

    @Test("whole numbers stay exact")
    func integers() throws {
        let value: JSONValue = try parse(
            "[9223372036854775807, -9223372036854775808, 0, 1.5, 1e3, 18446744073709551616]")
        #expect(value == [.int(.max), .int(.min), 0, 1.5, 1000, .double(18_446_744_073_709_551_616)])
        #expect(try text(value).hasPrefix("[9223372036854775807,-9223372036854775808,0,1.5,1000,"))
    }

    @Test("types that may hold a secret don't print it")
    func secrets() {
        let token = Token("canary", in: .query, name: "t", prefix: "canary")
        let request = ResolveRequest(
            user: "u", now: .now, credentials: Secret(["p": "canary"]), settings: .init(proxy: "http://u:canary@p"),
            video: .init(id: "v"), course: .init(id: "c"))
        let login = LoginRequest(user: "u", now: .now, secrets: ["p": "canary"])
        let signed = "https://h/?canary"
        let video = ResolveRequest.Video(id: "v", parameters: ["key": "canary"])
        let resolution = Resolution(
            url: "https://h/?\u{301}canary", token: token, headers: ["X-Key": "canary"],
            subtitles: [.init(lang: "en", url: signed)], attachments: [.init(title: "t", url: signed)], cover: signed,
            credentials: Secret("canary"))
        let listed = Listing.Video(id: "v", cover: signed, parameters: ["key": "canary"])
        let values: [Any] = [
            token, request, login, ProviderError(.gone, "m", credentials: Secret("canary")),
            Login(credentials: "canary"), Listing(credentials: Secret("canary")), resolution,
            resolution.subtitles, resolution.attachments[0], video, [video],
            Listing(cover: signed, chapters: [.init(id: "c", cover: signed, videos: [listed])], next: "canary"), listed,
            ListRequest(
                user: "u", now: .now, course: .init(id: "c", parameters: ["key": "canary"]), cursor: "canary"),
            ListRequest.Course(id: "c", parameters: ["key": "canary"]),
            ResolveRequest(user: "u", now: .now, video: video, course: .init(id: "c")), HostSettings(proxy: "canary"),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!(dumped + "\(value)" + String(reflecting: value)).contains("canary"))
        }
    }
}
