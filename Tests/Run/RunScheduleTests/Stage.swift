import DownloadStore
import FileSystem
import Foundation

@testable import RunSchedule

/// A schedule with its events, one after the other, and its actions, as words.
struct Stage {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    var schedule: Schedule
    var now = start
    private var arrivals = 1000

    init(
        _ downloads: [ScheduledDownload], following: [(Int64, Int64)] = [], jobs: Int = 1, host: Int = 8,
        freeSpace: FreeSpaceGuard? = nil, maxWait: Duration = .seconds(600), retries: Int = 10,
        concurrency: Int? = nil, closesAt: Date? = nil, findsJobs: Bool = false
    ) {
        var followers = Followers()
        for (follower, leader) in following { followers.add(.init(rawValue: follower), to: .init(rawValue: leader)) }
        schedule = Schedule(
            downloads, followers: followers,
            limits: Schedule.Limits(
                jobs: jobs, findsJobs: findsJobs, hostConnections: host, maxWait: maxWait, freeSpace: freeSpace,
                retries: retries,
                closesAt: closesAt, concurrency: { _ in concurrency ?? jobs }))
    }

    /// A run in which 1 has the slot, and an answer for 2 waits, usable until then.
    static func withAnswerAhead(_ downloads: [ScheduledDownload], until: Date? = nil) -> Stage {
        var stage = Stage(downloads, jobs: 1, concurrency: 2)
        stage.tell(.begin)
        stage.now += 1
        stage.tell(.resolved(.number(1), [], Schedule.Answer(usableUntil: until.map { $0 + 3600 })))
        stage.tell(.claim(.number(1), host: "h"))
        stage.tell(.measured(free: nil, turns: [.init(id: .number(1), size: 100, written: 50)]))
        stage.now += 0.5
        stage.tell(.resolved(.number(2), [], Schedule.Answer(usableUntil: until)))
        stage.tell(.turnEnded(.number(2), .parked(host: "h")))
        return stage
    }

    /// Begins the run, and gives those that are asked for first an answer and a slot.
    @discardableResult
    mutating func begin() -> [String] {
        let said = tell(.begin)
        for id in schedule.phases.running.sorted() where schedule.phases.slots < schedule.limits.jobs {
            tell(.claim(id, host: "h"))
        }
        return said
    }

    /// Tells it one thing.
    @discardableResult
    mutating func tell(_ event: Schedule.Event) -> [String] {
        schedule.handle(event, now: now, jitter: 0).map(Self.words)
    }

    /// Downloads of other courses arrive. The answer to the arrival is left out.
    @discardableResult
    mutating func arrive(_ downloads: [ScheduledDownload], following: [(Int64, Int64)] = []) -> [String] {
        var followers = Followers()
        for (follower, leader) in following { followers.add(.number(follower), to: .number(leader)) }
        arrivals += 1
        let answer = "answer \(arrivals) "
        return (tell(.command(arrivals, .arrival)) + tell(.arrived(arrivals, downloads, followers: followers)))
            .filter { !$0.hasPrefix(answer) && $0 != "admit \(arrivals)" }
    }

    /// Time passes, and an alarm rings.
    mutating func wait(_ seconds: Double) -> [String] {
        now += seconds
        return tell(.wake)
    }

    func phase(_ id: Int64) -> Phase? { schedule.phases[DownloadID(rawValue: id)] }

    static func download(
        _ id: Int64, provider: String = "p", server: String? = nil, priority: Int = 0, size: Int64? = nil,
        retryAt: Date? = nil
    ) -> ScheduledDownload {
        ScheduledDownload(
            id: .init(rawValue: id), priority: priority, ordinal: id, provider: provider, server: server,
            retryAt: retryAt,
            size: size,
            bytes: WantedBytes(video: "v\(id)", source: [], size: nil, sha256: nil, ignoresCourse: false))
    }

    static let file = StoredFile(path: "a.mp4", size: 1, modified: 1, sha256: [1], source: [])
    static let error = DownloadError(kind: .network, message: "no")
    static let away = DownloadError(kind: .unavailable, message: "away")
    static let refused = DownloadError(kind: .urlRefused, message: "no", status: 404)

    /// An action in a few words; the alarm is left out.
    static func words(_ action: Schedule.Action) -> String {
        switch action {
        case .start(let id, let donor, let isProven):
            "start \(id.rawValue)" + (donor == nil ? "" : isProven ? " proven" : " compared")
        case .ask(let id): "ask \(id.rawValue)"
        case .cancel(let id): "cancel \(id.rawValue)"
        case .grant(let answer): answer ? "granted" : "denied"
        case .record(let change): "record \(words(change))"
        case .emit(let notice): "emit \(words(notice))"
        case .release(let id): "release \(id.rawValue)"
        case .dropEmptyPartial(let id): "drop empty \(id.rawValue)"
        case .dismiss(let id): "dismiss \(id.rawValue)"
        case .renew(let id): "renew \(id.rawValue)"
        case .hash(let id): "hash \(id.rawValue)"
        case .place(let id): "place \(id.rawValue)"
        case .restart(let id): "restart \(id.rawValue)"
        case .dropPartial(let id): "drop \(id.rawValue)"
        case .fetch(let number): "fetch \(number)"
        case .cancelFetch(let number): "cancel fetch \(number)"
        case .forget(let number): "forget \(number)"
        case .wake(let date): date.map { "wake \(Int($0.timeIntervalSince(start)))" } ?? "wake never"
        case .apply(let number, let ids): "apply \(number) to \(ids.map(\.rawValue))"
        case .admit(let number): "admit \(number)"
        case .forgetCredentials(let number, let provider): "forget credentials \(number) \(provider)"
        case .reloadCredentials(let number, let provider): "reload credentials \(number) \(provider)"
        case .answer(let number, .over): "answer \(number) over"
        case .answer(let number, .done(let busy)): "answer \(number) \(busy.map(\.rawValue))"
        case .end: "end"
        }
    }

    private static func words(_ change: DownloadChange) -> String {
        switch change {
        case .begin(let id): "begin \(id.rawValue)"
        case .putBack(let id, let retryAt, _):
            "putBack \(id.rawValue)" + (retryAt.map { " \(Int($0.timeIntervalSince(start)))" } ?? "")
        case .revive(let id): "revive \(id.rawValue)"
        case .suspend(let id, let reason): "suspend \(id.rawValue) \(reason)"
        case .fail(let id, _, let retryAt): "fail \(id.rawValue)" + (retryAt == nil ? " for good" : "")
        case .extrasStored(let id, _): "extras \(id.rawValue)"
        default: "\(change)"
        }
    }

    private static func words(_ server: ProviderServer) -> String {
        server.provider + (server.name.map { " at \($0)" } ?? "")
    }

    private static func words(_ notice: Schedule.Notice) -> String {
        switch notice {
        case .finished(let id): "finished \(id.rawValue)"
        case .failed(let id, _, _): "failed \(id.rawValue)"
        case .suspended(let id, let reason): "suspended \(id.rawValue) \(reason)"
        case .retrying(let id, _, _, _): "retrying \(id.rawValue)"
        case .waiting(let id): "waiting \(id.rawValue)"
        case .paused(let id): "paused \(id.rawValue)"
        case .cancelled(let id): "cancelled \(id.rawValue)"
        case .removed(let id): "removed \(id.rawValue)"
        case .providerWaiting(let server, _, _): "provider \(words(server)) waits"
        case .hostWaiting(let host, _, _): "host \(host) waits"
        case .resumeWaiting(let until): "waits for resume \(Int(until.timeIntervalSince(start)))"
        case .loginWanted(let server, _): "login \(words(server))"
        case .sidecarFailed(let number, _): "sidecar \(number) failed"
        case .sidecarWaits(let number, _): "sidecar \(number) waits"
        case .sidecarsUnknown(let id, _): "sidecars of \(id.rawValue) unknown"
        }
    }
}

extension DownloadID {
    static func number(_ id: Int64) -> DownloadID { DownloadID(rawValue: id) }
}
