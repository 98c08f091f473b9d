package import ChildProcess
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A shell that outlives this process and ends the process groups that are still registered when its standard input
/// closes, in whatever way this process ended: `kill -9` included.
///
/// One serves all programs of a run. It starts with the first registration, in a session of its own, so that no signal
/// of the terminal reaches it. It ends a group as the host itself would: TERM, then KILL 2 seconds later. A plugin
/// that puts itself into another session is out of its reach.
package final class OrphanWatchdog: Sendable {
    private static let script = """
        g=' '
        while read -r op p; do case $op in
        +) g="$g$p " ;;
        -) g="${g%% $p *} ${g#* $p }" ;;
        esac; done
        [ "$g" = ' ' ] && exit 0
        for p in $g; do kill -s TERM -- "-$p" 2>/dev/null; done
        sleep 2
        for p in $g; do kill -s KILL -- "-$p" 2>/dev/null; done
        """

    /// A line for the shell, and who waits until it is on its way.
    private struct Message: Sendable {
        var line: String
        var isWritten: CheckedContinuation<Void, Never>?
    }

    private enum State {
        case idle
        case running(Task<Void, Never>)
        case closed
    }

    private let state = Mutex(State.idle)
    private let continuation: AsyncStream<Message>.Continuation
    private let outbox: AsyncStream<Message>

    /// Makes a watchdog that isn't started yet.
    package init() {
        (outbox, continuation) = AsyncStream.makeStream()
    }

    /// Has the process group ended should this process end before ``unregister(group:)``.
    ///
    /// Returns when that is certain: what is in the pipe reaches the shell also if this process is gone by then. A
    /// plugin must not be given work before.
    package func register(group: Int32) async {
        state.withLock { state in
            guard case .idle = state else { return }
            // Detached: it belongs to the run, not to whoever happens to resolve first.
            state = .running(Task.detached { [outbox] in await Self.run(outbox) })
        }
        await withCheckedContinuation { isWritten in
            let outcome = continuation.yield(Message(line: "+ \(group)\n", isWritten: isWritten))
            if case .terminated = outcome { isWritten.resume() }
        }
    }

    /// Takes back a registration. Called while the group's number can't have been given to anybody else.
    package func unregister(group: Int32) {
        continuation.yield(Message(line: "- \(group)\n"))
    }

    /// For programs that aren't plugins.
    package var groupWatch: GroupWatch {
        GroupWatch {
            await self.register(group: $0)
        } ended: {
            self.unregister(group: $0)
        }
    }

    /// Lets the shell end and waits for it. It ends at once if no group is registered.
    package func close() async {
        continuation.finish()
        let running: Task<Void, Never>? = state.withLock { state in
            defer { state = .closed }
            if case .running(let task) = state { return task }
            return nil
        }
        await running?.value
    }

    private static func run(_ outbox: AsyncStream<Message>) async {
        // A shell that can't be started leaves what every plugin has anyway: the end of its standard input.
        if DescriptorRoom.lack() == nil {
            await serve(outbox)
        }
        for await message in outbox { message.isWritten?.resume() }
    }

    private static func serve(_ outbox: AsyncStream<Message>) async {
        var options = PlatformOptions()
        options.createSession = true
        _ = try? await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", script, "coursefetch-watchdog"],
            environment: .custom(["PATH": "/usr/bin:/bin"]), workingDirectory: "/", platformOptions: options,
            input: .inputWriter, output: .discarded, error: .discarded
        ) { execution in
            for await message in outbox {
                _ = try? await execution.standardInputWriter.write(message.line)
                message.isWritten?.resume()
            }
            try await execution.standardInputWriter.finish()
        }
    }
}
