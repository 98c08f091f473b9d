import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaTransfer
import RunSchedule

/// The behaviour of hosts, providers, disks and users.
extension NightRun {
    mutating func take(_ step: Step) {
        switch step {
        case .wake(let time): if alarm == time { tell(.wake) }
        case .asked(let id, let turn, let donor): if works[id]?.turn == turn { asked(id, donor) }
        case .claims(let id, let turn, let donor): if works[id]?.turn == turn { claims(id, donor) }
        case .ends(let id, let turn, let end): if works[id]?.turn == turn { ends(id, end) }
        case .failed(let id, let turn, let failure, let began):
            if works[id]?.turn == turn { failed(id, failure, began) }
        case .receives(let id, let turn):
            if works[id]?.turn == turn, works[id]?.isTransferring == true { tell(.receives(id)) }
        case .flushFails(let id, let turn): if works[id]?.turn == turn { tell(.flushFailed(id)) }
        case .leaves(let id, let turn):
            if works[id]?.turn == turn, let host = works[id]?.host {
                tell(.leave(id, host: host))
            }
        case .hashed(let id): hashed(id)
        case .emptied(let id, let isChecksum): emptied(id, isChecksum)
        case .placed(let id):
            state.rows.note(.finish(id), at: now)
            state.rows.commit()
            state.stored += works[id]?.isLinked == true ? 0 : videos[id]?.size ?? 0
            if !state.finished.insert(id).inserted { problem = "\(id) finished twice" }
            let file = StoredFile(
                path: "f\(id.rawValue)", size: videos[id]?.size ?? 0, modified: 1, sha256: nil, source: [1])
            tell(.placed(id, file, request: nil, isWhole: true))
        case .sidecar(let number):
            let end = sidecarEnd(sidecars[number]?.host ?? "")
            tell(.sidecarFetched(number, end))
            if end == .arrived { plan(.sidecarPlaced(number), at: now + 0.1) }
        case .sidecarPlaced(let number):
            tell(.sidecarPlaced(number, of: sidecars[number]?.download, isStored: true))
        case .applied(let number, let ids): applied(number, ids)
        case .told(let number): tell(.applied(number, []))
        case .command(let command): carryOut(command)
        case .listed(let listing):
            let number = newNumber
            comparisons[number] = (listing, [:])
            tell(.command(number, .arrival))
        case .compared(let number): compared(number)
        }
    }

    static let error = DownloadError(kind: .network, message: "simulated")
    static let away = DownloadError(kind: .unavailable, message: "simulated")
    static let refused = DownloadError(kind: .urlRefused, message: "simulated", status: 404)

    /// Whether something holds now.
    func is_(_ what: Week.Times.What, _ who: String) -> Bool {
        week.times.contains { $0.what == what && $0.who == who && $0.from <= now && now < $0.to }
    }

    /// How the fetch of a sidecar ends that began a moment ago.
    private func sidecarEnd(_ host: String) -> Schedule.SidecarEnd {
        if schedule.stopReason != nil { return .stopped }
        if is_(.refusing, host) { return .refused(Self.error, isFinal: false) }
        let isSilent = is_(.silent, host)
        guard isSilent || is_(.busy, host) else { return .arrived }
        return .again(
            Self.error, atLeast: isSilent ? nil : .seconds(60), hostFailed: true, began: NightRun.date(now - 0.5))
    }

    private func wantsLogin(_ video: Week.Video) -> Bool {
        if state.loggedOut.contains(video.provider) { return true }
        return week.times.contains {
            $0.what == .wantsLogin && $0.who == video.place && $0.from <= now
                && state.logins[video.provider, default: -1] < $0.from
        }
    }

    // MARK: a turn

    /// The provider answers, or a file that is there already is compared.
    private mutating func asked(_ id: DownloadID, _ donor: Donor?) {
        guard let video = videos[id], var work = works[id] else { return }
        // Every other answer names its server, which is the one that everybody knows.
        let named = work.turn % 2 == 0 ? video.server : nil
        if wantsLogin(video), night < Week.calm { return ends(id, .loginNeeded(Self.error, server: named)) }
        if is_(.rateLimited, video.place) {
            return ends(id, .providerWaits(Self.error, delay: .seconds(30), server: named))
        }
        if is_(.unavailable, video.place) || video.trouble == .away {
            return ends(id, .unavailable(Self.away, retryAfter: nil, server: named))
        }
        switch video.trouble {
        case .gone: return ends(id, .failed(Self.error, isFinal: true))
        case .notReady(let until) where until > now:
            return ends(id, .notReady(Self.error, retryAfter: .seconds(until - now)))
        default: break
        }
        var items: [SidecarQueue.Item] = []
        if !work.hasResolved {
            for number in 0..<video.sidecars {
                let item = SidecarQueue.Item(
                    number: Int(id.rawValue) * 10 + number, download: id, host: video.host,
                    row: SidecarQueue.Row(SidecarName(.attachment, "\(number)")))
                sidecars[item.number] = item
                items.append(item)
            }
        }
        work.hasResolved = true
        work.isUsed = false
        work.answers += 1
        work.host = work.answers % 2 == 0 ? video.mirror ?? video.host : video.host
        let answers = week.answers[video.provider]
        work.usableUntil = answers?.life.map { now + $0 } ?? .infinity
        works[id] = work
        let until = answers?.life.map { Self.date(now + $0) }
        let isSingleUse = answers?.isSingleUse ?? false
        tell(.resolved(id, items, Schedule.Answer(usableUntil: until, isSingleUse: isSingleUse)))
        // The video is there.
        if schedule.downloads[id]?.purpose == .sidecars { return ends(id, .answered) }
        claims(id, donor)
    }

    /// It has an answer.
    private mutating func claims(_ id: DownloadID, _ donor: Donor?) {
        guard let video = videos[id], let work = works[id] else { return }
        guard tell(.claim(id, host: work.host)) else { return ends(id, .parked(host: work.host)) }
        works[id]?.usedUntil = week.answers[video.provider]?.isSingleUse == true ? nil : work.usableUntil
        works[id]?.usableUntil = nil
        guard works[id]?.turn == work.turn else { return }
        if let donor {
            guard !video.isOther else { return ends(id, .differs(donor)) }
            works[id]?.isLinked = true
            return plan(.ends(id, turn: work.turn, .complete), at: now + 0.1)
        }
        transfer(id, video)
    }

    private mutating func transfer(_ id: DownloadID, _ video: Week.Video) {
        guard var work = works[id] else { return }
        work.isLinked = false
        work.received = 0
        works[id] = work
        if is_(.silent, work.host) { return again(id, .retry, Self.error, isSilent: true, in: 30) }
        if is_(.busy, work.host) { return again(id, .retryHost(after: .seconds(60)), Self.error, in: 0.2) }
        if is_(.refusing, work.host) || video.trouble == .missing {
            return again(id, .resolveAgain, Self.refused, in: 0.2)
        }
        work.base = state.rows[id].durable
        work.since = now
        work.rate = week.rates[work.host] ?? 1e6
        work.isTransferring = true
        works[id] = work
        let end = now + Double(video.size - work.base) / work.rate + 0.05
        let cut = week.times.filter { $0.what == .silent && $0.who == work.host && $0.from > now && $0.from < end }
        // Bytes have come; somebody looks twice a second.
        plan(.receives(id, turn: work.turn), at: now + 0.5)
        if let cut = cut.map(\.from).min() {
            works[id]?.received = Int64((cut - now) * work.rate)
            return again(id, .retry, Self.error, in: cut - now + 30, began: now)
        }
        if case .lostFlush(let times) = video.trouble, state.losses[id, default: 0] < times {
            plan(.flushFails(id, turn: work.turn), at: (now + end) / 2)
        }
        for number in 0..<video.extra where tell(.enter(id, host: work.host)) {
            works[id]?.extras += 1
            plan(.leaves(id, turn: work.turn), at: now + Double(number + 1) * (end - now) / 5)
        }
        plan(.ends(id, turn: work.turn, .complete), at: end)
    }

    /// The attempt fails after a while.
    private mutating func again(
        _ id: DownloadID, _ verdict: RetryVerdict, _ error: DownloadError, isSilent: Bool = false, in seconds: Double,
        began: Double? = nil
    ) {
        guard let work = works[id] else { return }
        let failure = AttemptPolicy.Failure(verdict: verdict, error: error, isFull: false, isSilent: isSilent)
        plan(.failed(id, turn: work.turn, failure, began: began ?? now), at: now + seconds)
    }

    /// What the rules of a run say of that.
    private mutating func failed(_ id: DownloadID, _ failure: AttemptPolicy.Failure, _ began: Double) {
        guard var work = works[id], let video = videos[id] else { return }
        keep(id)
        var dice = dice(3, Int(id.rawValue), work.turn)
        let action = work.policy.next(
            after: failure, received: work.received, length: state.rows[id].durable, size: video.size,
            isFresh: !work.isUsed, isExpired: false, jitter: dice.share())
        work.isUsed = true
        work.isTransferring = false
        works[id] = work
        let start = Self.date(began)
        switch action {
        case .transfer: transfer(id, video)
        case .resolve: plan(.asked(id, turn: work.turn, nil), at: now + answerTime(id, work.turn))
        case .wait(let error, let delay, let hostFailed):
            let host = hostFailed ? work.host : nil
            ends(id, .waits(error, delay: delay, attempt: work.policy.attempt, failedHost: host, began: start))
        case .fail(let error): ends(id, .failed(error, isFinal: false))
        case .giveUp(let error, let rest, let hostFailed):
            let host = hostFailed ? work.host : nil
            ends(id, .gaveUp(error, isFinal: false, rest: rest, host: host, began: start))
        case .startOver, .askWhole, .suspend, .verify, .stop: problem = "the rules say \(action)"
        }
    }

    private mutating func ends(_ id: DownloadID, _ end: Schedule.TurnEnd) {
        keep(id)
        let usedUntil = works[id]?.usedUntil
        switch end {
        case .parked: break
        case .waits, .stopped: works[id]?.usableUntil = usedUntil
        default: works[id]?.usableUntil = nil
        }
        works[id]?.usedUntil = nil
        if case .complete = end { state.rows[id].durable = works[id]?.isLinked == true ? 0 : videos[id]?.size ?? 0 }
        works[id]?.turn += 1
        let usableUntil = works[id]?.usableUntil.map { $0.isFinite ? NightRun.date($0) : .distantFuture }
        tell(.turnEnded(id, end, usableUntil: usableUntil))
    }

    // MARK: files

    private mutating func hashed(_ id: DownloadID) {
        guard schedule.phases[id] == .digesting else { return }
        if case .badChecksum(let times)? = videos[id]?.trouble, state.badChecksums[id, default: 0] < times,
            works[id]?.isLinked == false
        {
            state.badChecksums[id, default: 0] += 1
            tell(.hashed(id, .wrong))
        } else {
            tell(.hashed(id, .right))
        }
    }

    private mutating func emptied(_ id: DownloadID, _ isChecksum: Bool) {
        state.rows[id].durable = 0
        if isChecksum {
            works[id]?.badChecksums += 1
            tell(.restarted(id, works[id]?.badChecksums == 1 ? nil : Self.error))
        } else {
            state.losses[id, default: 0] += 1
            works[id]?.losses += 1
            tell(.partialDropped(id, losses: works[id]?.losses ?? 0))
        }
    }

    // MARK: people

    /// Which provider a login or logout is at.
    func provider(of command: Week.Command) -> String {
        command.ids.lazy.compactMap { self.videos[DownloadID(rawValue: $0)]?.provider }.first ?? "p0"
    }

    /// The number of a command: several may come between two steps.
    private var newNumber: Int {
        var number = steps
        while requests[number] != nil || comparisons[number] != nil { number += 1 }
        return number
    }

    private mutating func carryOut(_ command: Week.Command) {
        let ids = command.ids.map(DownloadID.init).filter { videos[$0] != nil }
        let number = newNumber
        let provider = provider(of: command)
        let kind: Command.Kind
        switch command.what {
        case .kill: return isKilled = true
        case .window: return _ = tell(.stop(.window))
        case .logout: return _ = tell(.stop(.logout))
        case .pause: kind = .steer(.pause, ids)
        case .resume: kind = .steer(.resume, ids)
        case .cancel: kind = .steer(.cancel, ids)
        case .retry: kind = .steer(.retry, ids)
        case .prioritize: kind = .prioritize(isNow: false, ids)
        case .now: kind = .prioritize(isNow: true, ids)
        case .jobs: kind = .jobs(1 + ids.count % 4, hostCap: 1 + ids.count % 3)
        case .providerLogout:
            state.loggedOut.insert(provider)
            kind = .loggedOut(provider)
        case .providerLogin:
            state.loggedOut.remove(provider)
            state.logins[provider] = now
            kind = .loggedIn(provider)
        }
        requests[number] = command
        tell(.command(number, kind))
    }

    /// Rows change as ``Steering`` changes them.
    private mutating func applied(_ number: Int, _ ids: [DownloadID]) {
        guard let command = requests[number] else { return }
        state.rows.commit()
        var changed: [Schedule.SteeredRow] = []
        for id in ids {
            let before = state.rows[id]
            switch command.what {
            case .prioritize, .now:
                guard before.state.isOpen else { continue }
                state.rows.note(
                    .prioritize(id, command.what == .now ? 1_000_000_000 : command.ids.count * 5 - 10), at: now)
            default:
                guard let transition = transition(command.what), let after = before.state.after(transition) else {
                    continue
                }
                if after == before.state, transition != .retry || before.retryAt == nil { continue }
                state.rows.note(.steer(id, transition), at: now)
                state.steered[id] = transition
                if before.state == .finished, state.finished.remove(id) != nil { state.stored -= videos[id]?.size ?? 0 }
            }
            state.rows.commit()
            guard let video = videos[id] else { continue }
            let row = state.rows[id]
            changed.append(
                Schedule.SteeredRow(
                    id: id, before: before.state, after: row.state, priority: row.priority ?? video.priority,
                    retryAt: row.retryAt,
                    // Only of courses that have been compared.
                    wanted: video.listing.map(unlisted.contains) ?? false ? nil : Self.wanted(video, state.rows)))
            if row.state == .waiting, before.state != .waiting { works[id]?.hasResolved = true }
        }
        tell(.applied(number, changed))
    }

    private func transition(_ what: Week.Command.What) -> StateTransition? {
        switch what {
        case .pause: .pause
        case .cancel: .cancel
        case .retry: .retry
        case .resume, .providerLogin: .resume
        default: nil
        }
    }
}
