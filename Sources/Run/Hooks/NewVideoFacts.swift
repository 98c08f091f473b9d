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
