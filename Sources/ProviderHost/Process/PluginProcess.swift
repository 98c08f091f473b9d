import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

private typealias PluginExecution = Execution<CustomWriteInput, SequenceOutput, SequenceOutput>

/// One process of a plugin: lines in, lines out, standard error to the log, and an end that leaves nothing behind.
///
/// It knows nothing of what the lines mean.
final class PluginProcess: Sendable {
    /// How a process ended.
    enum End: Sendable, Equatable {
        /// It never ran. A permanent reason will be the same at the next attempt; another one is this machine's, which has
        /// no descriptors, processes or memory left.
        case couldNotStart(String, isPermanent: Bool)
        /// It ran and ended; `isClean` is exit status 0.
        case ended(String, isClean: Bool)
    }

    /// What a process tells while it runs. Called on its own tasks, never two calls of one kind at once.
    struct Listener: Sendable {
        /// A line of standard output, without its LF.
        var line: @Sendable (UnsafeRawBufferPointer) -> Void
        /// Standard output or standard error broke a bound of the protocol; says which. Lines stop coming.
        var violation: @Sendable (String) -> Void
        /// A line of standard error for the log.
        var log: @Sendable (String) -> Void
    }

    /// The longest line that a plugin may write, in bytes.
    static let lineBound = 1 << 20

    private struct State {
        var stderr = StderrLog()
        var isStopped = false
        var hasSaidAnything = false
        var hasAnswered = false
        var hasClosedOutput = false
        /// What it did that made it end only when it was told to.
        var offence: String?
    }

    private let launch: PluginLaunch
    private let timeouts: PluginTimeouts
    private let listener: Listener
    private let state = Mutex(State())
    private let clock = ContinuousClock.now
    /// Lines that are not written yet, one behind the other.
    private let pending = Mutex<[UInt8]>([])
    /// Says that there are some; buffers once, however many came.
    private let outbox: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let stopRequests: AsyncStream<Void>
    private let stopContinuation: AsyncStream<Void>.Continuation

    init(_ launch: PluginLaunch, timeouts: PluginTimeouts, listener: Listener) {
        self.launch = launch
        self.timeouts = timeouts
        self.listener = listener
        (outbox, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (stopRequests, stopContinuation) = AsyncStream.makeStream()
    }

    /// Queues a line, LF included, for standard input.
    func send(_ line: [UInt8]) {
        pending.withLock { $0.append(contentsOf: line) }
        continuation.yield()
    }

    /// Closes standard input once everything queued is written; then TERM and KILL, if need be.
    func finishInput() {
        continuation.finish()
    }

    /// Ends the process now: TERM, then KILL. No further line is delivered.
    func stop() {
        state.withLock { $0.isStopped = true }
        continuation.finish()
        stopContinuation.yield()
    }

    /// Notes that the plugin has answered, which is what a flood of standard error is measured against.
    func noteAnswer() {
        state.withLock { state in
            state.stderr.answered()
            state.hasAnswered = true
        }
    }

    /// What is said of it when it lets a request wait for so long.
    func silence(_ limit: Duration) -> String {
        // The usual cause, where there has been no answer at all.
        let hint = state.withLock { $0.hasAnswered } ? "" : "; does it flush stdout?"
        return "it didn't answer within \(Int((limit / .seconds(1)).rounded(.up))) s\(hint)"
    }

    /// The last lines of standard error.
    func lastLines() -> [String] {
        state.withLock { $0.stderr.lastLines(5) }
    }

    /// Runs the process until it has ended and its process group is gone. Called once.
    func run(watchdog: OrphanWatchdog) async -> End {
        if let lack = DescriptorRoom.lack() { return .couldNotStart(lack.exhausted, isPermanent: false) }
        var options = PlatformOptions()
        options.processGroupID = 0
        let variables = launch.environment.compactMap { name, value in
            Environment.Key(rawValue: name).map { ($0, value) }
        }
        do {
            let result = try await Subprocess.run(
                .path(launch.executable), arguments: Arguments(launch.arguments),
                environment: .custom(Dictionary(variables) { $1 }), workingDirectory: launch.folder,
                platformOptions: options, input: .inputWriter, output: .sequence, error: .sequence
            ) { execution in
                let group = execution.processIdentifier.value
                await watchdog.register(group: group)
                defer { watchdog.unregister(group: group) }
                await self.serve(execution)
            }
            for line in state.withLock({ $0.stderr.finish() }) { listener.log(line) }
            return end(result.terminationStatus)
        } catch let error as SubprocessError {
            return End(error, launch: launch)
        } catch {
            return .couldNotStart("\(error)", isPermanent: false)
        }
    }

    /// Runs writer and readers until both outputs have ended. Never throws: the body of `Subprocess.run` must not,
    /// since the group would then be forgotten once its leader has obeyed TERM.
    private func serve(_ execution: PluginExecution) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.write(to: execution)
                return false
            }
            group.addTask {
                for await _ in self.stopRequests { await self.terminate(execution) }
                return false
            }
            group.addTask {
                await self.readLog(of: execution)
                return true
            }
            group.addTask {
                await self.readLines(of: execution)
                self.state.withLock { $0.hasClosedOutput = true }
                self.continuation.finish()
                return true
            }
            var open = 2
            while open > 0, let ended = await group.next() { open -= ended ? 1 : 0 }
            group.cancelAll()
            // Ends whoever is left of the group, while the leader isn't reaped yet and its number can't belong to
            // anybody else. It also frees a writer that is stuck on a full pipe.
            await terminate(execution)
        }
    }

    /// The one writer: concurrent writes to a full pipe would lose bytes.
    private func write(to execution: PluginExecution) async {
        for await _ in outbox {
            let lines = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            guard !lines.isEmpty else { continue }
            let count = (try? await execution.standardInputWriter.write(lines)) ?? 0
            guard count == lines.count else {
                state.withLock { $0.offence = "it closed its standard input" }
                break
            }
        }
        try? await execution.standardInputWriter.finish()
        let wait = state.withLock { $0.isStopped || $0.offence != nil } ? .zero : timeouts.afterEndOfInput
        // Cancelled as soon as both outputs have ended.
        do { try await Task.sleep(for: wait) } catch { return }
        state.withLock { if $0.hasClosedOutput, $0.offence == nil { $0.offence = "it closed its standard output" } }
        await terminate(execution)
    }

    private func readLog(of execution: PluginExecution) async {
        var hasFlooded = false
        do {
            for try await buffer in execution.standardError {
                let (lines, isFlood) = buffer.withUnsafeBytes { bytes in
                    state.withLock { ($0.stderr.feed(bytes, now: ContinuousClock.now - clock), $0.stderr.isFlood) }
                }
                for line in lines { listener.log(line) }
                if isFlood, !hasFlooded {
                    hasFlooded = true
                    listener.violation("it wrote more than \(StderrLog.floodBound >> 20) MiB to standard error")
                }
            }
        } catch {
            listener.log("can't read its standard error: \(error)")
        }
    }

    private func readLines(of execution: PluginExecution) async {
        var splitter = LineSplitter(limit: Self.lineBound)
        var isBroken = false
        do {
            for try await buffer in execution.standardOutput {
                state.withLock { $0.hasSaidAnything = true }
                // What comes after a violation or a stop is drained and dropped.
                if isBroken || state.withLock({ $0.isStopped }) { continue }
                do {
                    try buffer.withUnsafeBytes { bytes in
                        try splitter.feed(bytes) { if !state.withLock({ $0.isStopped }) { listener.line($0) } }
                    }
                } catch {
                    isBroken = true
                    listener.violation("it wrote a line of more than \(Self.lineBound >> 20) MiB")
                }
            }
        } catch {
            listener.violation("its standard output can't be read: \(error)")
        }
    }

    /// TERM to the group, KILL when its leader is still there after its time, and KILL to whoever is left.
    private func terminate(_ execution: PluginExecution) async {
        await execution.teardown(using: [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: timeouts.afterTerminate)
        ])
        try? execution.send(signal: .kill, toProcessGroup: true)
    }

    private func end(_ status: TerminationStatus) -> End {
        let (offence, hasSaidAnything) = state.withLock { ($0.offence, $0.hasSaidAnything) }
        switch status {
        case .exited(0): return .ended("it ended without answering", isClean: true)
        // A shell's and env's way to say that there is no such command.
        case .exited(let code) where (126...127).contains(code) && !hasSaidAnything:
            return .couldNotStart("it ended with exit status \(code), before it wrote anything", isPermanent: true)
        case .exited(let code): return .ended("it ended with exit status \(code)", isClean: false)
        case .signaled(let signal): return .ended(offence ?? "it was ended by signal \(signal)", isClean: false)
        }
    }
}

extension PluginProcess.End {
    /// Why no process came to be. What goes away by itself (no memory, no descriptors, too many processes) isn't
    /// permanent.
    fileprivate init(_ error: SubprocessError, launch: PluginLaunch) {
        let passing: [Errno] = [
            .noMemory, .resourceTemporarilyUnavailable, .tooManyOpenFiles, .tooManyOpenFilesInSystem,
        ]
        // Whatever could not be done for it: the folder can't be entered either when nothing can be opened.
        if let cause = error.underlyingError.flatMap({ cause in passing.first { $0 == cause } }) {
            self = .couldNotStart(cause.exhausted, isPermanent: false)
            return
        }
        switch error.code {
        case .failedToChangeWorkingDirectory:
            self = .couldNotStart("can't change to its folder \(launch.folder)", isPermanent: true)
        case .executableNotFound:
            self = .couldNotStart("\(launch.executable) can't be executed", isPermanent: true)
        default:
            let reason = error.underlyingError.map { ": \($0)" } ?? ""
            self = .couldNotStart("\(launch.executable) can't be started\(reason)", isPermanent: true)
        }
    }
}
