import Synchronization

/// The settings common to all transfers of an engine.
package struct TransferConfiguration: Sendable {
    /// Connections to one host at a time.
    package var connectionsPerHost = 16
    /// Connections at a time.
    package var connections = 64
    /// Bytes per second for all transfers together; nil for no limit.
    package var bandwidth: Int64?
    /// Bytes that all transfers together may receive; nil for no limit.
    package var quota: TransferQuota?
    /// A file of certificates (PEM) that are trusted in addition to the system's.
    package var caFile: String?
    /// The `User-Agent` of requests without their own.
    package var userAgent = "coursefetch"

    package init() {}
}

/// Moves bytes from URLs to partials, on one thread that drives one `curl_multi`.
///
/// Connections and TLS sessions are reused. Proxies come from the usual environment variables. TLS certificates are
/// always verified. The thread and libcurl start with the first transfer, and end with ``shutDown()`` or with the last
/// reference to the engine.
package final class TransferEngine: Sendable, RedactedInPrint {
    private enum State {
        case idle(TransferConfiguration)
        case running(Inbox)
        case closed
    }

    private let state: Mutex<State>

    /// Starts nothing yet.
    package init(configuration: TransferConfiguration = TransferConfiguration()) {
        state = Mutex(.idle(configuration))
    }

    deinit {
        if case .running(let inbox) = state.withLock({ $0 }) { inbox.post(.stop(nil)) }
    }

    /// Downloads one file, or the missing rest of it, and returns a report in every case. Cancelling the task ends the
    /// transfer at once and keeps the received bytes.
    ///
    /// Nothing is written before status, range, sizes and validators have been accepted. One transfer at a time for
    /// each partial, whose ``PartialFile/length`` has to be the start of the request.
    /// - Parameter progress: gets the header before the first byte is written, then the bytes.
    package func fetch(
        _ request: TransferRequest, into partial: PartialFile, progress: TransferProgress? = nil
    ) async -> TransferReport {
        await fetch(request, into: .partial(partial), progress)
    }

    /// Downloads a part of a file that ``PartialFile/take(_:)`` or ``PartialFile/takeNext(least:)`` has lent, and gives
    /// it back. The report has no failure once the part is complete, whatever is missing elsewhere.
    package func fetch(
        _ request: TransferRequest, into range: FileRange, progress: TransferProgress? = nil
    ) async -> TransferReport {
        await fetch(request, into: .range(range), progress)
    }

    /// Downloads a file, or ``TransferRequest/Start/range(_:)`` of one, into memory. Ends like a transfer into a
    /// partial; the buffer has to be empty, and bytes received before a failure stay in it.
    package func fetch(_ request: TransferRequest, into buffer: BodyBuffer) async -> TransferReport {
        await fetch(request, into: .memory(buffer), nil)
    }

    private func fetch(
        _ request: TransferRequest, into target: TransferTarget, _ progress: TransferProgress?
    ) async -> TransferReport {
        guard let inbox = start() else {
            if case .range(let range) = target { range.partial.giveBack(range) }
            return TransferReport(head: nil, received: 0, length: target.length, failure: .shutDown, seconds: 0)
        }
        let id = inbox.makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation {
                inbox.post(
                    .start(
                        TransferJob(id: id, request: request, target: target, progress: progress, continuation: $0)))
                // The start has overtaken an earlier cancellation.
                if Task.isCancelled { inbox.post(.cancel(id)) }
            }
        } onCancel: {
            inbox.post(.cancel(id))
        }
    }

    /// Changes the common bandwidth of all transfers, including those in progress; nil removes the limit.
    package func setBandwidth(_ bytesPerSecond: Int64?) {
        let inbox: Inbox? = state.withLock { state in
            switch state {
            case .idle(var configuration):
                configuration.bandwidth = bytesPerSecond
                state = .idle(configuration)
                return nil
            case .running(let inbox): return inbox
            case .closed: return nil
            }
        }
        inbox?.post(.bandwidth(bytesPerSecond))
    }

    /// Changes the rate of each transfer in progress; nil removes the limit. Later ones have their own.
    package func setLimitRate(_ bytesPerSecond: Int64?) {
        guard case .running(let inbox) = state.withLock({ $0 }) else { return }
        inbox.post(.limitRate(bytesPerSecond))
    }

    /// Ends every transfer with ``TransferFailure/shutDown``, and the thread, and waits for that. Later transfers end
    /// at once.
    package func shutDown() async {
        let inbox: Inbox? = state.withLock { state in
            defer { state = .closed }
            if case .running(let inbox) = state { return inbox }
            return nil
        }
        guard let inbox else { return }
        await withCheckedContinuation { inbox.post(.stop($0)) }
    }

    private func start() -> Inbox? {
        state.withLock { state in
            switch state {
            case .closed: return nil
            case .running(let inbox): return inbox
            case .idle(let configuration):
                let inbox = Inbox()
                NamedThread.start("transfer") { TransferLoop(inbox: inbox, configuration: configuration).run() }
                state = .running(inbox)
                return inbox
            }
        }
    }
}
