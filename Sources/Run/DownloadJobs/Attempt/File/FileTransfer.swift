import CourseCatalog
import MediaTransfer
import RunSchedule
import SyncFacts

/// The transfer of what is missing of one file: over the download's own connection, and over more of them where these
/// would stand idle.
///
/// As soon as a response says what the file is, by a strong entity tag and its size, another connection takes over half
/// of the part that has most left; one that is done does the same. The failure of another connection ends only that
/// one: what it hasn't brought is missing still, and the own one brings it. The failure of the own one ends all.
struct FileTransfer {
    private enum Part: Sendable {
        case own(TransferReport)
        case other(FileRange, TransferReport)
        case tick
    }

    /// What a response has said of the file.
    struct Identity: Sendable {
        var total: Int64
        var etag: String
        /// The bytes to compare where two responses meet.
        var overlap: Int64 { TransferRequest.overlap(of: etag, total: total) }

        init(total: Int64, etag: String) {
            self.total = total
            self.etag = etag
        }

        /// Of the bytes that a download has; nil if it isn't known, or proves nothing.
        init?(_ policy: AttemptPolicy) {
            guard let etag = policy.provenTag, let total = policy.total else { return nil }
            self.init(total: total, etag: etag)
        }
    }

    /// A part that is worth a connection.
    private static let least: Int64 = 128 << 10
    private static let tick = Duration.milliseconds(250)

    let context: DownloadContext
    let target: FileTarget
    let partial: PartialFile
    let answer: ResolvedMedia
    let connections: JobConnections
    /// Of the first request.
    let progress: TransferProgress
    /// Of bytes that are there already; otherwise the first response tells it.
    var identity: Identity?
    private var width: FileWidth
    /// Whether more connections than one are of no use for this file: its server answers others in another way, or the
    /// ranges can't be proven to be of one version.
    private(set) var isInVain = false
    /// Whether what follows the first gap or joint is to be dropped, since nothing will prove it.
    private(set) var isUnproven = false
    private let maySplit: Bool
    private var others: [FileRange] = []
    private var received: Int64 = 0
    /// The own connection has nothing to do, and its last report.
    private var idle: TransferReport?

    init(
        _ context: DownloadContext, _ partial: PartialFile, _ attempt: Attempt, target: FileTarget,
        progress: TransferProgress, identity: Identity?
    ) {
        maySplit = attempt.policy.maySplit
        self.context = context
        self.target = target
        self.partial = partial
        self.progress = progress
        self.identity = identity
        answer = attempt.answer
        connections = attempt.connections
        width = FileWidth(context.services.options.connectionsPerFile, at: .now)
    }

    /// Returns once all bytes are there and joined, or the own connection has failed. ``TransferFailure/partOnly`` if
    /// some have to be requested again.
    mutating func run(_ start: TransferRequest.Start) async -> TransferReport {
        let first: FileRange?
        do throws(FileError) {
            if let identity { partial.identify(total: identity.total, overlap: identity.overlap) }
            first = try identity == nil ? partial.take(partial.length..<Int64.max) : partial.takeNext(least: Self.least)
        } catch { return ended(nil, .file(errno: error.errno)) }
        // There is a gap, or something to drop.
        guard let first else { return ended(nil, .partOnly) }
        let last = await withTaskGroup(of: Part.self) { group in
            add(request(first, start), first, to: &group, progress: progress)
            if mayWiden { group.addTask { await Self.pause() } }
            var last: TransferReport?
            while let part = await group.next() {
                switch part {
                case .tick where last == nil:
                    if idle == nil { await adjust(&group) } else { last = goOn(nil, &group) }
                    group.addTask { await Self.pause() }
                case .tick: break
                case .own(let report):
                    received += report.received
                    if last == nil { last = report.failure == nil ? goOn(report, &group) : report }
                case .other(let range, let report):
                    received += report.received
                    others.removeAll { $0 === range }
                    if let failure = report.failure { width.failed(failure, others: others.count, at: .now) }
                    await connections.leave(answer.origin.text)
                    if last == nil { last = goOn(nil, &group) }
                }
                if last != nil { group.cancelAll() }
            }
            return last
        }
        return ended(last, last?.failure)
    }

    /// The report of all connections together.
    private mutating func ended(_ last: TransferReport?, _ failure: TransferFailure?) -> TransferReport {
        isInVain = width.isInVain || partial.conflict != nil
        var report = last ?? Self.nothing(failure)
        report.failure = failure
        if partial.conflict == .differs {
            report.failure = .identityChanged(.bytes)
        } else if failure == nil || failure == .partOnly, let identity, partial.length < identity.total {
            isUnproven = partial.conflict != nil || partial.missing(of: identity.total).isEmpty
            report.failure = .partOnly
        }
        report.received = received
        report.length = partial.extents.count
        return report
    }

    private static func nothing(_ failure: TransferFailure?) -> TransferReport {
        TransferReport(head: nil, received: 0, length: 0, failure: failure, seconds: 0)
    }

    // MARK: connections

    /// Whether more connections than one would be of use, and allowed.
    private var mayWiden: Bool { maySplit && width.mayGrow && !answer.isSingleUse }

    private static func pause() async -> Part {
        try? await Task.sleep(for: tick)
        return .tick
    }

    /// Gives the own connection its next part, if it has none. Returns the last report if there is nothing left to do.
    private mutating func goOn(_ own: TransferReport?, _ group: inout TaskGroup<Part>) -> TransferReport? {
        if let own { idle = own }
        guard partial.conflict == nil else { return idle ?? Self.nothing(.partOnly) }
        guard let report = idle, identity != nil else { return idle }
        guard let next = try? partial.takeNext(least: Self.least) else { return others.isEmpty ? report : nil }
        idle = nil
        add(request(next), next, to: &group)
        return nil
    }

    private func add(
        _ request: TransferRequest, _ range: FileRange, to group: inout TaskGroup<Part>,
        progress: TransferProgress? = nil
    ) {
        let engine = context.services.engine
        group.addTask { .own(await engine.fetch(request, into: range, progress: progress)) }
    }

    /// Opens and ends other connections.
    private mutating func adjust(_ group: inout TaskGroup<Part>) async {
        learn()
        guard let identity, partial.conflict == nil else { return }
        let host = answer.origin.text
        let count = partial.extents.count
        var wanted = width.wanted(
            others: others.count, received: count, remaining: identity.total - count, at: .now)
        // A limit on the rate of each download isn't for a part of one.
        if context.services.adjustable.limitRate != nil { wanted = 0 }
        if width.isAutomatic, !others.isEmpty, wanted >= others.count, await !connections.keeps() {
            wanted = others.count - 1
        }
        while others.count < wanted, await enter(host) {
            guard let next = try? partial.takeNext(least: Self.least) else { return await connections.leave(host) }
            others.append(next)
            let (request, engine) = (request(next), context.services.engine)
            group.addTask { .other(next, await engine.fetch(request, into: next)) }
        }
        if others.count > wanted { others.last?.end() }
    }

    private func enter(_ host: String) async -> Bool {
        width.isAutomatic ? await connections.widen(host) : await connections.enter(host)
    }

    /// The first response tells what the file is.
    private mutating func learn() {
        guard identity == nil, let head = progress.head, let etag = head.etag, let total = head.total else { return }
        let identity = Identity(total: total, etag: etag)
        self.identity = identity
        partial.identify(total: total, overlap: identity.overlap)
    }

    private func request(_ range: FileRange, _ start: TransferRequest.Start? = nil) -> TransferRequest {
        let part = range.remaining
        var start = start ?? .beginning
        if let identity {
            start = .piece(
                part, before: min(identity.overlap, range.continued),
                after: min(identity.overlap, identity.total - part.upperBound), total: identity.total,
                etag: identity.etag)
        }
        var request = answer.request(
            start: start, expectedSize: target.size, limitRate: context.services.adjustable.limitRate)
        (request.maxSize, request.maxUnsized) = (context.sizeLimit.known, context.sizeLimit.unknown)
        return request
    }
}
