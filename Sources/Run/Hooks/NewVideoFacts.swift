import Foundation

/// Videos of one course that are new in the library: the contents of `on-new` and notifications.
package struct NewVideoFacts: Sendable, Encodable {
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
            self.title = TitleLine.of(title)
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
        self.title = TitleLine.of(title)
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
package struct NotificationReceiver: Sendable, Equatable {
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

    /// The longest text that the receiver takes: longer ones are refused, or arrive as a file.
    private var longest: Int {
        switch format {
        // 4,096 bytes.
        case .ntfy: 4000
        // 2,000 characters, by its count.
        case .discord: 1900
        case .slack, .json: 12_000
        }
    }

    /// The text as the receiver takes it: nothing in it is a mention or a link of its own.
    private func harmless(_ text: String) -> String {
        // What is written behind an invisible character is nobody's name.
        let unnamed = text.replacing("@", with: "@\u{200B}")
        switch format {
        case .ntfy, .json: return text
        case .discord: return unnamed
        // Related: docs.slack.dev, Formatting message text.
        case .slack:
            return unnamed.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
    }

    /// The body of the post.
    package func body(_ news: NewVideoFacts) -> (bytes: [UInt8], contentType: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func json(_ value: some Encodable) -> ([UInt8], String) {
            (Array((try? encoder.encode(value)) ?? Data()), "application/json")
        }
        switch format {
        case .json: return json(news)
        case .ntfy: return (Array(text(news).utf8), "text/plain; charset=utf-8")
        case .slack: return json(["text": text(news)])
        case .discord: return json(DiscordPost(content: text(news)))
        }
    }

    /// The message, and as many titles as fit.
    private func text(_ news: NewVideoFacts) -> String {
        var text = harmless(String(news.message.prefix(500)))
        var told = 0
        for video in news.videos.prefix(Self.mostTitles) {
            let line = "\n• \(harmless(String(video.title.prefix(200))))"
            // There is room for the last line.
            guard text.utf8.count + line.utf8.count <= longest - 40 else { break }
            text += line
            told += 1
        }
        let rest = news.videos.count - told
        return text + (rest > 0 ? "\n… and \(rest) more" : "")
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

/// A title from others as one line of a message: without line ends, control characters, and invisible ones that may
/// reorder the text.
enum TitleLine {
    static func of(_ title: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in title.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
            // Joiners are part of words and emoji.
            case .format where scalar.value != 0x200C && scalar.value != 0x200D: continue
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}

extension HookRunner {
    /// Runs the commands of `on-new` in sequence. Nil if all of them succeeded; else the first failure.
    package func onNew(_ news: NewVideoFacts) async -> NotificationProblem? {
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
package enum NotificationProblem: Sendable, Equatable {
    /// A command failed; its last line of output.
    case refused(String?)
    case hook(HookProblem)
    /// The host answered with this status.
    case status(Int, host: String)
    /// The host couldn't be reached; the transfer's own sentence.
    case unreachable(host: String, String)
}
