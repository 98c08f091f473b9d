import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import HeapModule
import RunSchedule

/// One night: drives a ``Schedule`` through virtual time, does what it says as a run would, and checks it after every event.
struct NightRun {
    /// A download that has had a turn in this night.
    struct Work {
        /// Turns so far; what was planned for an earlier one is void.
        var turn = 0
        var isTransferring = false
        /// Since when, and how many bytes were there then.
        var since = 0.0
        var base: Int64 = 0
        var rate = 0.0
        /// As of a run: it lives over all turns of the night.
        var policy = AttemptPolicy(retries: NightRun.retries, record: nil)
        /// Whether its URL has been used.
        var isUsed = false
        /// Bytes that have come with it.
        var received: Int64 = 0
        var badChecksums = 0
        var losses = 0
        var isCancelled = false
        var hasResolved = false
        var isLinked = false
        var extras = 0
        var answers = 0
        /// Where its last answer leads.
        var host = ""
        /// Until when that can be used; nil if there is none that waits.
        var usableUntil: Double?
        /// The same of the one that is being used; nil if it can be used once.
        var usedUntil: Double?
    }

    /// What happens next.
    enum Step {
        case wake(Double)
        case asked(DownloadID, turn: Int, Donor?)
        case claims(DownloadID, turn: Int, Donor?)
        case ends(DownloadID, turn: Int, Schedule.TurnEnd)
        case failed(DownloadID, turn: Int, AttemptPolicy.Failure, began: Double)
        case receives(DownloadID, turn: Int)
        case flushFails(DownloadID, turn: Int)
        case leaves(DownloadID, turn: Int)
        case hashed(DownloadID)
        case emptied(DownloadID, isChecksum: Bool)
        case placed(DownloadID)
        case sidecar(Int)
        case sidecarPlaced(Int)
        case applied(Int, [DownloadID])
        case told(Int)
        case listed(Int)
        case compared(Int)
        case command(Week.Command)
    }

    struct Planned: Comparable {
        var at: Double
        var number: Int
        var step: Step

        static func < (a: Planned, b: Planned) -> Bool { (a.at, a.number) < (b.at, b.number) }
        static func == (a: Planned, b: Planned) -> Bool { a.number == b.number }
    }

    let week: Week
    let night: Int
    let videos: [DownloadID: Week.Video]
    var state: WeekState
    var schedule: Schedule
    var agenda = Heap<Planned>()
    var now: Double
    var steps = 0
    var works: [DownloadID: Work] = [:]
    var sidecars: [Int: SidecarQueue.Item] = [:]
    var requests: [Int: Week.Command] = [:]
    /// The listings that are being compared, by the number of the arrival, with the rows as the comparison has read them.
    var comparisons: [Int: (listing: Int, rows: [DownloadID: Rows.Row])] = [:]
    /// Listings that haven't been compared in this night.
    var unlisted: Set<Int> = []
    private var leaders: [Int: DownloadID] = [:]
    var checks = Checks()
    /// The events and actions, if somebody wants to read them.
    var trace: [String]?
    /// The one that rings: one that is set replaces the one before.
    var alarm: Double?
    var isOver = false
    var isKilled = false
    /// The violation; nil as long as there is none.
    var problem: String?

    /// Attempts of a video.
    static let retries = 10
    static let epoch = Date(timeIntervalSince1970: 1_800_000_000)

    init(_ week: Week, _ night: Int, _ state: WeekState, isTraced: Bool = false) {
        self.week = week
        self.night = night
        self.state = state
        trace = isTraced ? [] : nil
        now = Week.start(night)
        self.state.rows.recover(at: Self.date(now))
        let all = week.videos.filter { $0.nights.contains(night) }
        videos = Dictionary(uniqueKeysWithValues: all.map { (DownloadID(rawValue: $0.id), $0) })
        unlisted = Set(all.compactMap(\.listing))
        let (wanted, followers) = Self.comparison(all.filter { $0.listing == nil }, self.state.rows, &leaders)
        let isCalm = night >= Week.calm
        schedule = Schedule(
            wanted, followers: followers,
            limits: Schedule.Limits(
                jobs: week.jobs, hostConnections: week.hostCap, maxWait: .seconds(600),
                freeSpace: week.room == nil || isCalm ? nil : FreeSpaceGuard(floor: 0), placing: 8,
                retries: Self.retries, concurrency: { [answers = week.answers] in answers[$0]?.concurrency ?? 1 }),
            expectsMore: !unlisted.isEmpty)
        for listing in unlisted.sorted() { plan(.listed(listing), at: now + week.late[listing]) }
        for command in week.commands where command.night == night && !isCalm {
            plan(.command(command), at: now + command.at)
        }
    }

    /// What a comparison wants of videos.
    private static func comparison(
        _ videos: [Week.Video], _ rows: Rows, _ leaders: inout [Int: DownloadID]
    ) -> (wanted: [ScheduledDownload], followers: Followers) {
        var followers = Followers()
        var wanted: [ScheduledDownload] = []
        for video in videos {
            let download = Self.wanted(video, rows)
            guard rows[download.id].state == .waiting else { continue }
            wanted.append(download)
            guard let group = video.group else { continue }
            if let leader = leaders[group] {
                followers.add(download.id, to: leader)
            } else if download.retryAt == nil {
                leaders[group] = download.id
            }
        }
        return (wanted, followers)
    }

    /// The course of a listing has been compared.
    mutating func compared(_ number: Int) {
        guard let (listing, before) = comparisons[number] else { return }
        for (id, row) in before where state.rows[id] != row {
            return problem = "the row of \(id.rawValue) changes while it is compared"
        }
        let videos = week.videos.filter { $0.listing == listing && $0.nights.contains(night) }
        let (wanted, followers) = Self.comparison(videos, state.rows, &leaders)
        unlisted.remove(listing)
        tell(.arrived(number, wanted, followers: followers))
        if unlisted.isEmpty { tell(.expectsMore(false)) }
    }

    static func date(_ seconds: Double) -> Date { epoch.addingTimeInterval(seconds) }

    static func wanted(_ video: Week.Video, _ rows: Rows) -> ScheduledDownload {
        let id = DownloadID(rawValue: video.id)
        let row = rows[id]
        return ScheduledDownload(
            id: id, priority: row.priority ?? video.priority, ordinal: video.id, provider: video.provider,
            server: video.server, retryAt: row.retryAt, failedRuns: row.failedRuns, size: video.size,
            written: row.durable,
            bytes: WantedBytes(
                video: video.group.map { "g\($0)" } ?? "v\(id)", source: [1], size: nil, sha256: nil,
                ignoresCourse: false))
    }

    mutating func plan(_ step: Step, at: Double) {
        steps += 1
        agenda.insert(Planned(at: max(at, now), number: steps, step: step))
    }

    func dice(_ keys: Int...) -> Dice {
        var seed = Dice(week.seed, night).self
        var value = seed.next()
        for key in keys {
            var next = Dice(value, key)
            value = next.next()
        }
        return Dice(value)
    }

    // MARK: the night

    /// Runs to the end of the night, or to what is wrong. Returns what is left.
    mutating func run() -> WeekState {
        tell(.begin)
        while problem == nil, !isOver, !isKilled {
            guard let next = agenda.popMin() else {
                problem = "the night never ends: nothing is under way, and it isn't over"
                break
            }
            guard steps < 50_000, next.at < Week.start(night) + 0.9 * Week.day else {
                problem = "the night never ends"
                break
            }
            now = next.at
            take(next.step)
        }
        if isKilled {
            kill()
        } else if problem == nil {
            state.rows.commit()
            problem = checks.atEnd(self)
        }
        return state
    }

    /// Drops everything that wasn't written within the last second.
    private mutating func kill() {
        let durable = now.rounded(.down)
        for (id, work) in works where work.isTransferring {
            state.rows[id].durable = min(bytes(of: id, at: durable), videos[id]?.size ?? 0)
        }
        state.rows.commit(upTo: durable)
    }

    /// Tells the schedule, checks it, and does what it says. Returns whether it grants.
    @discardableResult
    mutating func tell(_ event: Schedule.Event) -> Bool {
        guard problem == nil, !isOver else { return false }
        guard schedule.limits.freeSpace != nil else { return perform([event]) }
        let turns = schedule.transfers.map {
            Schedule.Measure(id: $0, size: videos[$0]?.size, written: bytes(of: $0, at: now))
        }
        return perform([.measured(free: free, turns: turns), event])
    }

    /// Of several events of one moment, the others only report what there is.
    @discardableResult
    private mutating func perform(_ events: [Schedule.Event]) -> Bool {
        guard problem == nil, !isOver, let event = events.last else { return false }
        var jitter = dice(-1, steps)
        let actions = schedule.handle(events, now: Self.date(now), jitter: jitter.share())
        checks.note(event, actions, self)
        if trace != nil {
            let line = "\(now - Week.start(night)): \(event) → \(actions)"
            trace?.append(line)
        }
        var isGranted = false
        for action in actions {
            if case .grant(let answer) = action { isGranted = answer } else { perform(action) }
        }
        switch event {
        case .claim(let id, let host), .enter(let id, let host): if isGranted { checks.granted(id, host) }
        default: break
        }
        problem = problem ?? state.rows.refusal ?? checks.after(self, actions)
        return isGranted
    }

    /// Above the floor: what was free at first, less all that has been written.
    var free: Int64 {
        // What others have on the disk for a while.
        let others = week.crowds.reduce(0) { $0 + ($1.from <= now && now < $1.to ? $1.bytes : 0) }
        let written =
            state.stored + state.rows.partials
            + works.filter(\.value.isTransferring).reduce(0) {
                $0 + bytes(of: $1.key, at: now) - state.rows[$1.key].durable
            }
        return max(-1, (week.room ?? .max) - written - others)
    }

    func bytes(of id: DownloadID, at instant: Double) -> Int64 {
        guard let work = works[id], work.isTransferring else { return state.rows[id].durable }
        let arrived = Int64(max(0, instant - work.since) * work.rate)
        return min(videos[id]?.size ?? 0, work.base + arrived)
    }

    // MARK: what the schedule says

    private mutating func begin(_ id: DownloadID, _ donor: Donor?) {
        var work = works[id] ?? Work()
        work.turn += 1
        work.isCancelled = false
        work.extras = 0
        works[id] = work
        if let until = work.usableUntil, until > now {
            return plan(.claims(id, turn: work.turn, donor), at: now + 0.01)
        }
        works[id]?.usableUntil = nil
        plan(.asked(id, turn: work.turn, donor), at: now + answerTime(id, work.turn))
    }

    func answerTime(_ id: DownloadID, _ turn: Int) -> Double {
        var dice = dice(1, Int(id.rawValue), turn)
        let usual = videos[id].flatMap { week.answers[$0.provider]?.time } ?? 1
        return 0.01 + usual * dice.seconds(0.5...1.5)
    }

    private mutating func perform(_ action: Schedule.Action) {
        switch action {
        case .start(let id, let donor, _): begin(id, donor)
        case .ask(let id): begin(id, nil)
        case .cancel(let id):
            guard let work = works[id] else { return problem = "cancels \(id.rawValue), which has no turn" }
            keep(id)
            works[id]?.isCancelled = true
            works[id]?.turn += 1
            plan(.ends(id, turn: work.turn + 1, .stopped), at: now + 0.01)
        case .record(let change): state.rows.note(change, at: now)
        case .hash(let id):
            var dice = dice(2, Int(id.rawValue), works[id]?.turn ?? 0)
            plan(.hashed(id), at: now + dice.seconds(0.01...5))
        case .place(let id): plan(.placed(id), at: now + 0.1)
        case .restart(let id): plan(.emptied(id, isChecksum: true), at: now + 0.05)
        case .dropPartial(let id): plan(.emptied(id, isChecksum: false), at: now + 0.05)
        case .fetch(let number): plan(.sidecar(number), at: now + 0.5)
        case .cancelFetch(let number): plan(.sidecar(number), at: now)
        case .wake(let date):
            alarm = date?.timeIntervalSince(Self.epoch)
            if let alarm { plan(.wake(alarm), at: alarm) }
        case .apply(let number, let ids):
            state.rows.commit()
            var dice = dice(4, number)
            plan(.applied(number, ids), at: now + dice.seconds(0.05...2))
        case .admit(let number):
            guard let listing = comparisons[number]?.listing else { return problem = "\(number) is no arrival" }
            state.rows.commit()
            for video in week.videos where video.listing == listing {
                let id = DownloadID(rawValue: video.id)
                comparisons[number]?.rows[id] = state.rows[id]
            }
            var dice = dice(6, number)
            plan(.compared(number), at: now + dice.seconds(0.05...5))
        case .forgetCredentials(let number, _), .reloadCredentials(let number, _): plan(.told(number), at: now + 0.02)
        case .dismiss(let id):
            works[id]?.usableUntil = nil
            if schedule.phases[id] == .settled(.cancelled) { state.rows[id].durable = 0 }
        case .end: isOver = true
        case .grant, .emit, .release, .dropEmptyPartial, .renew, .forget, .answer: break
        }
    }

    /// What has arrived is in the partial.
    mutating func keep(_ id: DownloadID) {
        guard works[id]?.isTransferring == true else { return }
        state.rows[id].durable = bytes(of: id, at: now)
        works[id]?.isTransferring = false
    }
}
