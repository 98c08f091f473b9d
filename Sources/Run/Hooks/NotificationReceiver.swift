import Foundation

/// A receiver of notifications, and its format. The address is a secret: anybody who knows it can post there.
package struct NotificationReceiver: Sendable, Equatable {
    /// The format that a receiver reads.
    package enum Format: String, Sendable, CaseIterable {
        /// The input of `on-new` and `on-failure`, as JSON.
        case json
        /// The message and the titles as plain text.
        case ntfy
        /// `{"text": …}`: Slack, Mattermost, Rocket.Chat, Google Chat.
        case slack
        /// `{"content": …}`
        case discord
        /// Pings at the begin and the end of each sync, and no other posts. Related: healthchecks.io, Pinging API.
        case healthchecks
    }

    /// What a receiver is told of.
    package enum Subject: String, Sendable, CaseIterable {
        case new
        case failures
    }

    /// A ping of ``Format/healthchecks``.
    package enum Ping: Sendable, Equatable {
        case begin
        case success
        case failure
    }

    package var url: String
    package var format: Format
    /// Nil for all subjects.
    package var only: Subject?

    package init(url: String, format: Format, only: Subject? = nil) {
        self.url = url
        self.format = format
        self.only = only
    }

    package static func format(ofHost host: String) -> Format {
        switch host.lowercased() {
        case "ntfy.sh": .ntfy
        case "hooks.slack.com": .slack
        case "discord.com", "discordapp.com": .discord
        case "hc-ping.com": .healthchecks
        default: .json
        }
    }

    /// Whether it gets posts about a subject.
    package func isTold(of subject: Subject) -> Bool { format != .healthchecks && (only ?? subject) == subject }

    /// The address for a ping: that of the receiver, with `/start` or `/fail` after its path.
    package func address(of ping: Ping) -> String {
        let suffix: String
        switch ping {
        case .begin: suffix = "/start"
        case .success: return url
        case .failure: suffix = "/fail"
        }
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let path = url[..<end]
        return (path.hasSuffix("/") ? path.dropLast() : path) + suffix + url[end...]
    }

    /// The limit on titles in a text.
    private static let mostTitles = 20

    /// The longest text that the receiver takes: longer ones are refused, or arrive as a file.
    private var longest: Int {
        switch format {
        // 4,096 bytes.
        case .ntfy: 4000
        // 2,000 characters, by its count.
        case .discord: 1900
        // Healthchecks keeps 100 kB.
        case .slack, .json, .healthchecks: 12_000
        }
    }

    /// The text as the receiver takes it: nothing in it is a mention or a link of its own.
    private func harmless(_ text: String) -> String {
        // What is written behind an invisible character is nobody's name.
        let unnamed = text.replacing("@", with: "@\u{200B}")
        switch format {
        case .ntfy, .json, .healthchecks: return text
        case .discord: return unnamed
        // Related: docs.slack.dev, Formatting message text.
        case .slack:
            return unnamed.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
    }

    /// The body of the post about new videos.
    package func body(_ news: NewVideoFacts) -> (bytes: [UInt8], contentType: String) {
        var post = Post(longest: longest)
        post.heading = [harmless(String(news.message.prefix(500)))]
        post.items = news.videos.prefix(Self.mostTitles).map { harmless(String($0.title.prefix(200))) }
        post.count = news.videos.count
        return body(post, news)
    }

    /// The body of the post about a failure.
    package func body(_ failure: FailureFacts) -> (bytes: [UInt8], contentType: String) {
        func lines(_ texts: [String], _ most: Int) -> [String] { texts.map { harmless(String($0.prefix(most))) } }
        var post = Post(longest: longest)
        post.heading = lines([failure.message, failure.summary] + failure.errors.prefix(3), 300)
        post.items = lines(failure.failures.prefix(Self.mostTitles).map(\.text), 500)
        // One of them may stand for several.
        post.count = failure.count - failure.failures.prefix(Self.mostTitles).reduce(0) { $0 + $1.count - 1 }
        post.ending = lines(Array(failure.advice.prefix(3)), 300)
        return body(post, failure)
    }

    private func body(_ post: Post, _ facts: some Encodable) -> (bytes: [UInt8], contentType: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func json(_ value: some Encodable) -> ([UInt8], String) {
            (Array((try? encoder.encode(value)) ?? Data()), "application/json")
        }
        switch format {
        case .json: return json(facts)
        case .ntfy, .healthchecks: return (Array(post.text.utf8), "text/plain; charset=utf-8")
        case .slack: return json(["text": post.text])
        case .discord: return json(DiscordPost(content: post.text))
        }
    }
}

/// A text of bounded length: a heading, as many items as fit, the number of those left out, and last lines.
private struct Post {
    let longest: Int
    var heading: [String] = []
    var items: [String] = []
    /// The number of all items, those that aren't here included.
    var count = 0
    var ending: [String] = []

    init(longest: Int) { self.longest = longest }

    var text: String {
        var text = ""
        // There is room for the number of the items left out.
        var room = longest - 40
        func add(_ line: String) -> Bool {
            let whole = text.isEmpty ? line : "\n" + line
            guard whole.utf8.count <= room else { return false }
            text += whole
            room -= whole.utf8.count
            return true
        }
        for line in heading where !add(line) { break }
        let last = ending.map { "\n" + $0 }.joined()
        let hasEnding = last.utf8.count <= room / 2
        if hasEnding { room -= last.utf8.count }
        var told = 0
        for item in items {
            guard add("• \(item)") else { break }
            told += 1
        }
        let rest = count - told
        return text + (rest > 0 ? "\n… and \(rest) more" : "") + (hasEnding ? last : "")
    }
}

/// A post to Discord, which notifies nobody by name.
private struct DiscordPost: Encodable {
    struct Mentions: Encodable {
        var parse: [String] = []
    }

    var content: String
    var allowed_mentions = Mentions()
}
