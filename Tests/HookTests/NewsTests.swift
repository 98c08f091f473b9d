import Foundation
import Testing

@testable import Hooks

@Suite("news of a course")
struct NewsTests {
    private static func news(_ count: Int) -> NewsFacts {
        NewsFacts(
            course: "phys101", title: "Classical Mechanics",
            videos: (1...count).map {
                .init(chapter: "k", video: "v\($0)", title: "Part '\($0)'", path: "/l/\($0)", bytes: 7)
            })
    }

    private static func body(_ format: NewsReceiver.Format, _ count: Int = 1) -> String {
        String(decoding: NewsReceiver(url: "https://h", format: format).body(news(count)).bytes, as: UTF8.self)
    }

    @Test("each receiver gets the form that it reads")
    func formats() {
        #expect(
            Self.body(.json) == """
                {"course":"phys101","hook":"on-new","message":"1 new lecture in Classical Mechanics","schema":1,\
                "title":"Classical Mechanics","videos":[{"bytes":7,"chapter":"k","path":"/l/1","title":"Part '1'","video":"v1"}]}
                """)
        #expect(Self.body(.ntfy, 3) == "3 new lectures in Classical Mechanics\n• Part '1'\n• Part '2'\n• Part '3'")
        #expect(Self.body(.slack) == #"{"text":"1 new lecture in Classical Mechanics\n• Part '1'"}"#)
        #expect(Self.body(.discord).hasPrefix(#"{"content":"1 new"#))
        #expect(Self.body(.ntfy, 25).hasSuffix("\n• Part '20'\n… and 5 more"))
    }

    @Test(
        "a receiver's form follows from its host name",
        arguments: [
            ("ntfy.sh", NewsReceiver.Format.ntfy), ("hooks.slack.com", .slack), ("discord.com", .discord),
            ("example.org", .json),
        ])
    func hosts(host: String, format: NewsReceiver.Format) { #expect(NewsReceiver.format(ofHost: host) == format) }
}
