import Foundation
import Subprocess
import Synchronization
import SystemPackage

/// The command of `--on-finish`. Runs in `/bin/sh` in its own process group, so that all its children end with it.
final class FinishCommand: Sendable {
    /// The limit on its run time.
    static let timeout = Duration.seconds(300)

    private struct State {
        var group: pid_t?
        var process: Task<TerminationStatus, any Error>?
        var isUnwanted = false
    }

    private let text: String
    private let timeout: Duration
    private let state = Mutex(State())

    /// - Parameter text: as `/bin/sh -c` takes it.
    init(_ text: String, timeout: Duration = FinishCommand.timeout) {
        self.text = text
        self.timeout = timeout
    }

    /// Runs it to its end. Returns an error text; nil for an exit code of 0.
    ///
    /// Its standard output goes to our standard error: ours is for results and events.
    func run(input: [UInt8]) async -> String? {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))
        ]
        let configuration = Configuration(
            executable: .path("/bin/sh"), arguments: ["-c", text], platformOptions: options)
        let process = Task {
            try await Subprocess.run(
                configuration, input: .inputWriter,
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in
                state.withLock { $0.group = execution.processIdentifier.value }
                // It needn't read any of it.
                _ = try? await execution.standardInputWriter.write(input)
                try? await execution.standardInputWriter.finish()
            }.terminationStatus
        }
        state.withLock { $0.process = process }
        let timeout = timeout
        let limit = Task {
            try await Task.sleep(for: timeout)
            process.cancel()
        }
        let ending = await process.result
        limit.cancel()
        let isUnwanted = state.withLock { state in
            (state.process, state.group) = (nil, nil)
            return state.isUnwanted
        }
        if isUnwanted { return "the command of --on-finish was stopped because coursefetch was stopped" }
        guard !process.isCancelled else { return "the command of --on-finish took too long and was stopped" }
        switch ending {
        case .success(.exited(0)): return nil
        case .success(.exited(let code)): return "the command of --on-finish ended with exit code \(code)"
        case .success(.signaled(let signal)): return "the command of --on-finish was killed by signal \(signal)"
        case .failure(let error): return "can't run the command of --on-finish: \(error)"
        }
    }

    /// Sends TERM, and KILL two seconds later. Does nothing unless it is running.
    func stop() {
        state.withLock { state in
            guard let process = state.process else { return }
            state.isUnwanted = true
            process.cancel()
        }
    }

    /// Ends it at once, for a process that is about to exit.
    func kill() {
        state.withLock { state in
            if let group = state.group { _ = killpg(group, SIGKILL) }
        }
    }
}
