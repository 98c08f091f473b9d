import ChildProcess
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

private typealias PluginExecution = Execution<FileDescriptorInput, SequenceOutput, FileDescriptorOutput>

/// One process of a plugin: lines in, lines out, standard error to the log, and an end that leaves nothing behind.
///
/// It doesn't interpret the lines.
final class PluginProcess: Sendable {
    enum End: Sendable, Equatable {
        /// It never ran. A permanent reason will be the same at the next attempt; otherwise this machine lacks
        /// descriptors, processes or memory.
        case couldNotStart(String, isPermanent: Bool)
        /// It ran and ended; `isClean` is exit status 0.
        case ended(String, isClean: Bool)
    }

    /// The callbacks of a running process. Called on its own tasks, never two calls of one kind at once.
    struct Listener: Sendable {
        /// A line of standard output, without its LF.
        var line: @Sendable (UnsafeRawBufferPointer) -> Void
        /// Standard output or standard error exceeded a bound of the protocol; with the reason. No more lines follow.
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
        var hasFlooded = false
        /// The violation for which it was ended.
        var offence: String?
    }

    private let launch: PluginLaunch
    private let timeouts: PluginTimeouts
    private let listener: Listener
    private let state = Mutex(State())
    private let clock = ContinuousClock.now
    /// Lines to write, concatenated.
    private let pending = Mutex<[UInt8]>([])
    /// Signals that there are some; buffers one signal, however many came.
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

    /// Closes standard input once everything queued is written; then TERM and KILL, if necessary.
    func finishInput() {
        continuation.finish()
    }

    /// Ends the process now: TERM, then KILL. No further line is delivered.
    func stop() {
        state.withLock { $0.isStopped = true }
        continuation.finish()
        stopContinuation.yield()
    }

    /// Notes an answer of the plugin, which resets the measure of a flood on standard error.
    func noteAnswer() {
        state.withLock { state in
            state.stderr.answered()
            state.hasAnswered = true
        }
    }

    /// The message when it doesn't answer a request in this time.
    func silence(_ limit: Duration) -> String {
        // The usual cause if there has been no answer at all.
        let hint = state.withLock { $0.hasAnswered } ? "" : "; does it flush stdout?"
        return "it didn't answer within \(Int((limit / .seconds(1)).rounded(.up))) s\(hint)"
    }

    /// The last lines of standard error.
    func lastLines() -> [String] {
        state.withLock { $0.stderr.lastLines(5) }
    }

    /// Runs the process until it has ended and its process group is gone. Called once.
    func run(watchdog: OrphanWatchdog) async -> End {
        if let lack = await lastingLack() { return End(lack, launch: launch) }
        var options = PlatformOptions()
        options.processGroupID = 0
        let variables = launch.environment.compactMap { name, value in
            Environment.Key(rawValue: name).map { ($0, value) }
        }
        do {
            let (stdin, stderr) = (try ChildPipe(.writes), try ChildPipe(.reads))
            let result = try await Subprocess.run(
                .path(launch.executable), arguments: Arguments(launch.arguments),
                environment: .custom(Dictionary(variables) { $1 }), workingDirectory: launch.folder,
                platformOptions: options, input: .fileDescriptor(stdin.childEnd, closeAfterSpawningProcess: false),
                output: .sequence, error: .fileDescriptor(stderr.childEnd, closeAfterSpawningProcess: false)
            ) { execution in
                stdin.started()
                stderr.started()
                let group = execution.processIdentifier.value
                await watchdog.register(group: group)
                defer { watchdog.unregister(group: group) }
                await self.serve(execution, stdin, stderr)
            }
            for line in state.withLock({ $0.stderr.finish() }) { listener.log(line) }
            return end(result.terminationStatus)
        } catch let error as SubprocessError {
            return End(error, launch: launch)
        } catch let error as Errno {
            return End(error, launch: launch)
        } catch {
            return .couldNotStart("\(error)", isPermanent: false)
        }
    }

    /// The reason why no process can be started, if it lasts: downloads and processes that are about to end give their
    /// descriptors back within moments.
    private func lastingLack() async -> Errno? {
        let clock = ContinuousClock()
        let end = clock.now + timeouts.untilDescriptors
        while let lack = DescriptorReserve.lack() {
            guard clock.now < end, !state.withLock({ $0.isStopped }) else { return lack }
            do { try await clock.sleep(for: .milliseconds(50)) } catch { return lack }
        }
        return nil
    }

    /// What has ended.
    private enum Step {
        case lines, log, process, other
    }

    /// Runs writer and readers until both outputs have ended. Never throws, since after an error `Subprocess.run` would
    /// forget the group as soon as its leader has obeyed TERM.
    private func serve(_ execution: PluginExecution, _ stdin: ChildPipe, _ stderr: ChildPipe) async {
        await withTaskGroup(of: Step.self) { group in
            group.addTask {
                await self.write(to: stdin, execution)
                return .other
            }
            group.addTask {
                for await _ in self.stopRequests { await self.terminate(execution) }
                return .other
            }
            group.addTask {
                await self.readLog(stderr)
                return .log
            }
            group.addTask {
                await self.readLines(of: execution)
                self.state.withLock { $0.hasClosedOutput = true }
                self.continuation.finish()
                return .lines
            }
            var open: Set<Step> = [.log, .lines]
            while !open.isEmpty, let step = await group.next() {
                open.remove(step)
                if step == .process { break }
                guard step == .lines else { continue }
                // A process that it has left may hold its standard error open for ever.
                group.addTask {
                    await Self.untilEnded(execution.processIdentifier.value)
                    return .process
                }
            }
            group.cancelAll()
            // Ends the rest of the group, while the leader isn't reaped yet and its number can't be reused. This also
            // frees a writer that is blocked by a full pipe.
            await terminate(execution)
        }
    }

    /// The only writer: concurrent writes to a full pipe would lose bytes.
    private func write(to stdin: ChildPipe, _ execution: PluginExecution) async {
        for await _ in outbox {
            let lines = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            guard !lines.isEmpty else { continue }
            guard await stdin.write(lines) == lines.count else {
                state.withLock { $0.offence = "it closed its standard input" }
                break
            }
        }
        stdin.finish()
        let wait = state.withLock { $0.isStopped || $0.offence != nil } ? .zero : timeouts.afterEndOfInput
        // Cancelled as soon as both outputs have ended.
        do { try await Task.sleep(for: wait) } catch { return }
        state.withLock { if $0.hasClosedOutput, $0.offence == nil { $0.offence = "it closed its standard output" } }
        await terminate(execution)
    }

    private func readLog(_ stderr: ChildPipe) async {
        await stderr.read { bytes in
            let (lines, isFlood) = self.state.withLock { state in
                let lines = state.stderr.feed(bytes, now: ContinuousClock.now - self.clock)
                defer { state.hasFlooded = state.stderr.isFlood }
                return (lines, state.stderr.isFlood && !state.hasFlooded)
            }
            for line in lines { self.listener.log(line) }
            if isFlood {
                self.listener.violation("it wrote more than \(StderrLog.floodBound >> 20) MiB to standard error")
            }
        }
    }

    /// Returns when a process has ended that isn't reaped yet, or the task was cancelled.
    private static func untilEnded(_ process: pid_t) async {
        var facts = siginfo_t()
        var pause = Duration.milliseconds(1)
        while waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT) == 0, facts.si_signo == 0 {
            do { try await Task.sleep(for: pause) } catch { return }
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    private func readLines(of execution: PluginExecution) async {
        var splitter = LineSplitter(limit: Self.lineBound)
        var isBroken = false
        do {
            for try await buffer in execution.standardOutput {
                state.withLock { $0.hasSaidAnything = true }
                // Output after a violation or a stop is drained and dropped.
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

    /// TERM to the group, KILL if its leader is still there after its time, and KILL to the rest.
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
        // The exit codes of a shell and env for a missing command.
        case .exited(let code) where (126...127).contains(code) && !hasSaidAnything:
            return .couldNotStart("it ended with exit status \(code), before it wrote anything", isPermanent: true)
        case .exited(let code): return .ended("it ended with exit status \(code)", isClean: false)
        case .signaled(let signal): return .ended(offence ?? "it was ended by signal \(signal)", isClean: false)
        }
    }
}

extension PluginProcess.End {
    /// The reason why no process was started. Temporary reasons (no memory, no descriptors, too many processes) aren't
    /// permanent.
    fileprivate init(_ error: SubprocessError, launch: PluginLaunch) {
        // Whichever step failed: even the folder can't be entered when nothing can be opened.
        if let cause = error.underlyingError.flatMap({ cause in Self.passing.first { $0 == cause } }) {
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

    /// The reason why a pipe for it couldn't be made.
    fileprivate init(_ error: Errno, launch: PluginLaunch) {
        self =
            Self.passing.contains(error)
            ? .couldNotStart(error.exhausted, isPermanent: false)
            : .couldNotStart("\(launch.executable) can't be started: \(error)", isPermanent: true)
    }

    /// What this machine lacks for the moment.
    private static let passing: [Errno] = [
        .noMemory, .resourceTemporarilyUnavailable, .tooManyOpenFiles, .tooManyOpenFilesInSystem,
    ]
}
