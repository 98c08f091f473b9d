/// Decides about a plugin's processes and the requests to it, without doing any I/O.
///
/// It takes events and returns actions. Requests are numbers chosen by the caller; `wire` is a request's id on its way
/// to a process, a new one each time it is sent.
///
/// The rules (docs/protocol.md, "When a plugin misbehaves"):
/// - A process that breaks affects its own pending requests. They are sent again one at a time, alone; one that is
///   alone twice when the plugin breaks fails.
/// - While the plugin has not answered since it broke, requests that never were alone in a broken process go before
///   those that were, so that other requests don't wait for a bad one.
/// - A wrong answer is a break caused by its request: that is sent once more in a fresh process; the old one finishes
///   its other requests.
/// - Three different requests that broke it without a good answer in between: everything fails, permanently. A repeated
///   break by the same request proves nothing new.
/// - No process is started while two others still have to end.
struct Supervision {
    enum Action: Equatable {
        case start(process: Int)
        /// Send a request to a process.
        case send(Int, wire: Int, process: Int)
        /// Deliver the answer that has just arrived to the caller.
        case deliver(Int)
        /// Close a process's standard input: it has no more work.
        case finish(process: Int)
        /// End a process now.
        case stop(process: Int)
        /// Fail a request.
        case fail(Int, Failure)
        /// Wait, then call ``Supervision/backedOff()``.
        case wait(Duration)
    }

    enum Failure: Equatable {
        /// The plugin is at fault, with this request only.
        case request(String)
        /// The plugin doesn't work.
        case provider(String)
        /// This machine lacks the resources to start a process.
        case machine(String)
        /// The run ends.
        case closed
    }

    private struct InFlight {
        var request: Int
        var process: Int
        var isAbandoned = false
    }

    /// The history of a request that ran into trouble.
    private struct Record {
        var breaksAlone = 0
        var wrongAnswers = 0
    }

    private enum Phase: Equatable {
        case ready
        case backingOff
        case broken(String)
        case closed
    }

    /// The kind of a process's answer.
    enum Answer: Equatable {
        case good
        /// An error of a kind unknown to the protocol: sent once more, but the plugin works.
        case unknownError(String)
        /// A violation of the protocol, with the reason.
        case wrong(String)
    }

    /// The number of ending processes that prevents the start of another one.
    static let leavingBound = 2
    private static let breakersBound = 3

    private let concurrency: Int
    private var phase = Phase.ready
    private var current: Int?
    /// Processes that get no more requests but still have open ones.
    private var retired: Set<Int> = []
    /// Processes that have been told to end and haven't yet.
    private var leaving: Set<Int> = []
    private var lastProcess = 0
    private var lastWire = 0
    private var inFlight: [Int: InFlight] = [:]
    private var load: [Int: Int] = [:]
    private var waiting = RequestQueue()
    private var suspects: [Int] = []
    private var solo: Int?
    private var records: [Int: Record] = [:]
    /// Since the last good answer.
    private var breaksInARow = 0
    /// Requests that broke the plugin since its last good answer.
    private var breakers: Set<Int> = []

    /// Makes a supervision for a plugin that can have `concurrency` requests in flight.
    init(concurrency: Int) {
        self.concurrency = max(1, concurrency)
    }

    /// The reason why the plugin is given up for good, if it is.
    var brokenReason: String? {
        if case .broken(let reason) = phase { reason } else { nil }
    }

    /// The request and process of an open wire id.
    func pending(wire: Int) -> (request: Int, process: Int)? {
        inFlight[wire].map { ($0.request, $0.process) }
    }

    /// Whether a request with this wire id was ever sent.
    func wasSent(wire: Int) -> Bool { (1...max(1, lastWire)).contains(wire) && lastWire > 0 }

    mutating func ask(_ request: Int) -> [Action] {
        switch phase {
        case .broken(let reason): return [.fail(request, .provider(reason))]
        case .closed: return [.fail(request, .closed)]
        case .ready, .backingOff:
            waiting.append(request)
            return pump()
        }
    }

    /// Abandons a request. One that was sent keeps its place until it is answered. Returns whether it was sent.
    @discardableResult
    mutating func abandon(_ request: Int) -> Bool {
        if waiting.remove(request) { return false }
        suspects.removeAll { $0 == request }
        records[request] = nil
        guard let wire = inFlight.first(where: { $0.value.request == request })?.key else { return false }
        inFlight[wire]?.isAbandoned = true
        return true
    }

    /// A process has answered one of its open requests.
    mutating func answered(wire: Int, _ answer: Answer = .good) -> [Action] {
        guard let entry = inFlight.removeValue(forKey: wire) else { return [] }
        load[entry.process, default: 1] -= 1
        if solo == wire { solo = nil }
        var actions: [Action] = []
        switch answer {
        case .good:
            breaksInARow = 0
            breakers = []
            if !records.isEmpty { records[entry.request] = nil }
            if !entry.isAbandoned { actions.append(.deliver(entry.request)) }
        case .unknownError(let reason):
            actions += takeWrongAnswer(entry, reason)
        case .wrong(let reason):
            breakers.insert(entry.request)
            if breakers.count == Self.breakersBound {
                return breakDown(reason, lost: entry.isAbandoned ? [] : [entry.request])
            }
            actions += takeWrongAnswer(entry, reason)
        }
        if retired.contains(entry.process), load[entry.process] == 0 { actions.append(release(entry.process)) }
        return actions + pump()
    }

    /// A process is lost: it crashed, hung or violated the protocol. `culprits` are the wire ids on which it hung.
    ///
    /// An unexpected end (`isClean`, nothing pending) is no fault. An unknown process has been handled already. One
    /// that `isRunning` has been told to end; ``gone(process:)`` reports when it has.
    mutating func lost(
        process: Int, reason: String, isClean: Bool = false, isRunning: Bool = false, culprits: Set<Int> = []
    ) -> [Action] {
        guard current == process || retired.contains(process) else { return [] }
        drop(process)
        if isRunning { leaving.insert(process) }
        let wires = inFlight.filter { $0.value.process == process }.map(\.key)
            .sorted { (culprits.contains($0) ? 1 : 0, $0) < (culprits.contains($1) ? 1 : 0, $1) }
        if wires.isEmpty, isClean { return pump() }
        breaksInARow += 1
        var pending: [Int] = []
        var lastRequest: Int?
        for wire in wires {
            if solo == wire { solo = nil }
            guard let entry = inFlight.removeValue(forKey: wire) else { continue }
            lastRequest = entry.request
            if !entry.isAbandoned { pending.append(entry.request) }
        }
        if wires.count == 1, let request = lastRequest { breakers.insert(request) }
        guard breakers.count < Self.breakersBound else { return breakDown(reason, lost: pending) }
        var actions: [Action] = []
        for request in pending {
            if wires.count == 1 { records[request, default: Record()].breaksAlone += 1 }
            if records[request]?.breaksAlone == 2 {
                records[request] = nil
                actions.append(.fail(request, .request(reason)))
            } else {
                suspects.append(request)
            }
        }
        guard phase == .ready else { return actions }
        phase = .backingOff
        actions.append(.wait(breaksInARow == 1 ? .milliseconds(100) : .milliseconds(500)))
        return actions
    }

    /// The plugin can't be started, nor will it be at the next attempt.
    mutating func cannotStart(process: Int, reason: String) -> [Action] {
        guard current == process else { return [] }
        drop(process)
        let wires = inFlight.filter { $0.value.process == process && !$0.value.isAbandoned }.keys.sorted()
        let pending = wires.compactMap { inFlight.removeValue(forKey: $0)?.request }
        return breakDown(reason, lost: pending)
    }

    /// A process has ended, or its end is not waited for any longer.
    mutating func gone(process: Int) -> [Action] {
        guard leaving.remove(process) != nil else { return [] }
        return pump()
    }

    /// No process was started for a reason that isn't the plugin's: all open requests fail, and the next request tries
    /// again.
    mutating func cannotStartNow(process: Int, reason: String) -> [Action] {
        guard current == process || retired.contains(process) else { return [] }
        drop(process)
        let lost = inFlight.filter { $0.value.process == process }.sorted { $0.key < $1.key }
        for (wire, _) in lost { inFlight[wire] = nil }
        solo = nil
        let open = lost.filter { !$0.value.isAbandoned }.map(\.value.request) + suspects + waiting.all
        suspects = []
        waiting = RequestQueue()
        for request in open { records[request] = nil }
        return open.map { .fail($0, .machine(reason)) }
    }

    /// The wait of a ``Action/wait(_:)`` is over.
    mutating func backedOff() -> [Action] {
        guard phase == .backingOff else { return [] }
        phase = .ready
        return pump()
    }

    /// The run ends: open requests fail, and every process is released.
    mutating func close() -> [Action] {
        let open = inFlight.values.filter { !$0.isAbandoned }.map(\.request).sorted() + suspects + waiting.all
        forgetAll()
        if phase != .closed { phase = .closed }
        return open.map { .fail($0, .closed) } + dropAll().map { .finish(process: $0) }
    }

    private mutating func takeWrongAnswer(_ entry: InFlight, _ reason: String) -> [Action] {
        guard !entry.isAbandoned else {
            records[entry.request] = nil
            return []
        }
        records[entry.request, default: Record()].wrongAnswers += 1
        guard records[entry.request]?.wrongAnswers == 1 else {
            records[entry.request] = nil
            return [.fail(entry.request, .request(reason))]
        }
        waiting.prepend(entry.request)
        guard current == entry.process else { return [] }
        current = nil
        retired.insert(entry.process)
        return []
    }

    private mutating func release(_ process: Int) -> Action {
        drop(process)
        leaving.insert(process)
        return .finish(process: process)
    }

    private mutating func breakDown(_ reason: String, lost: [Int]) -> [Action] {
        phase = .broken(reason)
        let open = inFlight.values.filter { !$0.isAbandoned }.map(\.request).sorted()
        let failed = lost + open + suspects + waiting.all
        forgetAll()
        return failed.map { .fail($0, .provider(reason)) } + dropAll().map { .stop(process: $0) }
    }

    /// Forgets a process that has no more work.
    private mutating func drop(_ process: Int) {
        if current == process { current = nil }
        retired.remove(process)
        load[process] = nil
    }

    /// Forgets all processes, and returns them.
    private mutating func dropAll() -> [Int] {
        let processes = retired.union([current].compactMap(\.self)).sorted()
        for process in processes { drop(process) }
        leaving.formUnion(processes)
        return processes
    }

    private mutating func forgetAll() {
        inFlight = [:]
        load = [:]
        suspects = []
        waiting = RequestQueue()
        solo = nil
        records = [:]
    }

    /// Starts a process if there is work and none is running, and sends the requests that may be sent.
    private mutating func pump() -> [Action] {
        guard phase == .ready, solo == nil, !(suspects.isEmpty && waiting.isEmpty) else { return [] }
        var actions: [Action] = []
        let process: Int
        if let current {
            process = current
        } else if leaving.count + retired.count >= Self.leavingBound {
            return []
        } else {
            lastProcess += 1
            process = lastProcess
            current = process
            load[process] = 0
            actions.append(.start(process: process))
        }
        while let (request, isAlone) = next(load: load[process, default: 0]) {
            lastWire += 1
            inFlight[lastWire] = InFlight(request: request, process: process)
            load[process, default: 0] += 1
            actions.append(.send(request, wire: lastWire, process: process))
            if isAlone {
                solo = lastWire
                break
            }
        }
        return actions
    }

    /// The next request for a process with `load` of them, and whether it must be alone.
    private mutating func next(load: Int) -> (request: Int, isAlone: Bool)? {
        guard !suspects.isEmpty || breaksInARow > 0 else {
            return load < concurrency ? waiting.popFirst().map { ($0, false) } : nil
        }
        guard load == 0 else { return nil }
        if let index = suspects.firstIndex(where: { (records[$0]?.breaksAlone ?? 0) == 0 }) {
            return (suspects.remove(at: index), true)
        }
        if breaksInARow > 0 || suspects.isEmpty, let request = waiting.popFirst() { return (request, true) }
        return suspects.isEmpty ? nil : (suspects.removeFirst(), true)
    }
}
