import Foundation

/// Videos of one course that are new in the library: what `on-new` and notifications tell.
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
    /// In the course's order; one at least.
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

/// Where news are posted to, and in which form. The address is a secret: whoever knows it can post there.
package struct NewsReceiver: Sendable, Equatable {
    /// What a receiver reads.
    package enum Format: String, Sendable, CaseIterable {
        /// What `on-new` gets, as JSON.
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

    /// The form that a host reads, where it is known by its name.
    package static func format(ofHost host: String) -> Format {
        switch host.lowercased() {
        case "ntfy.sh": .ntfy
        case "hooks.slack.com": .slack
        case "discord.com", "discordapp.com": .discord
        default: .json
        }
    }

    /// How many titles a text has.
    private static let mostTitles = 20

    /// What is posted.
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
    /// Tells the commands of `on-new`, one after the other. Nil if all of them took it; what the first other one said.
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

/// Why somebody wasn't told.
package enum NewsTrouble: Sendable, Equatable {
    /// A command ended otherwise than well; what it said last.
    case refused(String?)
    case hook(HookTrouble)
    /// The host answered with this status.
    case status(Int, host: String)
    /// The host couldn't be asked; the transfer's own sentence.
    case unreachable(host: String, String)
}
