import Foundation
import Testing

@testable import Hooks

@Suite("news of a course")
struct NewsTests {
    private static func news(_ count: Int) -> NewVideoFacts {
        NewVideoFacts(
            course: "phys101", title: "Classical Mechanics",
            videos: (1...count).map {
                .init(chapter: "k", video: "v\($0)", title: "Part '\($0)'", path: "/l/\($0)", bytes: 7)
            })
    }

    private static func body(_ format: NotificationReceiver.Format, _ count: Int = 1) -> String {
        String(decoding: NotificationReceiver(url: "https://h", format: format).body(news(count)).bytes, as: UTF8.self)
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
        #expect(
            Self.body(.discord)
                == #"{"allowed_mentions":{"parse":[]},"content":"1 new lecture in Classical Mechanics\n• Part '1'"}"#)
        #expect(Self.body(.ntfy, 25).hasSuffix("\n• Part '20'\n… and 5 more"))
    }

    private static let hostile = NewVideoFacts(
        course: "c", title: "Optics\r\nBcc: all@example.org",
        videos: [
            .init(
                chapter: nil, video: "v", title: "@everyone <!channel> @here\nSubject: x\u{202E}y\u{2028}z", path: "/p",
                bytes: 1)
        ])

    @Test("a title is one line, without control characters, for commands and in posts")
    func lines() throws {
        for format in NotificationReceiver.Format.allCases {
            let text = String(
                decoding: NotificationReceiver(url: "https://h", format: format).body(Self.hostile).bytes, as: UTF8.self
            )
            #expect(
                !text.contains("\r") && !text.contains(#"\r"#) && !text.contains("\u{202E}")
                    && !text.contains("\u{2028}"))
            #expect(!text.contains(#"here\n"#) && !text.contains("here\nSubject"), "\(text)")
        }
        #expect(Self.hostile.message == "1 new lecture in Optics  Bcc: all@example.org")
        #expect(HookSubject(course: "c", title: "a\nb\u{7}").title == "a b ")
    }

    @Test("a title mentions nobody in a chat")
    func mentions() {
        for format in [NotificationReceiver.Format.slack, .discord] {
            let text = String(
                decoding: NotificationReceiver(url: "https://h", format: format).body(Self.hostile).bytes, as: UTF8.self
            )
            #expect(!text.contains("@everyone") && !text.contains("@here"), "\(text)")
            #expect(format == .discord || !text.contains("<!"), "\(text)")
        }
    }

    @Test("a post is as long as its receiver takes, and says how many titles it leaves out")
    func long() throws {
        let videos = (1...30).map {
            NewVideoFacts.Video(
                chapter: nil, video: "v\($0)", title: String(repeating: "日本", count: 200), path: "/l", bytes: 1)
        }
        let news = NewVideoFacts(course: "c", title: String(repeating: "x", count: 5000), videos: videos)
        for (format, most) in [(NotificationReceiver.Format.ntfy, 4096), (.discord, 2000)] {
            let bytes = NotificationReceiver(url: "https://h", format: format).body(news).bytes
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(bytes.count <= most && text.contains(" more"), "\(format): \(bytes.count)")
        }
    }

    @Test(
        "a receiver's form follows from its host name",
        arguments: [
            ("ntfy.sh", NotificationReceiver.Format.ntfy), ("hooks.slack.com", .slack), ("discord.com", .discord),
            ("hc-ping.com", .healthchecks), ("example.org", .json),
        ])
    func hosts(host: String, format: NotificationReceiver.Format) {
        #expect(NotificationReceiver.format(ofHost: host) == format)
    }
}
