import CLibCurl
import Foundation

/// The transfers in progress and the loop that drives them; exists on the transfer thread only.
final class TransferLoop {
    private let inbox: Inbox
    private let multi: UnsafeMutableRawPointer
    private let easyHandles: EasyHandles
    private let pacing: Pacing
    private let quota: TransferQuota?
    private var transfers: [Int: Transfer] = [:]
    private var admission: Admission
    private var isStopping = false
    private var stopped: [CheckedContinuation<Void, Never>] = []
    /// The time of the last check for stalls.
    private var examined: Duration = .zero

    init(inbox: Inbox, configuration: TransferConfiguration) {
        self.inbox = inbox
        multi = inbox.multi.raw
        easyHandles = EasyHandles(configuration: configuration)
        pacing = Pacing(rate: configuration.bandwidth)
        quota = configuration.quota
        admission = Admission(perHost: configuration.connectionsPerHost, total: configuration.connections)
        cf_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(16, configuration.connections))
    }

    /// Runs until it is told to stop.
    func run() {
        Self.blockSignals()
        HostNameEncoding.useUTF8()
        while true {
            for command in inbox.takeAll() { obey(command) }
            if isStopping { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            harvest()
            resumeDue()
            examine()
            pacing.willListen()
            curl_multi_poll(multi, nil, 0, pollTimeout(), nil)
            pacing.didListen()
        }
        for transfer in Array(transfers.values) { finish(transfer, transfer.outcome(.shutDown)) }
        easyHandles.removeAll()
        inbox.close()
        for continuation in stopped { continuation.resume() }
    }

    private func obey(_ command: Inbox.Command) {
        switch command {
        case .start(let job): start(job)
        case .cancel(let id): transfers[id].map { finish($0, $0.outcome(.cancelled)) }
        case .bandwidth(let rate): pacing.setRate(rate)
        case .limitRate(let rate): pacing.setRateOfEach(rate)
        case .stop(let continuation):
            isStopping = true
            if let continuation { stopped.append(continuation) }
        }
    }

    private func start(_ job: TransferJob) {
        let request = job.request
        if let defect = request.defect { return job.refuse(.invalidRequest(defect)) }
        guard let policy = RedirectPolicy(url: request.url) else {
            return job.refuse(.invalidRequest("the URL isn't an absolute http or https URL"))
        }
        guard job.target.offset == request.offset else {
            return job.refuse(.invalidRequest("the partial isn't as long as the request says"))
        }
        if request.isComplete { return job.refuse(nil) }
        do throws(FileError) {
            var range: FileRange?
            if case .range(let given) = job.target { range = given }
            if case .partial(let partial) = job.target {
                range = try partial.take(partial.length..<Int64.max)
                if range == nil { return job.refuse(.invalidRequest("another transfer writes to the partial")) }
            }
            let transfer = Transfer(
                job: job, policy: policy, range: range, easy: easyHandles.take(), pacing: pacing,
                quota: quota)
            transfers[job.id] = transfer
            pacing.add(job.id, rate: request.limitRate)
            enter(transfer)
        } catch {
            job.refuse(.file(errno: error.errno))
        }
    }

    /// Sends the request of the current hop as soon as there is a connection for it.
    private func enter(_ transfer: Transfer) {
        guard transfer.isWithinReach else { return finish(transfer, .outOfReach) }
        if admission.enter(transfer.id, transfer.policy.current.origin) { send(transfer) }
    }

    private func send(_ transfer: Transfer) {
        transfer.configure(easyHandles)
        transfer.isRunning = true
        if curl_multi_add_handle(multi, transfer.easy) != CURLM_OK {
            transfer.isRunning = false
            finish(transfer, .network(.other(code: Int(CURLE_FAILED_INIT.rawValue))))
        }
    }

    private func harvest() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is gone once the handle is removed: read it first.
            let code = message.pointee.data.result
            var tag: UnsafeMutableRawPointer?
            cf_get_pointer(easy, CURLINFO_PRIVATE, &tag)
            guard let tag else { continue }
            ended(Unmanaged<Transfer>.fromOpaque(tag).takeUnretainedValue(), code)
        }
    }

    /// libcurl has finished the current request: continues with the next hop, or finishes.
    private func ended(_ transfer: Transfer, _ code: CURLcode) {
        switch transfer.ending(code) {
        case .finished(let failure):
            finish(transfer, failure)
        case .redirected(let location):
            leave(transfer)
            if let problem = transfer.policy.follow(location) { return finish(transfer, .redirect(problem)) }
            transfer.easy = easyHandles.exchange(transfer.easy)
            enter(transfer)
        }
    }

    private func finish(_ transfer: Transfer, _ failure: TransferFailure?) {
        guard transfers.removeValue(forKey: transfer.id) != nil else { return }
        leave(transfer)
        pacing.remove(transfer.id)
        easyHandles.giveBack(transfer.easy)
        transfer.finish(failure)
    }

    private func leave(_ transfer: Transfer) {
        if transfer.isRunning { curl_multi_remove_handle(multi, transfer.easy) }
        transfer.isRunning = false
        for id in admission.leave(transfer.id) { transfers[id].map(send) }
    }

    /// Continues throttled transfers that are due.
    private func resumeDue() {
        for id in pacing.due() {
            guard let transfer = transfers[id] else { continue }
            let code = transfer.resume()
            // Kept data is written within the call; libcurl doesn't report its errors later.
            if code != CURLE_OK { ended(transfer, code) }
        }
    }

    /// Checks for stalls and for unwanted bodies, at most five times a second.
    private func examine() {
        guard pacing.now - examined >= .milliseconds(200) else { return }
        examined = pacing.now
        for transfer in Array(transfers.values) {
            if transfer.isLingering(pacing.now) {
                ended(transfer, CURLE_WRITE_ERROR)
            } else if transfer.isStalled() {
                finish(transfer, transfer.outcome(.stalled))
            }
        }
    }

    /// The time to wait for an event, in milliseconds.
    private func pollTimeout() -> Int32 {
        guard !transfers.isEmpty else { return 60_000 }
        guard let wait = pacing.wait() else { return 250 }
        return min(250, Int32(wait / .milliseconds(1)) + 1)
    }

    /// OpenSSL may write to closed connections, and a file may exceed RLIMIT_FSIZE: both become errors then, instead of
    /// ending the process.
    private static func blockSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
