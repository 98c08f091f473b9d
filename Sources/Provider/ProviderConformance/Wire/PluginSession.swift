import ChildProcess
import Foundation
import ProviderHost
import Subprocess
import Synchronization
import SystemPackage

private typealias SessionExecution = Execution<FileDescriptorInput, SequenceOutput, FileDescriptorOutput>

/// One process of the plugin under check: bytes in, lines out, uninterpreted, as the host's own use would hide faults.
///
/// ``end()`` must be called. After it nothing of the process group is left.
final class PluginSession: Sendable {
    /// The longest line of the protocol, in bytes.
    static let lineBound = 1 << 20
    /// The kept bytes of stderr.
    private static let stderrBound = 1 << 20

    private enum Command: Sendable {
        case write([UInt8])
        case closeInput
    }

    private struct State {
        var group: pid_t?
        var stderr: [UInt8] = []
        var status: Int32?
        var cannotStart: String?
    }

    private let launch: PluginLaunch
    private let watchdog: OrphanWatchdog
    private let inbox = SessionInbox()
    private let state = Mutex(State())
    private let commands: AsyncStream<Command>
    private let commander: AsyncStream<Command>.Continuation
    private let stopRequests: AsyncStream<Void>
    private let stopper: AsyncStream<Void>.Continuation
    private let running = Mutex<Task<Void, Never>?>(nil)

    init(_ launch: PluginLaunch, watchdog: OrphanWatchdog) {
        BrokenPipes.ignore
        self.launch = launch
        self.watchdog = watchdog
        (commands, commander) = AsyncStream.makeStream()
        (stopRequests, stopper) = AsyncStream.makeStream()
        let task = Task.detached { await self.run() }
        running.withLock { $0 = task }
    }

    /// The process group; nil before it is started and if it can't be.
    var group: pid_t? { state.withLock { $0.group } }
    /// Why it can't be started.
    var cannotStart: String? { state.withLock { $0.cannotStart } }
    /// How it ended, once ``end()`` has returned: its exit status, or the negative number of the signal.
    var status: Int32? { state.withLock { $0.status } }
    /// Its stderr, up to 1 MiB.
    var stderr: String { String(decoding: state.withLock { $0.stderr }, as: UTF8.self) }

    /// Writes bytes to its stdin, after all earlier ones.
    func write(_ bytes: [UInt8]) { commander.yield(.write(bytes)) }

    /// Closes its stdin, once everything is written.
    func closeInput() { commander.yield(.closeInput) }

    /// The next line of its stdout.
    func next(until deadline: ContinuousClock.Instant) async -> SessionInbox.Item {
        await inbox.next(until: deadline)
    }

    /// Sends a signal to its group.
    func signal(_ number: Int32) {
        if let group { _ = kill(-group, number) }
    }

    /// Whether the process itself has ended within this time. It isn't reaped before ``end()``.
    func hasEnded(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while true {
            if isZombie { return true }
            if ContinuousClock.now >= deadline { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private var isZombie: Bool {
        guard let group else { return cannotStart != nil }
        var info = siginfo_t()
        guard waitid(P_PID, id_t(group), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
        return info.si_signo != 0
    }

    /// Ends the process: closes its stdin and gives it `grace` before KILL. Returns when its whole group is gone.
    func end(grace: Duration = .milliseconds(500)) async {
        if group != nil, grace > .zero {
            closeInput()
            _ = await hasEnded(within: grace)
        }
        stopper.yield()
        commander.finish()
        await running.withLock { $0 }?.value
    }

    private func run() async {
        defer { inbox.put(.ended) }
        if let lack = DescriptorReserve.lack() {
            state.withLock { $0.cannotStart = "\(lack)" }
            return
        }
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
                state.withLock { $0.group = group }
                await self.serve(execution, stdin: stdin, stderr: stderr, group: group)
                watchdog.unregister(group: group)
            }
            state.withLock { state in
                state.group = nil
                switch result.terminationStatus {
                case .exited(let code): state.status = code
                case .signaled(let number): state.status = -number
                }
            }
        } catch {
            state.withLock { $0.cannotStart = "\(error)" }
        }
    }

    private func serve(
        _ execution: SessionExecution, stdin: ChildPipe, stderr: ChildPipe, group: pid_t
    ) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.write(to: stdin) }
            tasks.addTask { await self.readLines(of: execution) }
            tasks.addTask { await self.read(stderr) }
            for await _ in stopRequests { break }
            // While the leader isn't reaped its number can't be reused. This also frees a blocked writer.
            _ = kill(-group, SIGKILL)
            tasks.cancelAll()
        }
    }

    private func write(to stdin: ChildPipe) async {
        for await command in commands {
            guard case .write(let bytes) = command else { break }
            guard await stdin.write(bytes) == bytes.count else { break }
        }
        stdin.finish()
    }

    private func readLines(of execution: SessionExecution) async {
        var splitter = LineSplitter(limit: Self.lineBound)
        var isBroken = false
        do {
            for try await buffer in execution.standardOutput where !isBroken {
                do {
                    try buffer.withUnsafeBytes { bytes in
                        try splitter.feed(bytes) { inbox.put(.line(Array($0))) }
                    }
                } catch {
                    isBroken = true
                    inbox.put(.tooLong)
                }
            }
        } catch {}
        inbox.put(.ended)
    }

    private func read(_ stderr: ChildPipe) async {
        await stderr.read { bytes in
            self.state.withLock { $0.stderr.append(contentsOf: bytes.prefix(Self.stderrBound - $0.stderr.count)) }
        }
    }
}
