package import ProviderKit

extension Redactor {
    /// Learns every text in the provider's present credentials, at any depth.
    ///
    /// - Parameter areRenewed: whether the provider made them, with an answer of this run.
    package mutating func learn(_ credentials: JSONValue, areRenewed: Bool = false) {
        var texts: Set<String> = []
        collect(credentials, into: &texts)
        learn(current: texts, areRenewed: areRenewed)
    }

    private mutating func collect(_ credentials: JSONValue, into texts: inout Set<String>) {
        switch credentials {
        case .string(let text):
            texts.insert(text)
            for cookie in CookieJar(recognising: text)?.cookies ?? [] where cookie.mayBeSecret {
                texts.insert(cookie.value)
                if cookie.mayBeWord { learn(name: cookie.value) }
            }
        case .array(let values): for value in values { collect(value, into: &texts) }
        case .object(let values):
            for (key, value) in values {
                collect(value, into: &texts)
                if let name = value.string, Self.nameKeys.contains(key.lowercased()) { learn(name: name) }
            }
        case .null, .bool, .int, .double: break
        }
    }

    /// Learns a secret of a login, and of a browser's session each of its cookies.
    package mutating func learn(typed secret: String) {
        var texts: Set<String> = []
        collect(.string(secret), into: &texts)
        for text in texts { learn(text) }
    }

    /// Keys of credentials whose values are names. They aren't shown, but a listing may contain them.
    private static let nameKeys: Set = ["user", "username", "user_name", "login", "email", "account"]

    /// The place of a known secret in what is stored of a listing; nil without any.
    func secret(in listing: Listing) -> String? {
        if let known = listing.known, contains(known) { return "'known'" }
        let isIn = { (video: Listing.Video) in
            video.parameters.contains { contains($0.key) || contains($0.value) }
        }
        return listing.videos.contains(where: isIn) || listing.chapters.contains { $0.videos.contains(where: isIn) }
            ? "'parameters' of a video" : nil
    }

    /// Whether there is a known secret in what is stored of a user's courses.
    func hasSecret(in list: CourseList) -> Bool {
        list.courses.contains { course in
            contains(course.id) || course.parameters.contains { contains($0.key) || contains($0.value) }
        }
    }

    /// Whether there is a known secret in what a catalog has of an answer.
    func hasSecret(in answer: Recognition) -> Bool {
        let parameters = answer.course?.parameters ?? answer.video?.parameters ?? [:]
        return parameters.contains { contains($0.key) || contains($0.value) } || contains(answer.video?.id ?? "")
    }

    private func contains(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): contains(text)
        case .array(let values): values.contains { contains($0) }
        case .object(let values): values.contains { contains($0.key) || contains($0.value) }
        case .null, .bool, .int, .double: false
        }
    }

    /// Learns the secrets of a resolution that come and go: its token, and the headers that aren't shown.
    package mutating func learn(_ resolution: Resolution) {
        for token in resolution.everyToken { learn(token: token.value) }
        learn(headers: resolution.headers)
        for track in resolution.tracks + resolution.streams.flatMap(\.tracks) { learn(headers: track.headers) }
        for stream in resolution.streams { learn(headers: stream.headers) }
    }

    private mutating func learn(headers: [String: String]) {
        for (name, value) in headers where Self.header(name, value) == Self.mark {
            learn(token: value)
            switch name.lowercased() {
            // `Bearer TOKEN`
            case "authorization", "proxy-authorization":
                if let last = value.split(separator: " ").last { learn(token: String(last)) }
            // `sid=VALUE; theme=dark`
            case "cookie":
                for part in value.split(separator: ";") {
                    learn(token: String(part.drop { $0 != "=" }.dropFirst()))
                }
            default: break
            }
        }
    }
}

extension Cookie {
    /// Whether its value may be a name or a number, such as that of a user, a host or a course: a listing may contain
    /// it.
    fileprivate var mayBeWord: Bool {
        let digits = value.utf8.count { (0x30...0x39).contains($0) }
        return value.utf8.count < 16 && (digits == 0 || digits == value.utf8.count)
    }
}
