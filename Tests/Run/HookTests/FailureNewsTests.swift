import Foundation
import Testing

@testable import Hooks

@Suite("notifications of a failure, and pings")
struct FailureNewsTests {
    private static let run = FailureFacts.Run(
        user: "anna", shard: nil, host: "desk", catalogs: ["/c.yaml"], started: "2026-11-20T23:00:00Z",
        ended: "2026-11-20T23:01:00Z")

    private static func facts(_ failures: [FailureFacts.Failure], count: Int? = nil) -> FailureFacts {
        var facts = FailureFacts(
            run, exit: 1, meaning: "a video failed", message: "the sync of anna on desk failed; exit code 1: 2 failed",
            summary: "1 video finished, 2 failed", errors: ["provider p doesn't work"],
            advice: ["for details: coursefetch status --failed"])
        facts.failures = failures
        facts.count = count ?? failures.count
        return facts
    }

    private static let failure = FailureFacts.Failure(
        HookSubject(course: "c", chapter: "k", video: "v", title: "One"), problem: "c/k/v  One: gone",
        advice: "to see the answer: coursefetch resolve c.yaml c/k/v")

    private static func body(_ format: NotificationReceiver.Format, _ facts: FailureFacts) -> String {
        String(decoding: NotificationReceiver(url: "https://h", format: format).body(facts).bytes, as: UTF8.self)
    }

    @Test("the text has the message, the summary, the errors, each failure with its next step, and further steps")
    func text() {
        let broken = FailureFacts.Failure(nil, problem: "3 videos: plugin p ended", advice: nil, count: 3)
        #expect(
            Self.body(.ntfy, Self.facts([Self.failure, broken], count: 6)) == """
                the sync of anna on desk failed; exit code 1: 2 failed
                1 video finished, 2 failed
                provider p doesn't work
                • c/k/v  One: gone; to see the answer: coursefetch resolve c.yaml c/k/v
                • 3 videos: plugin p ended
                … and 2 more
                for details: coursefetch status --failed
                """)
    }

    @Test("programs get the facts")
    func json() {
        #expect(
            Self.body(.json, Self.facts([Self.failure])) == """
                {"advice":["for details: coursefetch status --failed"],"catalogs":["/c.yaml"],"count":1,\
                "ended":"2026-11-20T23:01:00Z","errors":["provider p doesn't work"],"exit":1,"failures":[{"advice":\
                "to see the answer: coursefetch resolve c.yaml c/k/v","chapter":"k","count":1,"course":"c","problem":\
                "c/k/v  One: gone","title":"One","video":"v"}],"hook":"on-failure","host":"desk","meaning":"a video failed",\
                "message":"the sync of anna on desk failed; exit code 1: 2 failed","schema":1,"started":\
                "2026-11-20T23:00:00Z","summary":"1 video finished, 2 failed","user":"anna"}
                """)
    }

    @Test("a post is as long as its receiver takes, mentions nobody, and has no line of others")
    func bounds() {
        let long = (1...100).map { number in
            FailureFacts.Failure(
                nil, problem: "@everyone <!channel>\n\u{202E}\(number) " + String(repeating: "日本", count: 200),
                advice: nil)
        }
        for (format, most) in [(NotificationReceiver.Format.ntfy, 4096), (.discord, 2000), (.slack, 40_000)] {
            let bytes = NotificationReceiver(url: "https://h", format: format).body(Self.facts(long)).bytes
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(bytes.count <= most && text.contains(" more"), "\(format): \(bytes.count)")
            #expect(!text.contains("\u{202E}") && text.contains("status --failed"), "\(format)")
            #expect(format == .ntfy || !text.contains("@everyone"))
            #expect(format != .slack || !text.contains("<!"))
        }
    }

    @Test("a receiver is told of both, or of one; one with pings of neither")
    func subjects() {
        func told(_ format: NotificationReceiver.Format, _ only: NotificationReceiver.Subject?) -> [Bool] {
            let receiver = NotificationReceiver(url: "https://h", format: format, only: only)
            return [receiver.isTold(of: .new), receiver.isTold(of: .failures)]
        }
        #expect(told(.json, nil) == [true, true])
        #expect(told(.json, .new) == [true, false] && told(.json, .failures) == [false, true])
        #expect(told(.healthchecks, nil) == [false, false])
        var settings = HookSettings()
        settings.notifications = [NotificationReceiver(url: "https://h", format: .healthchecks)]
        #expect(settings.pings && !settings.tellsNews && !settings.tellsFailures)
        settings.notifications = [NotificationReceiver(url: "https://h", format: .slack, only: .failures)]
        #expect(!settings.pings && !settings.tellsNews && settings.tellsFailures)
    }

    @Test(
        "a ping's address has its word behind the path",
        arguments: [
            ("https://h/abc", "https://h/abc/start", "https://h/abc/fail"),
            ("https://h/abc/", "https://h/abc/start", "https://h/abc/fail"),
            ("https://h/abc?create=1", "https://h/abc/start?create=1", "https://h/abc/fail?create=1"),
            ("https://h", "https://h/start", "https://h/fail"),
        ])
    func addresses(url: String, start: String, fail: String) {
        let receiver = NotificationReceiver(url: url, format: .healthchecks)
        #expect(receiver.address(of: .success) == url)
        #expect(receiver.address(of: .begin) == start && receiver.address(of: .failure) == fail)
    }
}
