import DownloadStore
import Foundation
package import Operations
import SyncFacts
import TextFormats

/// A course as a feed for podcast programs: RSS 2.0 with enclosures.
package struct CourseFeed {
    private let course: ViewedCourse
    private let videos: [ViewedVideo]
    private let root: String
    private let token: String
    private let user: String?

    /// - Parameters:
    ///   - root: the address of the page's root, with a slash at its end.
    ///   - token: what each address of the feed has to bring.
    package init(course: ViewedCourse, videos: [ViewedVideo], root: String, token: String, user: String?) {
        self.course = course
        self.videos = videos
        self.root = root
        self.token = token
        self.user = user
    }

    package var bytes: [UInt8] {
        let items = videos.compactMap(item).joined()
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
            <channel>
            <title>\(Self.escaped(course.title))</title>
            <link>\(Self.escaped(root + "course/" + PercentEncoding.encoded(course.id)))</link>
            <description>\(Self.escaped(course.title))</description>
            \(items)</channel>
            </rss>

            """.utf8)
    }

    /// The address of a video's file, for whoever has the feed's token; nil without a file that is media.
    package func address(of video: ViewedVideo) -> String? {
        guard let path = video.row.path, mediaType(of: path) != nil else { return nil }
        let parts = [video.key.course, video.key.video, ViewedLibrary.name(of: path)]
        let owner = user.map { "&user=\(PercentEncoding.encoded($0))" } ?? ""
        return "\(root)feed/\(parts.map { PercentEncoding.encoded($0) }.joined(separator: "/"))?token=\(token)\(owner)"
    }

    private func mediaType(of path: String) -> String? {
        let name = ViewedLibrary.name(of: path)
        return name.lastIndex(of: ".").flatMap { ServedType.of(String(name[name.index(after: $0)...])) }
    }

    private func item(_ video: ViewedVideo) -> String? {
        guard let address = address(of: video), let type = video.row.path.flatMap(mediaType) else { return nil }
        let length = video.seconds.map { "<itunes:duration>\(Int($0))</itunes:duration>\n" } ?? ""
        let date = video.date.map { "<pubDate>\(Self.date($0))</pubDate>\n" } ?? ""
        let about = video.listed?.description.map { "<description>\(Self.escaped($0))</description>\n" } ?? ""
        let id = "\(video.key.course)/\(video.key.video)"
        return """
            <item>
            <title>\(Self.escaped(video.title))</title>
            <guid isPermaLink="false">\(Self.escaped(id))</guid>
            \(date)\(length)\(about)<enclosure url="\(Self.escaped(address))" length="\(video.row.size ?? 0)" \
            type="\(type)"/>
            </item>

            """
    }

    /// As RFC 822 writes dates.
    private static func date(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return formatter.string(from: date)
    }

    /// As text of an element or a quoted attribute. What XML 1.0 has no character for is left out.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
