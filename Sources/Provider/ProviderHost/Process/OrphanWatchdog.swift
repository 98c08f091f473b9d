package import ChildProcess
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A shell that outlives this process and ends the process groups that are still registered when its standard input
/// closes, however this process ended: `kill -9` included.
///
/// One serves all programs of a run. It starts with the first registration, in its own session, so that no signal of
/// the terminal reaches it. It ends a group in the same way as the host: TERM, then KILL 2 seconds later. It can't end
/// a plugin that moves to another session.
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

    /// A line for the shell, and the task that waits until it is written.
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

    /// Makes the watchdog end the process group if this process ends before ``unregister(group:)``.
    ///
    /// Returns when that is certain: text in the pipe reaches the shell even if this process is gone by then. A plugin
    /// must not get work before.
    package func register(group: Int32) async {
        state.withLock { state in
            guard case .idle = state else { return }
            // Detached: it belongs to the run, not to the first task that resolves.
            state = .running(Task.detached { [outbox] in await Self.run(outbox) })
        }
        await withCheckedContinuation { isWritten in
            let outcome = continuation.yield(Message(line: "+ \(group)\n", isWritten: isWritten))
            if case .terminated = outcome { isWritten.resume() }
        }
    }

    /// Removes a registration. Called while the group's number can't have been reused.
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
        // Without the shell every plugin still gets the end of its standard input.
        if DescriptorReserve.lack() == nil {
            await serve(outbox)
        }
        for await message in outbox { message.isWritten?.resume() }
    }

    private static func serve(_ outbox: AsyncStream<Message>) async {
        var options = PlatformOptions()
        options.createSession = true
        guard let stdin = try? ChildPipe(.writes), let null = try? FileDescriptor.open("/dev/null", .writeOnly)
        else {
            return
        }
        defer { try? null.close() }
        _ = try? await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", script, "coursefetch-watchdog"],
            environment: .custom(["PATH": "/usr/bin:/bin"]), workingDirectory: "/", platformOptions: options,
            input: .fileDescriptor(stdin.childEnd, closeAfterSpawningProcess: false),
            output: .fileDescriptor(null, closeAfterSpawningProcess: false),
            error: .fileDescriptor(null, closeAfterSpawningProcess: false)
        ) { _ in
            stdin.started()
            for await message in outbox {
                _ = await stdin.write(Array(message.line.utf8))
                message.isWritten?.resume()
            }
            stdin.finish()
        }
    }
}
