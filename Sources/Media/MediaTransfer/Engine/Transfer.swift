import CLibCurl
import Foundation
import NetworkAddresses

/// One transfer in progress: libcurl's handle, the file or buffer, and its progress.
///
/// Belongs to the transfer thread; ``TransferLoop`` keeps it alive as long as libcurl holds its address. The callbacks
/// allocate nothing for a chunk of the body.
final class Transfer: RedactedInPrint {
    /// The use of the current response's body.
    private enum Phase {
        case awaitingHead
        case body(BodyPlan)
        /// Read to its end, if that is near in bytes and time, so that the connection can be reused.
        case discarding(Ending)
    }

    /// The next step when libcurl has finished a request.
    enum Ending: RedactedInPrint {
        case finished(TransferFailure?)
        case redirected(String?)
    }

    /// The most bytes of an unwanted body that are read to keep the connection.
    private static let worthDiscarding: Int64 = 64 << 10
    /// The time limit for that.
    private static let worthLingering = Duration.milliseconds(250)
    /// The interval in bytes at which the digest gets the progress.
    private static let announcement: Int64 = 1 << 20

    let id: Int
    /// The handle of the current hop.
    var easy: UnsafeMutableRawPointer
    var policy: RedirectPolicy
    /// Whether libcurl is using the handle.
    var isRunning = false

    private let job: TransferJob
    /// Nil for a transfer into memory.
    private let range: FileRange?
    private let pacing: Pacing
    private let quota: TransferQuota?
    private let started = SuspendingClock.now
    private let origin: Int64
    private var length: Int64
    private var limit: Int64
    private var announced: Int64
    private var parser = HeadParser()
    private var head: ResponseHead?
    private var overlap: OverlapCheck?
    private var phase = Phase.awaitingHead
    private var discarded: Int64 = 0
    private var discardedSince: Duration?
    private var failure: TransferFailure?
    private var stall: StallDetector?
    private var scope: NetworkScope?
    private var fields: UnsafeMutablePointer<curl_slist>?

    init(
        job: TransferJob, policy: RedirectPolicy, range: FileRange?, easy: UnsafeMutableRawPointer,
        pacing: Pacing, quota: TransferQuota?
    ) {
        self.job = job
        self.policy = policy
        self.range = range
        self.easy = easy
        self.pacing = pacing
        self.quota = quota
        id = job.id
        origin = job.target.offset
        length = origin
        limit = origin
        announced = origin
    }

    deinit { curl_slist_free_all(fields) }

    /// Prepares the request of the current hop.
    func configure(_ handles: EasyHandles) {
        parser = HeadParser()
        phase = .awaitingHead
        discarded = 0
        discardedSince = nil
        overlap = nil
        stall = nil
        handles.configure(easy, isPaced: pacing.isLimiting)
        let me = Unmanaged.passUnretained(self).toOpaque()
        cf_set_string(easy, CURLOPT_URL, policy.url(for: job.request))
        cf_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(job.request.connectTimeout / .milliseconds(1))))
        if let range = job.request.rangeField { cf_set_string(easy, CURLOPT_RANGE, range) }
        curl_slist_free_all(fields)
        fields = nil
        for field in RequestFields.all(for: job.request, policy) {
            if let list = curl_slist_append(fields, field) { fields = list }
        }
        cf_set_list(easy, CURLOPT_HTTPHEADER, fields)
        cf_set_pointer(easy, CURLOPT_PRIVATE, me)
        cf_set_pointer(easy, CURLOPT_HEADERDATA, me)
        cf_set_pointer(easy, CURLOPT_WRITEDATA, me)
        cf_set_pointer(easy, CURLOPT_PREREQDATA, me)
        cf_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
            guard let bytes, let me else { return 0 }
            return Unmanaged<Transfer>.fromOpaque(me)._withUnsafeGuaranteedRef { $0.read(bytes, size * count) }
        }
        cf_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
            guard let bytes, let me else { return 0 }
            return Unmanaged<Transfer>.fromOpaque(me)._withUnsafeGuaranteedRef { $0.write(bytes, size * count) }
        }
        cf_set_prerequest_callback(easy, CURLOPT_PREREQFUNCTION) { me, address, _, _, _ in
            guard let me else { return CURL_PREREQFUNC_ABORT }
            let address = address.map { String(cString: $0) } ?? ""
            let mayAsk = Unmanaged<Transfer>.fromOpaque(me)._withUnsafeGuaranteedRef { $0.willAsk(address) }
            return mayAsk ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    /// Whether the current hop may be requested, according to its URL.
    var isWithinReach: Bool { allows(NetworkScope(literal: policy.current.origin.host) ?? .world) }

    private func allows(_ scope: NetworkScope) -> Bool {
        guard let confinement = job.request.confinement else { return true }
        return scope == .world || scope == confinement
    }

    /// Called with the address of the connection before the request is sent; false prevents it.
    private func willAsk(_ address: String) -> Bool {
        let host = policy.current.origin.host
        let named = NetworkScope(name: host)
        let isProxied = EnvironmentProxy.current.isUsed(scheme: policy.current.origin.scheme, host: host)
        let hop = isProxied ? named : NetworkScope(address: address) ?? named
        scope = scope == nil || scope == hop ? hop : .world
        guard allows(hop) else {
            failure = .outOfReach
            return false
        }
        stall = StallDetector(timeout: job.request.stallTimeout, listened: pacing.listened, received: arrived)
        return true
    }

    /// Takes one line of a header; 0 makes libcurl end the request.
    private func read(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        switch parser.feed(line) {
        case .more:
            return count
        case .refused(let problem):
            if case .discarding = phase { return 0 }
            phase = .discarding(.finished(outcome(.badResponse(problem))))
            return 0
        case .complete(let raw):
            return judge(raw) ? count : 0
        }
    }

    /// Decides about the response; false if its body needn't be read.
    private func judge(_ raw: RawHead) -> Bool {
        let head: ResponseHead
        do throws(BadResponse) {
            head = try ResponseHead(raw, origin: policy.current.origin, receivedAt: Date())
        } catch {
            phase = .discarding(.finished(.badResponse(error)))
            return false
        }
        switch ResponseJudge(request: job.request, isRedirected: policy.hops > 0).decide(raw, head) {
        case .accept(let plan):
            self.head = head
            phase = .body(plan)
            limit = plan.limit
            overlap = OverlapCheck(before: plan.start, count: job.request.overlap)
            if case .memory(let buffer) = job.target, let whole = plan.whole {
                guard buffer.reserve(Int(min(whole, plan.limit))) else {
                    phase = .discarding(.finished(.tooLong(.maximum)))
                    return false
                }
            }
            job.progress?.accept(head)
            return true
        case .complete:
            self.head = head
            job.progress?.accept(head)
            phase = .discarding(.finished(nil))
        case .redirect(let location):
            phase = .discarding(.redirected(location))
        case .refuse(let failure):
            self.head = head
            phase = .discarding(.finished(failure))
        }
        discardedSince = pacing.now
        let announced = raw.value("content-length").flatMap { ASCII.number($0) } ?? 0
        return head.framing != .untilClose && announced <= Self.worthDiscarding
    }

    /// Appends to the existing bytes, directly from libcurl's buffer; 0 makes libcurl end the request.
    private func write(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
        if quota?.isUsedUp == true {
            stall?.hold(pacing.listened)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        guard case .body = phase else {
            quota?.add(count)
            discarded += Int64(count)
            return discarded <= Self.worthDiscarding ? count : 0
        }
        if pacing.isLimiting, !pacing.take(id, count) {
            stall?.hold(pacing.listened)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        quota?.add(count)
        let again = compare(bytes, count)
        guard failure == nil else { return 0 }
        let (bytes, rest) = (bytes + again, count - again)
        let wanted = Int(min(Int64(rest), limit - length))
        if let range { return store(bytes, rest, atMost: wanted, in: range) ? count : 0 }
        if case .memory(let buffer) = job.target {
            guard buffer.append(UnsafeRawBufferPointer(start: bytes, count: wanted)) else {
                failure = .tooLong(.maximum)
                return 0
            }
            length += Int64(wanted)
        }
        job.progress?.set(received: length - origin)
        return noteSurplus(rest - wanted) ? count : 0
    }

    /// False if there are more bytes than promised.
    private func noteSurplus(_ count: Int) -> Bool {
        if count > 0, failure == nil, case .body(let plan) = phase { failure = .tooLong(plan.limitReason) }
        return failure == nil
    }

    /// Writes the next bytes of a file; false if that was all that is wanted, or can't go on.
    private func store(
        _ bytes: UnsafeMutablePointer<CChar>, _ count: Int, atMost limit: Int, in range: FileRange
    ) -> Bool {
        var own = 0
        // Its end may move while it writes.
        while failure == nil, own < limit, range.wanted.own > 0 {
            let step = Int(min(Int64(limit - own), range.wanted.own))
            store(bytes + own, step, in: range)
            own += step
        }
        job.progress?.set(received: length - origin)
        guard failure == nil else { return false }
        guard range.wanted.own == 0 else { return noteSurplus(count - own) }
        let repeated = Int(min(Int64(count - own), range.wanted.repeated))
        if repeated > 0 { range.keep(UnsafeRawBufferPointer(start: bytes + own, count: repeated)) }
        // With the response's last byte the connection can be kept.
        return !range.isDone || (own + repeated == count && range.wantedEnd == job.request.end)
    }

    /// Compares repeated bytes with the existing ones. Returns the number of those bytes.
    private func compare(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
        guard overlap?.isDone == false, let range else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        do throws(TransferFailure) {
            return try overlap?.take(bytes, from: range.descriptor) ?? 0
        } catch { failure = error }
        return 0
    }

    private func store(_ bytes: UnsafeMutablePointer<CChar>, _ wanted: Int, in range: FileRange) {
        var written = 0
        while written < wanted {
            let step = pwrite(range.descriptor.raw, bytes + written, wanted - written, off_t(length))
            if step > 0 {
                written += step
                length += Int64(step)
            } else if step == 0 || errno != EINTR {
                failure = .file(errno: step == 0 ? EIO : errno)
                break
            }
        }
        range.wrote(UnsafeRawBufferPointer(start: bytes, count: written))
        if length - announced >= Self.announcement {
            announced = length
            range.partial.digest?.announce(range.partial.length, in: range.descriptor)
        }
    }

    /// Continues after throttling.
    func resume() -> CURLcode {
        stall?.release(pacing.listened)
        return curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Whether the server delivers less than requested. Not while connecting, which has its own limit.
    func isStalled() -> Bool {
        guard isRunning else { return false }
        return stall?.isStalled(pacing.listened, received: arrived) ?? false
    }

    /// For the whole file: repeated bytes count once more, for the stall clock only.
    private var arrived: Int64 { length + (overlap?.done ?? 0) }

    /// Whether an unwanted body delays the next step.
    func isLingering(_ now: Duration) -> Bool {
        isRunning && discardedSince.map { now - $0 > Self.worthLingering } ?? false
    }

    /// The next step, from the result of libcurl's request.
    func ending(_ code: CURLcode) -> Ending {
        if case .discarding(let ending) = phase { return ending }
        return .finished(outcome(code.failure(of: easy)))
    }

    /// The result of the transfer if it ends now, with this problem; nil means that the file is complete.
    func outcome(_ problem: TransferFailure?) -> TransferFailure? {
        if let failure { return failure }
        switch phase {
        case .awaitingHead: return problem ?? .badResponse(.unreadable)
        case .body where range?.isDone == true: return nil
        case .body(let plan):
            let outcome = plan.outcome(length: length, problem: problem)
            guard overlap?.isDone == false, outcome == nil || outcome == .partOnly else { return outcome }
            return problem ?? .truncated(received: 0, expected: plan.whole.map { $0 - plan.start })
        case .discarding(.finished(let failure)): return failure
        case .discarding(.redirected): return problem
        }
    }

    /// Reports to the caller of the transfer.
    func finish(_ failure: TransferFailure?) {
        if let range { range.partial.giveBack(range) }
        job.continuation.resume(
            returning: TransferReport(
                head: head, url: head == nil ? nil : policy.current.text, scope: scope, received: length - origin,
                length: range?.partial.extents.count ?? length, failure: failure,
                seconds: (SuspendingClock.now - started) / .seconds(1)))
    }
}
