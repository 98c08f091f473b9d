import ProviderHTTP
import ProviderKit

/// What an address of an Open edX site shows: a course, or one video of it.
///
/// Related: lms/urls.py and openedx/features/course_experience/url_helpers.py of openedx/edx-platform
struct OpenEdXPage {
    /// The key of the course.
    var course: String
    /// The id of the video.
    var video: String?
    /// Where its API may be: on its own host, or on one that the host of the learning front end is named after.
    var roots: [WebAddress]

    init?(_ address: WebAddress) {
        guard let path = PercentEncoding.decoded(address.path),
            path.contains(/^(?:\/learning)?\/(?:courses?|xblock|videos)\//), let course = Self.course(in: path)
        else { return nil }
        self.course = course
        video = path.firstMatch(
            of: /block-v1:[\w\-~.]+\+[\w\-~.]+\+[\w\-~.:]+\+type@video\+block@[\w\-~.:]+/
        ).map { String($0.output) }
        let own = address.replacing(path: "/")
        roots = [own]
        for (prefix, names) in [("learning.", ["", "courses."]), ("apps.", [""])] where own.host.hasPrefix(prefix) {
            let rest = own.host.dropFirst(prefix.count)
            roots += names.compactMap { WebAddress("\(own.scheme)://\($0)\(rest)/") }
        }
    }

    private static func course(in path: String) -> String? {
        if let match = path.firstMatch(of: /(?:course|block)-v1:([\w\-~.]+\+[\w\-~.]+\+[\w\-~.:]+)/) {
            return "course-v1:\(match.output.1)"
        }
        // The keys of courses before 2015 look like any path.
        let page = path.firstMatch(
            of: /^\/courses\/([\w\-~.]+\/[\w\-~.]+\/[\w\-~.]+)\/(?:about|course|courseware|info|jump_to|jump_to_id)\b/)
        return page.map { String($0.output.1) }.flatMap { OpenEdXSite.isCourse($0) ? $0 : nil }
    }
}
