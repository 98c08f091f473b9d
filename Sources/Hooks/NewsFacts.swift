import Foundation

/// Videos of one course that are new in the library: the contents of `on-new` and notifications.
package struct NewsFacts: Sendable, Encodable {
    /// One of them.
    package struct Video: Sendable, Encodable {
        package var chapter: String?
        package var video: String
        package var title: String
        /// Absolute.
        package var path: String
        package var bytes: Int64

        package init(chapter: String?, video: String, title: String, path: String, bytes: Int64) {
            self.chapter = chapter
            self.video = video
            self.title = title
            self.path = path
            self.bytes = bytes
        }
    }

    /// The course's id.
    package var course: String
    /// The course's title.
    package var title: String
    /// In the course's order; at least one.
    package var videos: [Video]

    package init(course: String, title: String, videos: [Video]) {
        self.course = course
        self.title = title
        self.videos = videos
    }

    /// `3 new lectures in Classical Mechanics`.
    package var message: String { "\(videos.count) new lecture\(videos.count == 1 ? "" : "s") in \(title)" }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(HookPoint.onNew.rawValue, forKey: "hook")
        try container.encode(1, forKey: "schema")
        try container.encode(course, forKey: "course")
        try container.encode(title, forKey: "title")
        try container.encode(message, forKey: "message")
        try container.encode(videos, forKey: "videos")
    }
}

/// A receiver of notifications, and its format. The address is a secret: anybody who knows it can post there.
package struct NewsReceiver: Sendable, Equatable {
    /// The format that a receiver reads.
    package enum Format: String, Sendable, CaseIterable {
        /// The input of `on-new`, as JSON.
        case json
        /// The message and the titles as plain text.
        case ntfy
        /// `{"text": …}`: Slack, Mattermost, Rocket.Chat, Google Chat.
        case slack
        /// `{"content": …}`
        case discord
    }

    package var url: String
    package var format: Format

    package init(url: String, format: Format) {
        self.url = url
        self.format = format
    }

    /// The format of a known host, by its name.
    package static func format(ofHost host: String) -> Format {
        switch host.lowercased() {
        case "ntfy.sh": .ntfy
        case "hooks.slack.com": .slack
        case "discord.com", "discordapp.com": .discord
        default: .json
        }
    }

    /// The limit on titles in a text.
    private static let mostTitles = 20

    /// The body of the post.
    package func body(_ news: NewsFacts) -> (bytes: [UInt8], contentType: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func json(_ value: some Encodable) -> ([UInt8], String) {
            (Array((try? encoder.encode(value)) ?? Data()), "application/json")
        }
        switch format {
        case .json: return json(news)
        case .ntfy: return (Array(Self.text(news).utf8), "text/plain; charset=utf-8")
        case .slack: return json(["text": Self.text(news)])
        case .discord: return json(["content": Self.text(news)])
        }
    }

    private static func text(_ news: NewsFacts) -> String {
        let titles = news.videos.prefix(mostTitles).map { "\n• \($0.title.prefix(200))" }.joined()
        let rest = news.videos.count - mostTitles
        return news.message + titles + (rest > 0 ? "\n… and \(rest) more" : "")
    }
}

extension HookRunner {
    /// Runs the commands of `on-new` in sequence. Nil if all of them succeeded; else the first failure.
    package func onNew(_ news: NewsFacts) async -> NewsTrouble? {
        for hook in settings.commands[.onNew] ?? [] {
            switch await ask(hook, news, hiding: []).verdict {
            case .accept: break
            case .reject(let reason), .again(let reason): return .refused(reason)
            case .broken(let trouble): return .hook(trouble)
            }
        }
        return nil
    }
}

/// The reason why a notification failed.
package enum NewsTrouble: Sendable, Equatable {
    /// A command failed; its last line of output.
    case refused(String?)
    case hook(HookTrouble)
    /// The host answered with this status.
    case status(Int, host: String)
    /// The host couldn't be reached; the transfer's own sentence.
    case unreachable(host: String, String)
}
