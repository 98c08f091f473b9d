/// The video in a command's input: ids as everywhere, titles for users.
package struct HookSubject: Sendable, Encodable {
    package var course: String
    package var chapter: String?
    package var video: String?
    package var title: String?

    package init(course: String, chapter: String? = nil, video: String? = nil, title: String? = nil) {
        self.course = course
        self.chapter = chapter
        self.video = video
        self.title = title.map { TitleLine.of($0) }
    }
}

/// The request as the commands of `before-request` leave it.
package struct RequestChange: Sendable, Equatable {
    package var url: String
    /// Of the headers that the commands got.
    package var headers: [String: String]
    /// The names, in lower case, of headers that a command has set or removed.
    package var named: Set<String>

    package init(url: String, headers: [String: String], named: Set<String> = []) {
        self.url = url
        self.headers = headers
        self.named = named
    }
}

/// The input of `before-request`. It contains secrets, and goes to the command's standard input only.
package struct RequestFacts: Sendable, Encodable {
    var hook = HookPoint.beforeRequest.rawValue
    var schema = 1
    package var subject: HookSubject
    /// `video`, `cover`, `subtitle` or `attachment`.
    package var purpose: String
    package var url: String
    /// Without those that belong to an origin, such as `Authorization`.
    package var headers: [String: String]

    package init(_ subject: HookSubject, purpose: String, url: String, headers: [String: String]) {
        self.subject = subject
        self.purpose = purpose
        self.url = url
        self.headers = headers
    }

    package func encode(to encoder: any Encoder) throws {
        try subject.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(hook, forKey: "hook")
        try container.encode(schema, forKey: "schema")
        try container.encode(purpose, forKey: "purpose")
        try container.encode(url, forKey: "url")
        try container.encode(headers, forKey: "headers")
    }

    /// Texts that must not appear in a log.
    var secrets: [String] {
        let query = url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
        return (headers.values.map { $0 } + [query].compactMap(\.self)).filter { $0.utf8.count >= 4 }
    }
}

/// The input of `after-download`.
package struct DownloadedFacts: Sendable, Encodable {
    package var subject: HookSubject
    /// The file's present path, absolute.
    package var path: String
    /// Its final path, absolute, unless somebody else's file is there.
    package var finalPath: String
    package var bytes: Int64
    package var sha256: String?

    package init(_ subject: HookSubject, path: String, finalPath: String, bytes: Int64, sha256: String?) {
        self.subject = subject
        self.path = path
        self.finalPath = finalPath
        self.bytes = bytes
        self.sha256 = sha256
    }

    package func encode(to encoder: any Encoder) throws {
        try subject.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(HookPoint.afterDownload.rawValue, forKey: "hook")
        try container.encode(1, forKey: "schema")
        try container.encode(path, forKey: "path")
        try container.encode(finalPath, forKey: "final_path")
        try container.encode(bytes, forKey: "bytes")
        try container.encodeIfPresent(sha256, forKey: "sha256")
    }
}

struct Key: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
