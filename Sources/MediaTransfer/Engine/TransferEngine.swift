import Synchronization

/// What holds for all transfers of an engine.
package struct TransferConfiguration: Sendable {
    /// Connections to one host at a time.
    package var connectionsPerHost = 16
    /// Connections at a time.
    package var connections = 64
    /// Bytes a second for all transfers together; nil without bound.
    package var bandwidth: Int64?
    /// Bytes that all transfers together may receive; nil without bound.
    package var quota: TransferQuota?
    /// A file of certificates (PEM) that are trusted beside the system's.
    package var caFile: String?
    /// What the requests call themselves, unless a request has a `User-Agent` of its own.
    package var userAgent = "coursefetch"

    /// The defaults.
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

    /// Fetches one file, or what is missing of it, and ends with a report in every case. Cancelling the task ends the
    /// transfer at once and keeps what has arrived.
    ///
    /// Nothing is written before status, range, sizes and validators have been found good. One transfer at a time for
    /// each partial, whose ``PartialFile/length`` has to be where the request starts.
    /// - Parameter progress: hears of the head before the first byte is written, then of the bytes.
    package func fetch(
        _ request: TransferRequest, into partial: PartialFile, progress: TransferProgress? = nil
    ) async -> TransferReport {
        await fetch(request, into: .partial(partial), progress)
    }

    /// Fetches a file, or ``TransferRequest/Start/range(_:)`` of one, into memory. Ends as a fetch into
    /// a partial does; the buffer has to be empty, and what has arrived before a failure stays in it.
    package func fetch(_ request: TransferRequest, into buffer: BodyBuffer) async -> TransferReport {
        await fetch(request, into: .memory(buffer), nil)
    }

    private func fetch(
        _ request: TransferRequest, into target: TransferTarget, _ progress: TransferProgress?
    ) async -> TransferReport {
        guard let inbox = start() else {
            return TransferReport(head: nil, received: 0, length: target.length, failure: .shutDown, seconds: 0)
        }
        let id = inbox.makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation {
                inbox.post(
                    .start(
                        TransferJob(id: id, request: request, target: target, progress: progress, continuation: $0)))
                // A cancellation that came before the start has been overtaken by it.
                if Task.isCancelled { inbox.post(.cancel(id)) }
            }
        } onCancel: {
            inbox.post(.cancel(id))
        }
    }

    /// Changes the bandwidth of all transfers together, those in progress included; nil takes the bound away.
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

    /// Changes the rate of each of the transfers in progress; nil takes the bound away. Later ones bring their own.
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
