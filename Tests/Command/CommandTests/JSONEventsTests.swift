import DownloadStore
import FileSystem
import Foundation
import Operations
import SyncFacts
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("Events as JSON")
struct JSONEventsTests {
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let video = VideoReference(course: "phys101", chapter: "kin", video: "v1", title: "Position")
    private static let direct = VideoReference(course: "phys101", chapter: nil, video: "v2", title: "v2")
    private static let refused = DownloadError(kind: .urlRefused, message: "no 'more'", status: 403)
    private static let time = #""time":"2026-11-20T23:00:00Z""#
    private static let ids = #""course":"phys101","chapter":"kin","video":"v1""#
    private static let counts =
        #""downloads":{"waiting":2,"active":0,"paused":0,"suspended":0,"finished":1,"failed":0,"cancelled":0}"#

    private static let failedCounts =
        #""downloads":{"waiting":0,"active":0,"paused":0,"suspended":0,"finished":0,"failed":3,"cancelled":0}"#
    private static var failing: SyncSummary {
        var summary = SyncSummary(downloads: [.failed: 3], failedNow: 3, conditions: [.downloadsFailed])
        summary.failedAt = ["p": 1, "https://h": 2]
        return summary
    }

    static let events: [(SyncEvent, String)] = [
        (
            .lockWaiting(LockHolder(host: "nas", pid: 42, since: now, catalogs: ["a.yaml"]), until: now),
            #"{"event":"lock_waiting",\#(time),"schema":1,"pid":42,"host":"nas","since":"2026-11-20T23:00:00Z","catalogs":["a.yaml"],"until":"2026-11-20T23:00:00Z"}"#
        ),
        (
            .lockWaiting(nil, until: now),
            #"{"event":"lock_waiting",\#(time),"schema":1,"pid":null,"host":null,"since":null,"catalogs":[],"until":"2026-11-20T23:00:00Z"}"#
        ),
        (
            .started(
                SyncStart(
                    user: "alice", run: 7, catalogs: ["a.yaml", "b.yaml"], library: "/l",
                    downloads: [.waiting: 2, .finished: 1], waitingBytes: nil,
                    partials: [video: .init(bytes: 3, size: 9), direct: .init(bytes: 2, size: nil)])),
            #"{"event":"sync_started",\#(time),"schema":1,"user":"alice","run":7,"catalogs":["a.yaml","b.yaml"],"library":"/l",\#(counts),"present_bytes":5}"#
        ),
        (
            .courseListed(CourseListed(course: "phys101", title: "Physics", videos: 3, was: nil, added: 3, removed: 0)),
            #"{"event":"course_listed",\#(time),"course":"phys101","title":"Physics","videos":3,"was":null,"added":3,"removed":0}"#
        ),
        (
            .coursesListed(CoursesListed(provider: "moodle", courses: 3, was: 2, added: 2, removed: 1)),
            #"{"event":"courses_listed",\#(time),"provider":"moodle","courses":3,"was":2,"added":2,"removed":1}"#
        ),
        (
            .downloadsAdded(
                SyncAddition(
                    downloads: [.waiting: 2, .finished: 1], waitingBytes: 9,
                    partials: [video: .init(bytes: 3, size: 9)], order: CatalogOrder())),
            #"{"event":"downloads_added",\#(time),\#(counts),"waiting_bytes":9,"present_bytes":3}"#
        ),
        (
            .resolved(video, attempt: 2, reason: .expired, expiresAt: now),
            #"{"event":"resolved",\#(time),\#(ids),"attempt":2,"reason":"expired","expires_at":"2026-11-20T23:00:00Z"}"#
        ),
        (
            .resolved(direct, attempt: 1, reason: .first, expiresAt: nil),
            #"{"event":"resolved",\#(time),"course":"phys101","chapter":null,"video":"v2","attempt":1,"reason":"first","expires_at":null}"#
        ),
        (.downloadStarted(video, resumeFrom: 10), #"{"event":"download_started",\#(time),\#(ids),"resume_from":10}"#),
        (
            .progress(video, DownloadProgress(bytes: 5_000_000_000, size: nil, bytesPerSecond: 9)),
            #"{"event":"progress",\#(time),\#(ids),"bytes":5000000000,"size":null,"bytes_per_second":9}"#
        ),
        (
            .downloadFinished(video, FinishedFile(path: "C/01 é.mp4", bytes: 3, sha256: "ab", seconds: 1.25)),
            #"{"event":"download_finished",\#(time),\#(ids),"path":"C/01 é.mp4","bytes":3,"sha256":"ab","seconds":1.25}"#
        ),
        (
            .downloadRetrying(video, attempt: 3, error: refused, delay: .milliseconds(1500)),
            #"{"event":"download_retrying",\#(time),\#(ids),"attempt":3,"error":{"kind":"url_refused","message":"no 'more'","status":403},"delay":1.5}"#
        ),
        (
            .downloadFailed(video, error: DownloadError(kind: .disk, message: "full"), retryAt: nil),
            #"{"event":"download_failed",\#(time),\#(ids),"error":{"kind":"disk","message":"full","status":null},"retry_at":null}"#
        ),
        (
            .downloadSuspended(video, reason: .signal),
            #"{"event":"download_suspended",\#(time),\#(ids),"reason":"signal"}"#
        ),
        (.downloadPaused(video), #"{"event":"download_paused",\#(time),\#(ids)}"#),
        (.downloadCancelled(video), #"{"event":"download_cancelled",\#(time),\#(ids)}"#),
        (.downloadWaiting(video), #"{"event":"download_waiting",\#(time),\#(ids)}"#),
        (.downloadGone(video, path: "C/1.mp4"), #"{"event":"download_gone",\#(time),\#(ids),"path":"C/1.mp4"}"#),
        (.downloadGone(video, path: nil), #"{"event":"download_gone",\#(time),\#(ids),"path":null}"#),
        (.resumeWaiting(until: now), #"{"event":"resume_waiting",\#(time),"until":"2026-11-20T23:00:00Z"}"#),
        (.downloadRemoved(video), #"{"event":"download_removed",\#(time),\#(ids)}"#),
        (
            .downloadMoved(video, from: "a", path: "b\"\\\n\u{1B}\u{9B}\u{202E}"),
            #"{"event":"download_moved",\#(time),\#(ids),"from":"a","path":"b\"\\\n\u001b\u009b\u202e"}"#
        ),
        (
            .providerWaiting(provider: "peertube", until: now, kind: "rate_limited"),
            #"{"event":"provider_waiting",\#(time),"provider":"peertube","until":"2026-11-20T23:00:00Z","kind":"rate_limited"}"#
        ),
        (
            .hostWaiting(host: "h", until: now, kind: "429"),
            #"{"event":"host_waiting",\#(time),"host":"h","until":"2026-11-20T23:00:00Z","kind":"429"}"#
        ),
        (
            .warning(.loggedOut, nil),
            #"{"event":"warning",\#(time),"message":"the user is logged out; this sync continues after a login"}"#
        ),
        (
            .warning(.sidecarMissed(.courseCover("phys101"), DownloadError(kind: .notFound, message: "gone")), video),
            #"{"event":"warning",\#(time),"message":"cover of phys101 wasn't downloaded: gone",\#(ids)}"#
        ),
        (
            .finished(failing),
            #"{"event":"sync_finished",\#(time),"exit":1,\#(failedCounts),"finished_now":0,"failed_now":3,"moved_now":0,"removed_now":0,"bytes":0,"seconds":0,"warnings":0,"stop_reason":null,"errors":[],"failures_by_host":[{"host":"https://h","failed":2},{"host":"p","failed":1}]}"#
        ),
        (
            .finished(
                SyncSummary(
                    downloads: [.waiting: 2, .finished: 1], finishedNow: 1, bytes: 3, seconds: 2,
                    conditions: [.invalidCatalog],
                    errors: [
                        .mistake(LocatedMessage(file: "a.yaml", line: 3, column: 4, message: "bad")),
                        .refusal(.input("locked")),
                    ])),
            #"{"event":"sync_finished",\#(time),"exit":65,\#(counts),"finished_now":1,"failed_now":0,"moved_now":0,"removed_now":0,"bytes":3,"seconds":2,"warnings":0,"stop_reason":null,"errors":[{"file":"a.yaml","line":3,"column":4,"message":"bad"},{"file":null,"line":null,"column":null,"message":"locked"}]}"#
        ),
    ]

    @Test("each event has its name and its fields", arguments: events.indices)
    func lines(index: Int) throws {
        let (event, expected) = Self.events[index]
        let bytes = JSONEvents.line(event, now: Self.now)
        #expect(String(decoding: bytes, as: UTF8.self) == expected + "\n")
        #expect(try JSONSerialization.jsonObject(with: Data(bytes)) is [String: Any])
    }

    @Test(
        "numbers with a fraction",
        arguments: [(0.0004, "0"), (0.05, "0.05"), (-1, "0"), (.infinity, "0"), (1e3, "1000")])
    func seconds(value: Double, expected: String) {
        var line = JSONLine()
        line.field("s", seconds: value)
        #expect(String(decoding: line.finished(), as: UTF8.self) == #"{"s":\#(expected)}"# + "\n")
    }

    @Test("a download as in status")
    func status() {
        var row = StatusRow(
            reference: Self.video, courseTitle: "Mechanics", chapterTitle: "Kin", state: .failed, reason: nil,
            priority: 10,
            bytes: 5, size: 9, error: Self.refused, retryAt: Self.now, updatedAt: Self.now, provider: "direct",
            file: "/c.yaml")
        #expect(
            String(decoding: StatusJSON.line(row, library: "/l"), as: UTF8.self)
                == #"{\#(Self.ids),"title":"Position","selector":"phys101/kin/v1","course_title":"Mechanics","chapter_title":"Kin","state":"failed","reason":null,"priority":10,"bytes":5,"size":9,"bytes_per_second":null,"path":null,"absolute_path":null,"finished_at":null,"error":{"kind":"url_refused","message":"no 'more'","status":403},"retry_at":"2026-11-20T23:00:00Z","updated_at":"2026-11-20T23:00:00Z","provider":"direct","file":"/c.yaml","gone":false,"sha256":null}"#
                + "\n")
        // Of a stream only.
        row.mediaSeconds = 1200.5
        #expect(
            String(decoding: StatusJSON.line(row, library: "/l"), as: UTF8.self).hasSuffix(
                #""sha256":null,"media_seconds":1200.5}"# + "\n"))
    }
}
