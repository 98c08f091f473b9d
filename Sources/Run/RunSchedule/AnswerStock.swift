import DownloadStore
import Foundation

/// Answers of providers that wait for a slot, and how many of them are worth having. Times are in seconds.
struct AnswerStock: Sendable {
    /// A server's answers so far.
    private struct Facts: Sendable {
        /// The time that the server takes for one, as a moving average; nil before the first one.
        var time: Double?
        /// How long one can be used; infinite without an expiry.
        var life = Double.infinity
        var isSingleUse = false
        /// Answers that have led to a transfer since the server last asked for a pause.
        var used = 0
    }

    /// The shortest time of an answer that is worth having one ahead.
    private static let shortest = 0.002
    /// The time after which a server without an answer so far is taken for a slow one.
    private static let slow = 1.0
    /// The progress of a transfer is looked at twice a second.
    static let slack = 1.0
    /// How long a free slot waits for an answer of another server whose download comes first.
    static let patience = 5.0
    /// How much longer an answer lives than it is meant to wait.
    private static let reserve = 3.0

    private var servers: [ProviderServer: Facts] = [:]
    /// Until when each waiting answer can be used, and whether it has been used already.
    private var waiting: [DownloadID: (until: Date, isUsed: Bool)] = [:]
    /// How long a turn has its slot, as a moving average; nil before the first one has ended.
    private(set) var turnTime: Double?
    private var files = 0
    private var bytes = ByteCount(0)

    /// The downloads that have an answer, and no slot.
    var downloads: some Sequence<DownloadID> { waiting.keys }

    /// Until when the answer of a download can be used; nil without one.
    func usableUntil(_ id: DownloadID) -> Date? { waiting[id]?.until }

    /// The average size of the run's files; 0 before the first one.
    var averageSize: Int64 { files == 0 ? 0 : bytes.value / Int64(files) }

    // MARK: what happens

    /// A server has answered a download that has no slot.
    ///
    /// - Parameter time: how long it took; nil if it isn't known.
    mutating func add(
        _ id: DownloadID, _ answer: Schedule.Answer, of server: ProviderServer, time: Double?, at now: Date
    ) {
        waiting[id] = (answer.usableUntil ?? .distantFuture, false)
        var facts = servers[server] ?? Facts()
        if let time { facts.time = Self.average(facts.time, time) }
        let life = answer.usableUntil.map { max(0, $0.timeIntervalSince(now)) } ?? .infinity
        // A shorter one counts at once, a longer one by and by.
        facts.life = life <= facts.life || life.isInfinite ? life : facts.life + (life - facts.life) / 4
        facts.isSingleUse = answer.isSingleUse
        servers[server] = facts
    }

    /// A download waits again whose answer can still be used.
    mutating func putBack(_ id: DownloadID, until: Date) { waiting[id] = (until, true) }

    /// The download has no answer any more.
    mutating func remove(_ id: DownloadID) { waiting[id] = nil }

    /// The download has a slot, and uses the answer that it may have.
    mutating func use(_ id: DownloadID, of server: ProviderServer) {
        guard let answer = waiting.removeValue(forKey: id), !answer.isUsed else { return }
        servers[server]?.used += 1
    }

    /// Drops an answer that has expired. Returns whether it was never used.
    mutating func expire(_ id: DownloadID) -> Bool { waiting.removeValue(forKey: id)?.isUsed == false }

    /// The server asks for a pause: after it the number of answers ahead grows again from the beginning.
    mutating func asksForPause(_ server: ProviderServer) { servers[server]?.used = 0 }

    mutating func turnEnded(after seconds: Double) { turnTime = Self.average(turnTime, seconds) }

    mutating func finished(_ size: Int64) {
        files += 1
        bytes += size
    }

    private static func average(_ old: Double?, _ new: Double) -> Double { old.map { $0 + (new - $0) / 4 } ?? new }

    // MARK: how many

    /// The time that a server takes for an answer; nil before the first one.
    func answerTime(_ server: ProviderServer) -> Double? { servers[server]?.time }

    /// The answers of a server to have beyond those for free slots: as many as will be needed within the time that it
    /// takes for one, and one for each slot.
    ///
    /// Never as many that the last one would wait for more than a third of its life, since slots may take longer than
    /// usual; and at most one for each that was used, and one for each slot, so that a run begins with few requests. An
    /// answer that can be used once is asked for only when it will be needed soon.
    ///
    /// While nothing is known of any server, the downloads that have slots are the first of the run. Of one that is
    /// new later, one answer is wanted.
    ///
    /// - Parameters:
    ///   - jobs: the run's slots.
    ///   - width: transfers at a time from the server's hosts.
    ///   - waited: the time since the oldest open request to the server.
    ///   - turnTime: how long a turn has its slot; nil if that isn't known yet.
    ///   - sureTurnTime: the same by turns that have had theirs for a second: a host may send at once what it allows
    ///     for that, and answers that don't last wouldn't live to see the slots that seem to become free.
    ///   - soon: slots that will be free within the time of one answer and ``slack``, by their progress.
    func ahead(
        _ server: ProviderServer, jobs: Int, width: Int, waited: Double, turnTime: Double?, sureTurnTime: Double?,
        soon: Int
    ) -> Int {
        guard let facts = servers[server], let time = facts.time else {
            return self.turnTime != nil || waited >= Self.slow ? 1 : 0
        }
        guard time >= Self.shortest else { return 0 }
        let soon = facts.life > Self.reserve * (time + Self.slack) ? soon : 0
        guard let turnTime else {
            return facts.life.isFinite || facts.isSingleUse ? soon : min(facts.used, jobs) + jobs
        }
        let turn = max(turnTime, 0.001)
        let needed = (Double(width) * time / turn).rounded(.up) + (facts.isSingleUse ? 0 : Double(width))
        // All slots may become free at the same time.
        let lasting = lasting(facts.life, sureTurnTime, width)
        return max(soon, Int(min(needed, lasting, Double(facts.used + jobs))))
    }

    private func lasting(_ life: Double, _ turnTime: Double?, _ width: Int) -> Double {
        guard life.isFinite else { return .infinity }
        guard let turnTime else { return 0 }
        return (life / Self.reserve / max(turnTime, 0.001)).rounded(.down) * Double(width)
    }
}
