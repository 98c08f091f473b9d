import Foundation

/// One line of `sync --json`; the fields of all events.
struct Event: Decodable, Sendable {
    struct Failure: Decodable, Sendable {
        var kind: String
        var message: String
        var status: Int?
    }

    struct Located: Decodable, Sendable {
        var file: String?
        var line: Int?
        var column: Int?
        var message: String
    }

    var event: String
    var course: String?
    var chapter: String?
    var video: String?
    var attempt: Int?
    var reason: String?
    var resumeFrom: Int?
    var bytes: Int?
    var size: Int?
    var mediaSeconds: Double?
    var mediaSecondsTotal: Double?
    var path: String?
    var from: String?
    var sha256: String?
    var error: Failure?
    var retryAt: String?
    var delay: Double?
    var message: String?
    var videos: Int?
    var was: Int?
    var host: String?
    var provider: String?
    var kind: String?
    var until: String?
    var exit: Int?
    var downloads: [String: Int]?
    var finishedNow: Int?
    var errors: [Located]?
    var why: String?
    var stopReason: String?
    var pid: Int?
    var catalogs: [String]?
    /// The line as it was printed.
    var text = ""

    private enum CodingKeys: String, CodingKey {
        case event, course, chapter, video, attempt, reason, resumeFrom, bytes, size, path, from, sha256, error, retryAt
        case delay, message, host, provider, kind, until, exit, downloads, finishedNow, errors, why, stopReason, pid,
            catalogs, mediaSeconds, mediaSecondsTotal, videos, was
    }

    /// All events of an output. Throws if a line isn't one.
    static func all(in output: String) throws -> [Event] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try output.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            var event = try decoder.decode(Event.self, from: Data(line))
            event.text = String(decoding: line, as: UTF8.self)
            return event
        }
    }
}
