import CatalogComparison
import CourseCatalog
import Crypto
import DownloadRunner
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import NightSimulation
import RunAccess
import RunSchedule
import SyncFacts

/// The turns of a night, as the runner's dispatcher carries them out.
extension LibraryNight {
    @discardableResult
    mutating func tell(_ event: Schedule.Event) -> Bool {
        guard problem == nil, !isOver else { return false }
        var jitter = dice(1, steps)
        let actions = schedule.handle(event, now: now, jitter: jitter.share())
        say("\(event) → \(actions)")
        var isGranted = false
        for action in actions { if case .grant(let answer) = action { isGranted = answer } else { perform(action) } }
        return isGranted
    }

    private mutating func perform(_ action: Schedule.Action) {
        switch action {
        case .start(let id, let donor, _): start(id, .resolved(id, turn: turns[id, default: 0] + 1, donor))
        case .ask(let id): start(id, .stopped(id, turn: turns[id, default: 0] + 1))
        case .cancel(let id): later(.stopped(id, turn: turns[id, default: 0]), in: 0.1)
        case .record(let change): journal.append(change)
        case .renew(let id): wanted[id] = again.removeValue(forKey: id) ?? wanted[id]
        case .hash(let id): later(.hashed(id), in: 0.2)
        case .place(let id): later(.place(id), in: 0.3)
        case .restart(let id), .dropPartial(let id): problem = "a partial of \(id) is refused"
        case .wake(let date): if let date { later(.wake(date), in: max(0, date.timeIntervalSince(now))) }
        case .apply(let number, let ids): later(.apply(number, ids), in: 0.2)
        case .admit(let number): later(.compare(number), in: 0.1)
        case .answer(let number, let answer):
            if let course = arrivals[number], case .over = answer {
                // The run is over: it is compared all the same.
                say("\(course) arrives after the turns")
                later(.compare(number), in: 0)
            }
        case .end: isOver = true
        default: break
        }
    }

    private mutating func start(_ id: DownloadID, _ step: Step) {
        turns[id, default: 0] += 1
        var delay = dice(2, Int(id.rawValue), turns[id, default: 0])
        later(step, in: delay.seconds(0.1...4))
    }

    mutating func take(_ step: Step) async throws {
        switch step {
        case .wake(let date): if date <= now { tell(.wake) }
        case .commit:
            try commitJournal([])
            later(.commit, in: 1)
        case .resolved(let id, let turn, let donor): if turns[id] == turn { resolved(id, turn, donor) }
        case .half(let id, let turn): if turns[id] == turn { transfer(id, turn, isWhole: false) }
        case .complete(let id, let turn): if turns[id] == turn { transfer(id, turn, isWhole: true) }
        case .stopped(let id, let turn):
            guard turns[id] == turn else { return }
            end(id, schedule.downloads[id]?.purpose == .sidecars ? .answered : .stopped)
        case .hashed(let id): tell(.hashed(id, .right))
        case .place(let id): try place(id)
        case .apply(let number, let ids): try await apply(number, ids)
        case .command(let command): carryOut(command)
        case .listed(let course):
            let number = nextNumber()
            arrivals[number] = course
            tell(.command(number, .arrival))
        case .compare(let number): try compare(number)
        case .add(let number): try add(number)
        }
    }

    mutating func commitJournal(_ changes: [DownloadChange]) throws {
        try commit(changes)
        journal = []
    }

    private mutating func end(_ id: DownloadID, _ end: Schedule.TurnEnd) {
        turns[id, default: 0] += 1
        tell(.turnEnded(id, end))
    }

    // MARK: a turn

    private mutating func resolved(_ id: DownloadID, _ turn: Int, _ donor: Donor?) {
        tell(.resolved(id, []))
        guard tell(.claim(id, host: "h")) else { return end(id, .parked(host: "h")) }
        // Each course has bytes of its own.
        if let donor { return end(id, .differs(donor)) }
        later(.half(id, turn: turn), in: 1)
    }

    /// Writes the first or the second half into the partial, durable.
    private mutating func transfer(_ id: DownloadID, _ turn: Int, isWhole: Bool) {
        guard let download = wanted[id] else { return problem = "\(id) has a turn that nobody wants" }
        let (course, video) = (download.reference.course, download.reference.video)
        let source = LibraryMemory.Source(course: course, video: video, digest: download.source)
        guard let version = memory.versions[source] else {
            return problem = "\(course)/\(video) is downloaded from a source that wasn't compared"
        }
        let bytes = LibraryWeek.bytes(course, video, version)
        let name = PartialName(download: id.rawValue)
        do {
            let partial = try library.partials.open(name)
            let start = isWhole ? bytes.count / 2 : min(Int(download.resume?.durableBytes ?? 0), bytes.count / 2)
            let length = isWhole ? bytes.count : bytes.count / 2
            // What is there already is continued.
            var all = disk.bytes(of: name).prefix(start)
            guard all.count == start else {
                return end(id, .failed(DownloadError(kind: .disk, message: "the partial is too short"), isFinal: false))
            }
            all += bytes[start..<length]
            try partial.truncate(to: 0)
            try partial.write(Array(all))
            try partial.flush()
        } catch {
            return end(id, .failed(DownloadError(error), isFinal: false))
        }
        guard isWhole else {
            let facts = ProgressFacts(
                bytes: Int64(bytes.count / 2), total: Int64(bytes.count), validators: Validators())
            journal.append(.progress(id, facts))
            wanted[id]?.resume = nil
            return later(.complete(id, turn: turn), in: 1)
        }
        if let complaint = memory.transferred(course, video, version) { return problem = complaint }
        end(id, .complete)
    }

    private mutating func place(_ id: DownloadID) throws {
        guard let download = wanted[id] else { return problem = "\(id) is placed, and nobody wants it" }
        let name = PartialName(download: id.rawValue)
        let bytes = disk.bytes(of: name)
        var failure: PlacingFailure?
        let file = ArrivedFile(
            role: .video(id, source: download.source), partialName: name, size: Int64(bytes.count),
            sha256: Checksum(SHA256.hash(data: bytes)), path: download.stem + ".mp4", id: download.reference.video,
            old: download.oldFile, hasPast: !download.isNew)
        let night = self
        var pending = journal
        let placed = Placer(store: store, library: library).place(
            [file],
            write: { changes in
                do { try night.store.write(pending + changes, at: night.now) } catch { return false }
                pending = []
                return true
            }, failed: { failure = $1 })
        journal = pending
        say("placed \(placed?.map(\.stored.path) ?? []) \(failure.map { "\($0)" } ?? "")")
        if let stored = placed?.first?.stored {
            memory.noteFinished(store)
            tell(.placed(id, stored, request: nil, isWhole: true))
            return
        }
        switch failure {
        case .library(let error):
            if let loss = library.loss() {
                tell(.notPlaced(id, .suspended(.disk, DownloadError(loss: loss))))
            } else {
                tell(.notPlaced(id, .failed(DownloadError(error))))
            }
        default: tell(.notPlaced(id, .store))
        }
    }

    // MARK: arrivals

    private mutating func compare(_ number: Int) throws {
        guard let course = arrivals[number], let plan, let settled else { return }
        lists[course] = nil
        guard let catalog = try read() else { return }
        let more = try changes.compare(
            catalog, at: now, courses: .only([course]), unsettled: settled.unsettled, tallies: plan.tallies)
        guard more.errors.isEmpty else { return problem = "\(course) is refused: \(more.errors)" }
        compared[number] = more
        later(.add(number), in: 0.5)
    }

    private mutating func add(_ number: Int) throws {
        guard let course = arrivals[number], var more = compared.removeValue(forKey: number), var all = plan,
            let settled
        else { return }
        try changes.add(&more, of: .only([course]), to: &all, after: settled, note: { _ in })
        plan = all
        noteSources(.only([course]), held: more.held)
        for download in more.wanted + more.asked { wanted[download.id] = download }
        tell(
            .arrived(
                number, more.wanted.map(scheduled) + more.asked.map(question), followers: more.followers))
        if lists.isEmpty { tell(.expectsMore(false)) }
    }

    // MARK: commands

    private func ids(_ command: LibraryWeek.Command) -> [DownloadID] {
        let keys = Set(
            command.videos.map { "c\($0[0])/\(week.courses[$0[0]].videos[$0[1]].id)" })
        var ids: [DownloadID] = []
        try? store.downloads.each { if keys.contains("\($0.key.course)/\($0.key.video)") { ids.append($0.id) } }
        return ids
    }

    private mutating func carryOut(_ command: LibraryWeek.Command) {
        guard let transition = command.what.transition else {
            wasStopped = true
            tell(.stop(.logout))
            return
        }
        let number = nextNumber()
        commands[number] = command
        tell(.command(number, .steer(transition, ids(command))))
    }

    private mutating func apply(_ number: Int, _ ids: [DownloadID]) async throws {
        guard let command = commands[number], let transition = command.what.transition else { return }
        try commitJournal([])
        let (store, now) = (store, now)
        let result = try await Steering(store: store, library: library) { changes in
            try store.write(changes, at: now)
            return true
        }.apply(transition, to: ids)
        memory.note(transition, result)
        let rows = result.changed.map { record, before in
            let more = plan?.revivedDownloads?.wanted(record)
            again[record.id] = more
            return Schedule.SteeredRow(
                id: record.id, before: before, after: record.state, priority: record.priority, retryAt: record.retryAt,
                wanted: more.map(record.state == .finished ? question : scheduled))
        }
        tell(.applied(number, rows))
        again = [:]
    }

    /// A command while no sync runs.
    mutating func steerBefore(_ command: LibraryWeek.Command) async throws {
        guard let transition = command.what.transition else { return }
        if try store.runs.isUnsettled() { try CrashRecovery(store: store, library: library).run(at: now) }
        let (store, now) = (store, now)
        let result = try await Steering(store: store, library: library) { changes in
            try store.write(changes, at: now)
            return true
        }.apply(transition, to: ids(command))
        memory.note(transition, result)
    }
}

extension LibraryWeek.Command.What {
    var transition: StateTransition? {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        case .retry: .retry
        case .remove: .remove
        case .logout: nil
        }
    }
}

extension MemoryDisk {
    /// The bytes of a partial, as somebody sees them who looks from outside.
    func bytes(of partial: PartialName) -> [UInt8] {
        content.files(beneath: "library/.coursefetch/partials")[partial.fileName] ?? []
    }
}
