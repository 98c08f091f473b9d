import Synchronization

/// A requested transfer.
struct TransferJob: Sendable, RedactedInPrint {
    var id: Int
    var request: TransferRequest
    var target: TransferTarget
    var progress: TransferProgress?
    var continuation: CheckedContinuation<TransferReport, Never>

    /// Ends it before it has begun.
    func refuse(_ failure: TransferFailure?) {
        if case .range(let range) = target { range.partial.giveBack(range) }
        continuation.resume(
            returning: TransferReport(head: nil, received: 0, length: target.length, failure: failure, seconds: 0))
    }
}

/// The only way from other threads to the transfer thread.
final class Inbox: Sendable, RedactedInPrint {
    /// The commands of other threads.
    enum Command: Sendable, RedactedInPrint {
        case start(TransferJob)
        case cancel(Int)
        case bandwidth(Int64?)
        /// The rate of each transfer in progress.
        case limitRate(Int64?)
        case stop(CheckedContinuation<Void, Never>?)
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let lastID = Atomic(0)
    let multi = MultiHandle()

    func makeID() -> Int { lastID.add(1, ordering: .relaxed).newValue }

    func post(_ command: Command) {
        let (isFirst, isClosed) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            state.commands.append(command)
            return (state.commands.count == 1, false)
        }
        if isFirst { multi.wakeUp() }
        if isClosed { Self.refuse(command) }
    }

    func takeAll() -> [Command] {
        state.withLock { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return state.commands
        }
    }

    /// Refuses remaining and later commands.
    func close() {
        let rest = state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
        rest.forEach(Self.refuse)
    }

    private static func refuse(_ command: Command) {
        switch command {
        case .start(let job): job.refuse(.shutDown)
        case .cancel, .bandwidth, .limitRate: break
        case .stop(let continuation): continuation?.resume()
        }
    }
}
