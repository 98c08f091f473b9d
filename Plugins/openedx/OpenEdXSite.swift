import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The APIs of an Open edX site (its LMS), as the user.
struct OpenEdXSite: Sendable, PrintsRedacted {
    /// What anybody may know of a course.
    struct About: Sendable {
        var title: String?
        var begins: Date?
    }

    let session: OAuthSession
    /// The user's name, if the login found it out.
    private let user: String?

    init(
        _ address: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings, now: Date,
        renewal: @escaping OAuthSession.Renewal
    ) {
        let root = address.replacing(path: "/")
        let entry = HostLogins(credentials).entry(for: root)
        // A large course takes a site its time.
        var client = HTTPClient(settings: settings, confinedTo: root, timeout: .seconds(90), bodyBound: 64 << 20)
        client.judge = OpenEdXErrors.judge
        client.cookies = entry?["session"]?.string.map { CookieJar($0, at: now) }
        user = entry?["user"]?.string
        session = OAuthSession(at: root, credentials, client, renewal: renewal) { token, client throws(ProviderError) in
            try await OpenEdXLogin.tokens(
                at: root, client, of: entry?["client"]?.string,
                [("grant_type", "refresh_token"), ("refresh_token", token)])
        }
    }

    var root: WebAddress { session.server }

    /// Whether there is a login: the app's, or a browser's session.
    var hasLogin: Bool { session.hasLogin || session.client.cookies?.field(for: root) != nil }

    /// A course with all that the user may see now.
    ///
    /// Related: lms/djangoapps/course_api/blocks/views.py of openedx/edx-platform
    func course(_ key: String, now: Date) async throws(ProviderError) -> OpenEdXCourse {
        let found = try await blocks([], [("course_id", key)])
        guard !found.blocks.isEmpty else { throw try await nothingShown(of: key, now: now) }
        guard found.blocks[found.root] != nil else { throw unknownAnswer }
        let course = try OpenEdXCourse(found.blocks, from: found.root, at: root)
        if let denial = course.denial, course.all.isEmpty {
            throw ProviderError(.forbidden, "\(root.host) says of this course: \(denial)")
        }
        return course
    }

    /// The videos of one block.
    ///
    /// - Parameter course: the key of its course, which the ids of courses before 2015 don't have.
    func block(_ id: String, in course: String?) async throws(ProviderError) -> OpenEdXCourse {
        let found =
            if Self.isBlock(id) {
                try await blocks([id], [])
            } else if id.hasPrefix("i4x://"), let course {
                try await blocks([], [("course_id", course)])
            } else {
                throw ProviderError(.notFound, "this can't be the id of a video in Open edX")
            }
        guard found.blocks[id] != nil else {
            // One that is hidden isn't told from one that hasn't begun.
            if Self.isBlock(id) { throw ProviderError(.notReady, "\(root.host) doesn't show this video now") }
            throw ProviderError(.notFound, "\(root.host) has no such video in the course")
        }
        return try OpenEdXCourse(found.blocks, from: id, at: root)
    }

    /// The courses that the user is enrolled in.
    ///
    /// Related: openedx/core/djangoapps/enrollments/views.py of openedx/edx-platform
    func enrolments() async throws(ProviderError) -> [JSONValue] {
        let answer = try await session.get(address(["api", "enrollment", "v1", "enrollment"])).json()
        guard let enrolments = answer.array else { throw unknownAnswer }
        return enrolments
    }

    /// The user's name; `auth_required` for somebody who isn't logged in.
    func userName() async throws(ProviderError) -> String {
        guard let name = try await session.get(address(["api", "user", "v1", "me"])).json()["username"]?.string else {
            throw unknownAnswer
        }
        return name
    }

    /// What the site says of a course to anybody; nil if it isn't Open edX.
    func about(_ key: String) async throws(ProviderError) -> About? {
        let names = ["api", "courses", "v1", "courses"] + key.split(separator: "/").map(String.init)
        let response = try await session.client.send(HTTPRequest("GET", address(names, isFolder: true)))
        guard [200, 404].contains(response.status), !response.isHTML, let answer = try? response.json() else {
            return nil
        }
        guard response.status == 200 else { return answer["developer_message"] == nil ? nil : About() }
        guard answer["blocks_url"] != nil else { return nil }
        return About(title: OpenEdXCourse.text(answer["name"]), begins: answer["start"]?.string.flatMap(WebDate.date))
    }

    /// The secrets for files: a browser's session, for those that are the site's own.
    func tokens(for files: [WebAddress]) -> [Token] {
        session.client.cookies?.tokens(for: files.filter { $0.origin == root.origin }) ?? []
    }

    // MARK: - Keys

    static func isCourse(_ key: String) -> Bool {
        key.wholeMatch(of: /course-v1:[\w\-~.]+\+[\w\-~.]+\+[\w\-~.:]+|[\w\-~.]+\/[\w\-~.]+\/[\w\-~.]+/) != nil
            && !key.split(separator: "/").contains { [".", ".."].contains($0) }
    }

    private static func isBlock(_ id: String) -> Bool {
        id.wholeMatch(
            of: /block-v1:[\w\-~.]+\+[\w\-~.]+\+[\w\-~.:]+\+type@[\w\-~.]+\+block@[\w\-~.:%]+/) != nil
    }

    // MARK: - Requests

    private func blocks(
        _ names: [String], _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> (root: String, blocks: [String: JSONValue]) {
        let place = address(["api", "courses", "v2", "blocks"] + names, isFolder: true)
        let query = [
            ("username", try await viewer()), ("depth", "all"), ("requested_fields", "children"),
            ("student_view_data", "video,html"), ("return_type", "dict"),
        ]
        let response: HTTPResponse
        do throws(ProviderError) {
            response = try await session.get(place.adding(query: fields + query))
        } catch {
            // It is the answer to an ended session, too.
            if error.kind == .forbidden, !session.hasLogin { _ = try await userName() }
            throw error
        }
        let answer = try response.json()
        guard let root = answer["root"]?.string, let blocks = answer["blocks"]?.object else { throw unknownAnswer }
        return (root, blocks)
    }

    /// The name whose view is asked for; empty for anybody, to whom courses may be open.
    private func viewer() async throws(ProviderError) -> String {
        guard hasLogin else { return "" }
        if let user { return user }
        return try await userName()
    }

    /// Of a course that hasn't begun, and of a hidden one, no block is shown.
    private func nothingShown(of key: String, now: Date) async throws(ProviderError) -> ProviderError {
        if let begins = try await about(key)?.begins, begins > now {
            return ProviderError(
                .notReady, "\(root.host) shows nothing of this course before \(Timestamp.text(begins))")
        }
        return ProviderError(.forbidden, "\(root.host) shows nothing of this course to this account")
    }

    /// An address of the API.
    private func address(_ names: [String], isFolder: Bool = false) -> WebAddress {
        // None of the names is a dot.
        root.appending(names, isFolder: isFolder) ?? root
    }

    var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(root.host) isn't Open edX's", server: root.origin)
    }
}
