import CLibCurl
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The thread that makes all requests, and keeps their connections for the next ones.
///
/// It is started by the first request: a provider that makes none pays nothing for it.
///
/// `@unchecked Sendable`: other threads use the inbox and `curl_multi_wakeup`, the one function that libcurl allows on
/// any thread.
final class CurlThread: @unchecked Sendable {
    static let shared = CurlThread()

    private struct Job {
        let exchange: CurlExchange
        let done: @Sendable (Result<HTTPResponse, CurlFailure>) -> Void
    }

    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex<[Job]>([])
    /// Those on their way, by their handles. Belongs to the thread.
    private var active: [UnsafeMutableRawPointer: Job] = [:]

    private init() {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init() else {
            fatalError("curl_multi_init: out of memory")
        }
        self.multi = multi
        DispatchQueue(label: "http").async { self.loop() }
    }

    /// Makes the request of `exchange`, and returns its result once it is complete, or the task is cancelled.
    func run(_ exchange: CurlExchange) async -> Result<HTTPResponse, CurlFailure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                inbox.withLock { $0.append(Job(exchange: exchange) { continuation.resume(returning: $0) }) }
                curl_multi_wakeup(multi)
            }
        } onCancel: {
            exchange.cancel()
            curl_multi_wakeup(multi)
        }
    }

    private func loop() -> Never {
        // libidn2 reads host names in the encoding of the locale, which is ASCII in a program that sets none.
        if let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) { uselocale(locale) }
        while true {
            for job in inbox.withLock({ jobs in
                defer { jobs = [] }
                return jobs
            }) { start(job) }
            for (easy, job) in active where job.exchange.isCancelled {
                curl_multi_remove_handle(multi, easy)
                finish(easy, CURLE_ABORTED_BY_CALLBACK)
            }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            harvest()
            curl_multi_poll(multi, nil, 0, 1000, nil)
        }
    }

    private func start(_ job: Job) {
        guard let easy = job.exchange.prepare() else {
            return job.done(job.exchange.finish(CURLE_OUT_OF_MEMORY))
        }
        active[easy] = job
        if curl_multi_add_handle(multi, easy) != CURLM_OK { finish(easy, CURLE_FAILED_INIT) }
    }

    private func harvest() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is gone once the handle is removed: read it first.
            let code = message.pointee.data.result
            curl_multi_remove_handle(multi, easy)
            finish(easy, code)
        }
    }

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let job = active.removeValue(forKey: easy) else { return }
        job.done(job.exchange.finish(code))
    }
}
