import Logging
import ProviderKit
import Synchronization

/// The shell around ``Supervision``: carries out its decisions and reports events to it.
extension PluginProvider {
    /// An action to take after the lock is released.
    private enum Work: Sendable {
        case send(OutgoingRequest, wire: Int, PluginProcess)
        case resume(OpenRequest, Result<AnswerLine.Reply, ProviderError>)
        case finish(PluginProcess)
        case wait(Duration)
    }

    /// Lets `decide` choose actions, under the lock, and carries them out. `reply` is the one that `.deliver` delivers.
    func perform(reply: AnswerLine.Reply? = nil, _ decide: (inout PluginState) -> [Supervision.Action]) {
        let work = state.withLock { state in
            decide(&state).compactMap { prepare($0, reply, &state) }
        }
        for item in work { carryOut(item) }
    }

    private func prepare(_ action: Supervision.Action, _ reply: AnswerLine.Reply?, _ state: inout PluginState) -> Work?
    {
        switch action {
        case .start(let number):
            start(number, &state)
            return nil
        case .send(let request, let wire, let number):
            guard let process = state.processes[number], let open = state.open[request] else { return nil }
            state.deadlines.add(wire, after: plugin.manifest.timeout)
            return .send(state.sent(open), wire: wire, process)
        case .deliver(let request):
            guard let reply, let open = state.open.removeValue(forKey: request) else { return nil }
            return .resume(open, state.result(reply))
        case .fail(let request, let failure):
            return state.open.removeValue(forKey: request).map { .resume($0, .failure(error(failure))) }
        case .finish(let number):
            watchEnd(of: number, &state)
            return state.processes[number].map(Work.finish)
        case .stop(let number):
            stop(number, &state)
            return nil
        case .wait(let duration): return .wait(duration)
        }
    }

    private func start(_ number: Int, _ state: inout PluginState) {
        let process = PluginProcess(plugin.launch, timeouts: timeouts, listener: listener(number))
        state.processes[number] = process
        // Detached: a process belongs to the run, not to the first task that resolves.
        state.tasks[number] = Task.detached {
            let end = await process.run(watchdog: self.watchdog)
            self.hasEnded(number, end)
        }
        if state.timer == nil { state.timer = Task.detached { await self.watchTime() } }
    }

    /// Ends a process now.
    func stop(_ number: Int, _ state: inout PluginState) {
        state.processes[number]?.stop()
        watchEnd(of: number, &state)
    }

    /// Waits until a process that was told to end has ended, with a bound: one that KILL doesn't end either (for
    /// example, it waits for an unresponsive disk) counts as gone.
    private func watchEnd(of number: Int, _ state: inout PluginState) {
        guard state.processes[number] != nil, state.endings[number] == nil else { return }
        state.endings[number] = Task.detached { [timeouts] in
            do { try await Task.sleep(for: timeouts.untilGone) } catch { return }
            self.perform { $0.supervision.gone(process: number) }
        }
    }

    private func carryOut(_ work: Work) {
        switch work {
        case .send(let question, let wire, let process):
            do {
                let line = try question.line(wire: wire)
                line.withUnsafeBytes { trace("request", $0) }
                process.send(line)
            } catch {
                let reply = AnswerLine.Reply.error(
                    ProviderError(.invalidParameters, "a number can't be written as JSON"))
                perform(reply: reply) { $0.supervision.answered(wire: wire) }
            }
        case .resume(let open, let result): open.caller.resume(returning: result)
        case .finish(let process): process.finishInput()
        case .wait(let duration):
            Task.detached {
                try? await Task.sleep(for: duration)
                self.perform { $0.supervision.backedOff() }
            }
        }
    }

    private func error(_ failure: Supervision.Failure) -> ProviderError {
        switch failure {
        case .request(let reason):
            ProviderError(.pluginFault, "plugin \(plugin.name) failed for this request: \(reason)")
        case .provider(let reason): ProviderError(.providerFailed, "plugin \(plugin.name) doesn't work: \(reason)")
        case .machine(let reason):
            ProviderError(.machineExhausted, "can't start plugin \(plugin.name): \(reason)")
        case .closed: ProviderError(.cancelled, "the run is ending")
        }
    }

    private func hasEnded(_ number: Int, _ end: PluginProcess.End) {
        perform { state in
            defer {
                state.processes[number] = nil
                state.tasks[number] = nil
                state.endings.removeValue(forKey: number)?.cancel()
                // No answers to them can arrive any more.
                if state.processes.isEmpty { state.abandoned = [:] }
            }
            let actions =
                switch end {
                case .couldNotStart(let reason, isPermanent: true):
                    state.supervision.cannotStart(process: number, reason: state.quoting(number, reason))
                case .couldNotStart(let reason, isPermanent: false):
                    state.supervision.cannotStartNow(process: number, reason: reason)
                case .ended(let reason, let isClean):
                    state.supervision.lost(
                        process: number, reason: state.quoting(number, reason), isClean: isClean)
                }
            return actions + state.supervision.gone(process: number)
        }
    }

    /// Gives up processes that exceed the time limit for a request, until cancelled.
    private func watchTime() async {
        let limit = plugin.manifest.timeout
        while !Task.isCancelled {
            let wake = state.withLock { state in
                state.deadlines.next { state.supervision.pending(wire: $0) != nil } ?? .now + limit
            }
            do { try await Task.sleep(until: wake, clock: .suspending) } catch { return }
            perform { state in
                var culprits: [Int: Set<Int>] = [:]
                for wire in state.deadlines.takeDue(isOpen: { state.supervision.pending(wire: $0) != nil }) {
                    if let process = state.supervision.pending(wire: wire)?.process {
                        culprits[process, default: []].insert(wire)
                    }
                }
                return culprits.sorted { $0.key < $1.key }.flatMap { number, wires in
                    let silence = state.processes[number]?.silence(limit) ?? ""
                    stop(number, &state)
                    let reason = state.quoting(number, silence)
                    return state.supervision.lost(process: number, reason: reason, isRunning: true, culprits: wires)
                }
            }
        }
    }
}
